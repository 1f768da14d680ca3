-- The people who manage a workspace, each with a role (rules/operators.md#operators). An address names one of them in a workspace.
create table operators (
  workspace_id text collate "C" not null references workspaces on delete cascade,
  operator_id uuid not null default gen_random_uuid(),
  email text not null,
  name text not null,
  role text not null,
  -- The name of the operator or of the token that invited this one; null for the owner of a new workspace.
  invited_by text,
  created_at timestamptz not null default clock_timestamp(),
  -- At most a minute before the last call, so that calls seldom write it. Null until the first sign-in.
  last_seen_at timestamptz,
  primary key (workspace_id, operator_id),
  constraint operators__role check (role in ('support', 'developer', 'admin', 'owner'))
);
create unique index operators__email__key on operators (workspace_id, lower(email));
-- Finds the operators of an address in all workspaces, to send them links.
create index operators__address__idx on operators (lower(email));

insert into operators (workspace_id, email, name, role, created_at)
select workspace_id, owner_email, owner_name, 'owner', created_at from workspaces;

-- A login link signs in one operator. A link of 15 minutes is not worth keeping.
delete from login_links;
drop index login_links__workspace_id__idx;
alter table login_links
  add column operator_id uuid not null,
  add constraint login_links__operator foreign key (workspace_id, operator_id) references operators on delete cascade;
-- Counts the links of an operator, and deletes those of one who is removed.
create index login_links__operator__idx on login_links (workspace_id, operator_id, created_at);
-- The sweep that deletes old links, which include invitations of days.
create index login_links__expires_at__idx on login_links (expires_at);

-- A session stands for a token, or for an operator who signed in as a person. expires_at is the latest end of a session; one of an
-- operator also ends when it has not been used for a while. Servers of earlier versions insert sessions without the new columns.
alter table console_sessions
  alter column token_hash drop not null,
  add column session_id uuid not null default gen_random_uuid(),
  add column operator_id uuid,
  add column user_agent text not null default '',
  add column address text not null default '',
  add column created_at timestamptz not null default clock_timestamp(),
  -- At most a minute before the last call.
  add column last_seen_at timestamptz not null default clock_timestamp(),
  -- When the operator last proved who they are.
  add column authenticated_at timestamptz not null default clock_timestamp(),
  add constraint console_sessions__credentials check (num_nonnulls(token_hash, operator_id) = 1),
  add constraint console_sessions__operator foreign key (workspace_id, operator_id) references operators on delete cascade;
-- Lists the sessions of a workspace, and deletes those of an operator who is removed.
create index console_sessions__workspace_id__idx on console_sessions (workspace_id, operator_id) where workspace_id is not null;

-- Keys with which operators sign in without a link (WebAuthn). sign_count rises with each use where the authenticator counts.
create table passkeys (
  credential_id bytea primary key,
  workspace_id text collate "C" not null,
  operator_id uuid not null,
  passkey_id uuid not null default gen_random_uuid(),
  name text not null,
  public_key bytea not null,
  sign_count bigint not null,
  transports text[] not null,
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz,
  constraint passkeys__operator foreign key (workspace_id, operator_id) references operators on delete cascade
);
create index passkeys__operator__idx on passkeys (workspace_id, operator_id);

-- What authenticators are asked to sign; each is deleted when it is answered. Without an operator, anybody may sign in with it.
create table passkey_challenges (
  challenge_hash bytea primary key,
  purpose text not null,
  workspace_id text collate "C",
  operator_id uuid,
  expires_at timestamptz not null,
  constraint passkey_challenges__operator foreign key (workspace_id, operator_id) references operators on delete cascade,
  constraint passkey_challenges__purpose check ((purpose = 'sign-in') = (operator_id is null))
);
create index passkey_challenges__operator__idx on passkey_challenges (workspace_id, operator_id);
-- The sweep that deletes expired challenges.
create index passkey_challenges__expires_at__idx on passkey_challenges (expires_at);
