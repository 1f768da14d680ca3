-- The role of users whom an access type admits and who have no grant. Servers of earlier versions insert keys without it.
alter table api_keys add column default_access_role access_role not null default 'editor';

-- Users who are denied everything in the data set of their API key (ADR 0036). They need no profile, and the state outlives it.
create table disabled_users (
  api_key_id text collate "C" not null references api_keys on delete cascade,
  user_id text collate "C" not null,
  disabled_at timestamptz not null default clock_timestamp(),
  primary key (api_key_id, user_id)
);
-- Whether the key may have disabled users. Every request reads the row of its key, and looks for disabled users only then.
alter table api_keys add column has_disabled_users boolean not null default false;
