-- Links to sign in to the console that were sent to the owner of a workspace. The link is stored only as a hash. A used or expired row
-- stays for an hour, so that the links of the last hour can be counted.
create table login_links (
  link_hash bytea primary key,
  workspace_id text collate "C" not null references workspaces on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
-- Counts the links of a workspace. The sweep that deletes old links reads the whole table, which holds those of an hour.
create index login_links__workspace_id__idx on login_links (workspace_id, created_at);
