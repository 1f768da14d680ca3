-- Buckets are further databases for the data sets of API keys (ADR 0066). Only the home database has rows in these tables.
create table buckets (
  name text primary key,
  url_sealed bytea not null,
  region text,
  takes_keys boolean not null default true,
  created_at timestamptz not null default clock_timestamp()
);

-- The API keys whose data sets are in a bucket. Every other key is in the home database, so an installation without buckets has no rows.
create table key_places (
  api_key_id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  bucket text not null references buckets,
  type text not null,
  created_at timestamptz not null default clock_timestamp()
);
create index key_places__workspace_id__idx on key_places (workspace_id);
create index key_places__bucket__idx on key_places (bucket);

-- A bucket that is being moved to another database, or was moved and can still go back.
create table bucket_moves (
  bucket text primary key references buckets on delete cascade,
  from_url_sealed bytea not null,
  to_url_sealed bytea not null,
  started_at timestamptz not null default clock_timestamp(),
  -- Null until the new database serves it.
  switched_at timestamptz
);
