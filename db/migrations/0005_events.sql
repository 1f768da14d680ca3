-- What happened: audit log, webhook outbox and change feed in one table. stream is an organization_key, or a key made
-- from a workspace or API key id for what happens outside organizations; sequence has no gaps within a stream.

create table events (
  stream uuid not null,
  sequence bigint not null,
  type text not null,
  workspace_id text collate "C",
  api_key_id text collate "C",
  organization_id text collate "C",
  resource_kind resource_kind,
  resource_id text collate "C",
  user_id text collate "C",
  actor jsonb not null,
  before jsonb,
  after jsonb,
  changed_at timestamptz not null default clock_timestamp(),
  primary key (stream, sequence)
);

-- The counters of the streams that are not organizations; those count in organizations.event_count.
create table event_streams (
  stream uuid primary key,
  event_count bigint not null
) with (fillfactor = 50);
