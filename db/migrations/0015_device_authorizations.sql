-- Signing in the command line (ADR 0047): the requests of machines, and the answers of operators.
create table device_authorizations (
  device_code_hash bytea primary key,
  -- Typed by people. It is no secret: without the session of an operator it is of no use.
  user_code text collate "C" not null,
  -- What the machine says of itself.
  machine text not null,
  user_agent text not null,
  address text not null,
  -- If set, only operators of this workspace can answer. As the caller named it.
  only_workspace_id text collate "C",
  expires_at timestamptz not null,
  -- How long the machine has to wait between two polls, and the latest one.
  poll_seconds integer not null,
  polled_at timestamptz,
  answered_at timestamptz,
  -- The operator who approved; null with an answer: it was denied.
  workspace_id text collate "C",
  operator_id uuid,
  -- When the session that approved ends at the latest, and so the one of the command line.
  session_expires_at timestamptz,
  constraint device_authorizations__operator foreign key (workspace_id, operator_id) references operators on delete cascade,
  constraint device_authorizations__approved check (
    num_nulls(workspace_id, operator_id, session_expires_at) in (0, 3) and (operator_id is null or answered_at is not null)
  )
);
create unique index device_authorizations__user_code__key on device_authorizations (user_code);
create index device_authorizations__operator__idx on device_authorizations (workspace_id, operator_id);
create index device_authorizations__expires_at__idx on device_authorizations (expires_at);

-- The machine of a command line that is signed in, as it named itself; null: the session is one of a browser.
alter table console_sessions add machine text;
