-- Jobs that give a document another id. This row is the truth; the queue's job only carries its id (rules/resources.md#migrations).

create table document_migrations (
  organization_key uuid not null references organizations on delete cascade,
  migration_id uuid not null,
  document_id text collate "C" not null,
  new_document_id text collate "C" not null,
  status text not null default 'pending'
    constraint document_migrations__status check (status in ('pending', 'in_progress', 'completed', 'failed')),
  failure_reason text,
  actor jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  finished_at timestamptz,
  lease_until timestamptz not null default clock_timestamp(),
  primary key (organization_key, migration_id)
);
-- The sweep that finds what a dead worker left behind.
create index document_migrations__lease_until__idx on document_migrations (lease_until) where finished_at is null;
