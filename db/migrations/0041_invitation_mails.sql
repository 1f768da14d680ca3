-- Mails that invite operators. Each is the job that sends it (ADR 0029), written with the invitation: a server that dies loses none.
-- The link is sealed until it is sent; `mail_id` is the Message-ID of all attempts.
create table invitation_mails (
  workspace_id text collate "C" not null,
  operator_id uuid not null,
  mail_id uuid not null default gen_random_uuid(),
  link_sealed bytea,
  due_at timestamptz not null,
  claimed_at timestamptz,
  claims integer not null default 0,
  finished_at timestamptz,
  primary key (workspace_id, operator_id),
  constraint invitation_mails__operator__fkey foreign key (workspace_id, operator_id) references operators on delete cascade
);
create index invitation_mails__due_at__idx on invitation_mails (due_at) where finished_at is null;
