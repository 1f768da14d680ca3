-- The secrets of a workspace. A request knows the hash; workspace_token_id names a token without giving it away.
create table workspace_tokens (
  token_hash bytea primary key,
  workspace_id text collate "C" not null references workspaces on delete cascade,
  workspace_token_id uuid not null default gen_random_uuid(),
  name text not null,
  token_sealed bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  revoked_at timestamptz,
  -- At most a minute before the last use, so that calls seldom write it.
  last_used_at timestamptz,
  constraint workspace_tokens__workspace_token_id__key unique (workspace_id, workspace_token_id)
);
-- Lists the tokens of a workspace, oldest first.
create index workspace_tokens__workspace_id__idx on workspace_tokens (workspace_id, created_at);

-- The one token that a workspace had before.
insert into workspace_tokens (token_hash, workspace_id, name, token_sealed, created_at)
select token_hash, workspace_id, 'workspace', token_sealed, created_at from workspaces;

alter table workspaces drop column token_hash, drop column token_sealed;
