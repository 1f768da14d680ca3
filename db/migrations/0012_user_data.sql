-- Erasure of users as durable jobs, and lists of migrations. The row of a job is the truth; the queue's job only carries its id.

-- user_ids and salt are personal data or lead to it: they go when the job is finished. passed_organization_id is the
-- last organization, in id order, that the job is done with.
create table user_data_deletions (
  api_key_id text collate "C" not null references api_keys on delete cascade,
  job_id uuid not null,
  user_ids text[] collate "C" not null,
  organization_ids text[] collate "C",
  salt uuid,
  actor jsonb not null,
  tasks_count int not null,
  tasks_done int not null default 0,
  passed_organization_id text collate "C" not null default '',
  created_at timestamptz not null default clock_timestamp(),
  last_task_completed_at timestamptz,
  finished_at timestamptz,
  lease_until timestamptz not null default clock_timestamp(),
  primary key (api_key_id, job_id),
  constraint user_data_deletions__forgotten
    check (finished_at is null or (salt is null and user_ids = '{}' and organization_ids is null))
);
-- The sweep that finds what a dead worker left behind.
create index user_data_deletions__lease_until__idx on user_data_deletions (lease_until) where finished_at is null;

-- What a stream knows of a user, to show it and to erase it.
create index events__user_id__idx on events (stream, user_id, sequence) where user_id is not null;

-- A page of migrations costs its length, however it is filtered.
create index document_migrations__created_at__idx on document_migrations (organization_key, created_at, migration_id);
create index document_migrations__status__idx on document_migrations (organization_key, status, created_at, migration_id);
create index document_migrations__document_id__idx
  on document_migrations (organization_key, document_id, created_at, migration_id);
create index document_migrations__new_document_id__idx
  on document_migrations (organization_key, new_document_id, created_at, migration_id);
