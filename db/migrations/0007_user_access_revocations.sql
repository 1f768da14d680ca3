-- Jobs that revoke all access of users in one API key. They go through its organizations in id order, like those that erase users:
-- passed_organization_id is the last one that is finished. A finished job forgets its users.
create table user_access_revocations (
  api_key_id text collate "C" not null references api_keys on delete cascade,
  job_id uuid not null,
  user_ids text[] collate "C" not null,
  actor jsonb not null,
  tasks_count int not null,
  tasks_done int not null default 0,
  passed_organization_id text collate "C" not null default '',
  removed_grants int not null default 0,
  removed_temporary_grants int not null default 0,
  removed_user_groups int not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  last_task_completed_at timestamptz,
  finished_at timestamptz,
  due_at timestamptz not null default clock_timestamp(),
  claimed_at timestamptz,
  claims int not null default 0,
  primary key (api_key_id, job_id),
  constraint user_access_revocations__forgotten check (finished_at is null or user_ids = '{}')
);
-- The jobs that are due.
create index user_access_revocations__due_at__idx on user_access_revocations (due_at) where finished_at is null;
