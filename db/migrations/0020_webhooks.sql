-- Where the events of an API key are sent, what waits to be sent, and what became of each attempt. A message is an event:
-- its id is made from stream and sequence, its body from the row (ADR 0019).

-- Of the signed endpoints of an API key, all together.
create table webhook_settings (
  api_key_id text collate "C" primary key references api_keys on delete cascade,
  is_enabled boolean not null,
  encode_data boolean not null,
  encrypt_data boolean not null,
  public_key text not null
);

-- Signed endpoints, and the two URLs of webhook_service_config as endpoints of their own kind.
create table webhook_endpoints (
  endpoint_key bigint generated always as identity primary key,
  api_key_id text collate "C" not null references api_keys on delete cascade,
  endpoint_id text collate "C" not null,
  kind text not null constraint webhook_endpoints__kind check (kind in ('raw', 'processed', 'signed')),
  url text not null,
  description text,
  filter_types text[],
  channels text[],
  rate_limit int,
  uid text collate "C",
  metadata jsonb not null default '{}',
  secret_sealed bytea,
  previous_secret_sealed bytea,
  previous_secret_until timestamptz,
  disabled boolean not null default false,
  -- Not disabled, and what it belongs to is switched on.
  active boolean not null,
  -- It gets what has happened since.
  active_since timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  -- Every attempt since then has failed.
  failing_since timestamptz,
  -- Nothing is sent before this, by its rate limit or because it asked for it.
  paced_until timestamptz,
  -- Not after anything that waits for it is due; null: nothing waits.
  due_at timestamptz,
  constraint webhook_endpoints__endpoint_id__key unique (api_key_id, endpoint_id)
) with (fillfactor = 50);
create unique index webhook_endpoints__uid__key on webhook_endpoints (api_key_id, uid) where uid is not null;
create index webhook_endpoints__due_at__idx on webhook_endpoints ((failing_since is null), due_at) where due_at is not null;
alter table webhook_endpoints alter column api_key_id set (n_distinct = 10);

-- What waits, and is gone when it was delivered or given up. Who sends it moves due_at on by the time that may take.
create table webhook_deliveries (
  endpoint_key bigint not null references webhook_endpoints on delete cascade,
  stream uuid not null,
  sequence bigint not null,
  -- The order among those that are due at the same time.
  position bigint generated always as identity,
  attempts int not null default 0,
  -- Moved on whenever it is taken or put in again: who was overtaken finds another.
  claims int not null default 0,
  due_at timestamptz not null,
  primary key (endpoint_key, stream, sequence)
) with (fillfactor = 70);
create index webhook_deliveries__due_at__idx on webhook_deliveries (endpoint_key, due_at, position);
alter table webhook_deliveries alter column endpoint_key set (n_distinct = 10);

create table webhook_attempts (
  attempt_key bigint generated always as identity primary key,
  endpoint_key bigint not null references webhook_endpoints on delete cascade,
  stream uuid not null,
  sequence bigint not null,
  event_type text not null,
  attempt int not null,
  attempted_at timestamptz not null,
  http_status int,
  error text,
  duration_ms int not null,
  excerpt text not null,
  next_attempt_at timestamptz
);
create index webhook_attempts__endpoint_key__idx on webhook_attempts (endpoint_key, attempt_key);
create index webhook_attempts__message__idx on webhook_attempts (endpoint_key, stream, sequence, attempt_key);
alter table webhook_attempts alter column endpoint_key set (n_distinct = 10);

-- From now on: URLs that were stored before anything was sent to them begin with what happens next.
insert into webhook_endpoints (api_key_id, endpoint_id, kind, url, active)
select k.api_key_id, basic.kind, basic.kind, basic.url, true
  from api_keys k
 cross join lateral (
   values ('raw', k.webhook_service_config->>'rawNotificationUrl'), ('processed', k.webhook_service_config->>'processedNotificationUrl')
 ) basic (kind, url)
 where k.use_webhook_service and basic.url <> '';
insert into event_followers (consumer, api_key_id, seen)
select 'webhooks', api_key_id, pg_current_snapshot() from webhook_endpoints group by api_key_id;
