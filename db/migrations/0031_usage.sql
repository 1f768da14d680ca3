-- What API keys were used for (rules/keys.md#usage, ADR 0060). Hours and days are of UTC. The processes add to the rows every few seconds;
-- hours are deleted after two days, days after 13 months.
create table usage_hours (
  api_key_id text collate "C" not null references api_keys on delete cascade,
  hour timestamptz not null,
  calls bigint not null default 0,
  refused bigint not null default 0,
  failed bigint not null default 0,
  checks bigint not null default 0,
  webhooks bigint not null default 0,
  primary key (api_key_id, hour)
) with (fillfactor = 70);

-- What was counted at `counted_at` in the tables of the key is null before. `active_users` is a sketch (server/platform/distinct.ts). It
-- is stored beside the row, so that the row can be updated without it.
create table usage_days (
  api_key_id text collate "C" not null references api_keys on delete cascade,
  day date not null,
  calls bigint not null default 0,
  refused bigint not null default 0,
  failed bigint not null default 0,
  checks bigint not null default 0,
  webhooks bigint not null default 0,
  mails bigint not null default 0,
  organizations bigint,
  documents bigint,
  users bigint,
  threads bigint,
  counted_at timestamptz,
  active_users bytea,
  primary key (api_key_id, day)
) with (fillfactor = 70, toast_tuple_target = 128);
alter table usage_days alter column active_users set storage external;
