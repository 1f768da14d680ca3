-- An event of sharing names in its actor the user who shared, whom an erasure finds. Partial: events of all other calls are not in it.
-- It comes first: the next statement locks the keys, which every call reads, until this transaction ends.
create index events__actor_user__idx on events (stream, (actor ->> 'userId'), sequence) where actor ->> 'userId' is not null;

-- Which users may share documents with their user tokens (rules/access.md#sharing).
alter table api_keys add column user_sharing text not null default 'none'
  constraint api_keys__user_sharing check (user_sharing in ('none', 'editors', 'editorsAndReaders'));

-- Erases new events as the job erases those that it finds: the user whom they are about, and the user who shared.
create or replace function erase_new_events() returns trigger language plpgsql as $$
begin
  if not exists (select from user_data_deletions where finished_at is null) then return null; end if;
  update events e
     set user_id = 'erased:' || left(encode(sha256(convert_to(d.salt::text, 'UTF8') || '\x00'::bytea || convert_to(a.user_id, 'UTF8')), 'hex'), 32),
         before = case when a.type like 'permission.%' or a.type = 'user.removed' or a.before is null then a.before else '{}' end,
         after = case when a.type like 'permission.%' or a.type = 'user.removed' or a.after is null then a.after else '{}' end
    from added a
    join user_data_deletions d on d.api_key_id = a.api_key_id and d.finished_at is null and a.user_id = any(d.user_ids)
                              and (d.organization_ids is null or a.organization_id = any(d.organization_ids))
   where a.user_id is not null and e.stream = a.stream and e.sequence = a.sequence;
  update events e
     set actor = jsonb_set(a.actor, '{userId}', to_jsonb('erased:' || left(encode(sha256(convert_to(d.salt::text, 'UTF8') || '\x00'::bytea || convert_to(a.actor ->> 'userId', 'UTF8')), 'hex'), 32)))
    from added a
    join user_data_deletions d on d.api_key_id = a.api_key_id and d.finished_at is null and a.actor ->> 'userId' = any(d.user_ids)
                              and (d.organization_ids is null or a.organization_id = any(d.organization_ids))
   where e.stream = a.stream and e.sequence = a.sequence;
  return null;
end
$$;
