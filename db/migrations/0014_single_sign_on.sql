-- Single sign-on (ADR 0046): operators sign in with the OpenID Connect provider of their workspace.
create table sso_configs (
  workspace_id text collate "C" primary key references workspaces on delete cascade,
  enabled boolean not null,
  issuer text not null,
  client_id text not null,
  -- Null: the provider has given none.
  client_secret_sealed bytea,
  -- In the order of the caller; the first that matches an account decides.
  roles jsonb not null
);

-- The account of an operator at a provider. Of a provider, an operator has one account.
create table operator_identities (
  workspace_id text collate "C" not null,
  issuer text not null,
  subject text not null,
  operator_id uuid not null,
  -- Whether the role of the operator came from the rules of the workspace, at some sign-in.
  has_role_of_rule boolean not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (workspace_id, issuer, subject),
  constraint operator_identities__operator foreign key (workspace_id, operator_id) references operators on delete cascade
);
create unique index operator_identities__operator__key on operator_identities (workspace_id, operator_id, issuer);

-- Sign-ins that were sent to a provider and have not come back. The nonce and the PKCE verifier are in no table: they follow from the
-- secret in the cookie of the browser.
create table sso_sign_ins (
  state_hash bytea primary key,
  browser_hash bytea not null,
  workspace_id text collate "C" not null references workspaces on delete cascade,
  issuer text not null,
  client_id text not null,
  expires_at timestamptz not null
);
create index sso_sign_ins__expires_at__idx on sso_sign_ins (expires_at);
create index sso_sign_ins__workspace_id__idx on sso_sign_ins (workspace_id);
