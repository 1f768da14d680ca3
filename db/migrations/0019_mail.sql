-- What is told before it happens, and what is told by e-mail.

-- How long before its end a grant gets its event; 0: it gets none.
alter table api_keys
  add column expiring_soon_seconds int not null default 0
    constraint api_keys__expiring_soon_seconds check (expiring_soon_seconds >= 0);

-- When the event that a grant is about to end is due; writing it takes the time away, granting anew sets it anew.
alter table grants add column expiring_at timestamptz;
create index grants__expiring_at__idx on grants (expiring_at, organization_key, resource_key, user_id)
  where expiring_at is not null;
