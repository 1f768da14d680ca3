-- Events that are written in an epoch have numbers after this one, so that the number of an event that a failover or a restore has
-- lost is not used again (ADR 0063).
alter table database_epochs
  add column numbered_after bigint not null default 0,
  -- The table itself, which a restored dump creates anew.
  add column table_oid oid;
update database_epochs
   set table_oid = 'database_epochs'::regclass,
       numbered_after = case when epoch = 1 then 0 else (extract(epoch from adopted_at) * 1000000)::bigint end;
alter table database_epochs alter column table_oid set not null;
