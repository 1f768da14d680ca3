-- Answers to calls that were made with an Idempotency-Key, for those who repeat them. The caller is an API key or a
-- workspace, and its answers go with it.
create table idempotency_keys (
  api_key_id text collate "C" references api_keys on delete cascade,
  workspace_id text collate "C" references workspaces on delete cascade,
  caller text collate "C" not null generated always as (coalesce(api_key_id, workspace_id)) stored,
  key text collate "C" not null,
  answer_sealed bytea not null,
  expires_at timestamptz not null,
  primary key (caller, key),
  constraint idempotency_keys__caller check (num_nonnulls(api_key_id, workspace_id) = 1)
);
create index idempotency_keys__api_key_id__idx on idempotency_keys (api_key_id) where api_key_id is not null;
create index idempotency_keys__workspace_id__idx on idempotency_keys (workspace_id) where workspace_id is not null;
create index idempotency_keys__expires_at__idx on idempotency_keys (expires_at);
