-- Customers of the service, their API keys (each an isolated data set) and the secrets that go with them.

create table workspaces (
  workspace_id text collate "C" primary key,
  name text not null,
  owner_id text not null,
  owner_email text not null,
  owner_name text not null,
  owner_avatar text not null,
  token_hash bytea not null,
  token_sealed bytea not null,
  created_at timestamptz not null default clock_timestamp()
);
create index workspaces__owner_id__idx on workspaces (owner_id);

create type access_type as enum ('public', 'organizationPrivate', 'restricted');

create table api_keys (
  api_key_id text collate "C" primary key,
  workspace_id text collate "C" not null references workspaces on delete cascade,
  type text not null constraint api_keys__type check (type in ('testing', 'production')),
  name text not null,
  owner_email text not null,
  plan jsonb not null default '{}',
  allowed_domains text[] not null default '{}',
  default_access_type access_type not null default 'public',
  require_known_resources boolean not null default false,
  use_email_service boolean not null default false,
  email_service_config jsonb not null default '{}',
  email_service_key_sealed bytea,
  use_webhook_service boolean not null default false,
  webhook_service_config jsonb not null default '{}',
  webhook_service_token_sealed bytea,
  disabled_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
);
create index api_keys__workspace_id__idx on api_keys (workspace_id, api_key_id);

create table auth_tokens (
  token_hash bytea primary key,
  api_key_id text collate "C" not null references api_keys on delete cascade,
  name text not null,
  token_sealed bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  revoked_at timestamptz
);
create index auth_tokens__api_key_id__idx on auth_tokens (api_key_id, created_at);

-- Key pairs that sign user tokens. A retired one no longer signs but still verifies what it signed.
create table signing_keys (
  api_key_id text collate "C" not null references api_keys on delete cascade,
  kid text collate "C" not null,
  public_jwk jsonb not null,
  private_key_sealed bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  retired_at timestamptz,
  primary key (api_key_id, kid)
);
