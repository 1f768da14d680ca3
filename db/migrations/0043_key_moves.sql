-- Moves of the data sets of single API keys between buckets (ADR 0068). Only the home database has rows. A finished move stays: the bucket
-- that the key has left keeps the events of its workspace from that time. Null: the home database.
create table key_moves (
  move_id bigint generated always as identity primary key,
  api_key_id text collate "C" not null,
  workspace_id text collate "C" not null references workspaces on delete cascade,
  from_bucket text references buckets,
  to_bucket text references buckets,
  started_at timestamptz not null default clock_timestamp(),
  -- The source accepts no credentials of the key any more.
  closed_at timestamptz,
  -- The target serves the key.
  switched_at timestamptz,
  -- The source has no rows of the key any more.
  finished_at timestamptz
);
create unique index key_moves__unfinished__key on key_moves (api_key_id) where finished_at is null;
create index key_moves__workspace_id__idx on key_moves (workspace_id);
create index key_moves__from_bucket__idx on key_moves (from_bucket);
create index key_moves__to_bucket__idx on key_moves (to_bucket);

-- Refuses changes of the rows of an API key that is being moved. Triggers on the tables of its data set exist only meanwhile, and only in
-- the database that it leaves. Their arguments: the key; the column that says whether a row belongs to it, or its event stream; the
-- operations of the server's own work, which are skipped, so that it continues with the rows of other keys; and the columns that such work
-- may update. The session that moves the key sets `commonhold.moving`.
create function hold_moving_key() returns trigger language plpgsql as $$
declare
  moving text := tg_argv[0];
  changed record;
  belongs boolean;
begin
  if tg_op = 'DELETE' then changed := old; else changed := new; end if;
  case tg_argv[1]
    when 'api_key_id' then belongs := changed.api_key_id = moving;
    when 'organization_key' then
      belongs := exists (select from organizations o where o.organization_key = changed.organization_key and o.api_key_id = moving);
    when 'endpoint_key' then
      belongs := exists (select from webhook_endpoints e where e.endpoint_key = changed.endpoint_key and e.api_key_id = moving);
    else belongs := changed.stream = tg_argv[1]::uuid;
  end case;
  if belongs is not true or current_setting('commonhold.moving', true) = moving then return changed; end if;
  if tg_op = any (tg_argv[2]::text[]) then return null; end if;
  if tg_op = 'UPDATE' and tg_argv[3] <> '{}' and to_jsonb(old) - tg_argv[3]::text[] = to_jsonb(new) - tg_argv[3]::text[] then return null; end if;
  raise exception 'The data of this API key is being moved to another database; reads work, repeat the change when it is moved.'
    using errcode = 'CH002', detail = 'api_key_moving';
end
$$;
