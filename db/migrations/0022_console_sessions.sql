-- Sign-ins at the console (ADR 0025). A session is known by the hash of its cookie, and holds the hash of the credentials
-- that it was exchanged for: they are looked up again with each request, so nothing outlives their revocation.
create table console_sessions (
  session_hash bytea primary key,
  workspace_id text,
  api_key_id text,
  token_hash bytea not null,
  expires_at timestamptz not null,
  check (num_nonnulls(workspace_id, api_key_id) = 1)
);
create index console_sessions__expires_at__idx on console_sessions (expires_at);
