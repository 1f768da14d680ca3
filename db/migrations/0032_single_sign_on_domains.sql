-- The domains by which addresses find their workspace at single sign-on (docs/rules/operators.md#domains).
create table sso_domains (
  workspace_id text collate "C" not null references workspaces on delete cascade,
  domain text collate "C" not null,
  -- Null: claimed, but not proved. Such a domain leads nobody anywhere.
  verified_at timestamptz,
  primary key (workspace_id, domain)
);
create unique index sso_domains__verified__key on sso_domains (domain) where verified_at is not null;

-- The settings of a test of a connection, which may not be saved. Null: a sign-in. A row with an empty browser_hash waits to be opened.
alter table sso_sign_ins add column test_sealed bytea;
