-- When the event that a grant has expired was written; granting anew clears it. The sweeps go through what is due by
-- indexes of their own: first what waits for its event, then what has had it for long. Permanent grants are in neither.
alter table grants add column expiry_event_at timestamptz;
create index grants__expires_at__idx on grants (expires_at, organization_key, resource_key, user_id)
  where expires_at is not null and expiry_event_at is null;
create index grants__expiry_event_at__idx on grants (expiry_event_at, organization_key, resource_key, user_id)
  where expiry_event_at is not null;
