-- Profiles: one for each user of an API key, seen in all its organizations. Membership is a grant, not a row here.

create table users (
  api_key_id text collate "C" not null references api_keys on delete cascade,
  user_id text collate "C" not null,
  profile jsonb not null default '{}',
  created_at timestamptz not null default clock_timestamp(),
  primary key (api_key_id, user_id)
);
