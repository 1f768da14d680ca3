/** SQL of document migrations and their jobs. The changes run under the lock of the organization. */
import type { OrganizationKey } from '#contract/core/ids.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { LEASE, leasedRows } from '#platform/jobs/leased-rows.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { RECORD_EVENTS } from '#tenancy/events/record.ts'

export interface MigrationJob {
  organizationKey: OrganizationKey
  migrationId: string
}

export const MIGRATION_JOBS = leasedRows<MigrationJob>({
  name: 'document-migrations',
  table: 'document_migrations',
  key: { organizationKey: 'organization_key', migrationId: 'migration_id' },
  retrySeconds: { first: 1, longest: 10 },
})

/**
 * Adds a migration if the organization exists; returns its id, or no row. Without the lock an organization that is
 * deleted at this moment would leave the migration behind.
 */
export const ADD_MIGRATION = statement<{ migrationId: string }>(
  'migrations.add',
  /* sql */ `
  insert into document_migrations (organization_key, migration_id, document_id, new_document_id, actor)
  select organization_key, gen_random_uuid(), $2, $3, $4::jsonb
    from organizations where organization_key = $1 and added_at is not null
  returning migration_id as "migrationId"`,
)

export interface Judgement {
  sourceKey: string | null
  targetKey: string | null
  targetAdded: boolean
  /** Another migration of one of the two ids has started and not finished. */
  busy: boolean
}

/**
 * Returns the resources that the two ids name now. `$4` is the migration itself, null on a dry run. Returns no row if
 * the organization does not exist.
 */
export const JUDGE = statement<Judgement>(
  'migrations.judge',
  /* sql */ `
  select source.resource_key as "sourceKey", target.resource_key as "targetKey", target.added_at is not null as "targetAdded",
         exists (select from document_migrations m
                  where m.organization_key = $1 and m.finished_at is null and m.status = 'in_progress'
                    and m.migration_id is distinct from $4::uuid
                    and (m.document_id in ($2, $3) or m.new_document_id in ($2, $3))) as busy
    from organizations o
    left join resources source on source.organization_key = o.organization_key and source.kind = 'document' and source.id = $2
    left join resources target on target.organization_key = o.organization_key and target.kind = 'document' and target.id = $3
   where o.organization_key = $1 and o.added_at is not null`,
)

export interface UnfinishedRow {
  documentId: string
  newDocumentId: string
  status: 'pending' | 'in_progress'
  actor: Actor
}

/** Locks an unfinished migration until the transaction ends. */
export const LOCK_MIGRATION = statement<UnfinishedRow>(
  'migrations.lock',
  /* sql */ `
  select document_id as "documentId", new_document_id as "newDocumentId", status, actor
    from document_migrations
   where organization_key = $1 and migration_id = $2 and finished_at is null for update`,
)

export const START_MIGRATION = statement<never>(
  'migrations.start',
  /* sql */ `
  update document_migrations
     set status = 'in_progress', started_at = clock_timestamp(), due_at = clock_timestamp() + ${LEASE}
   where organization_key = $1 and migration_id = $2`,
)

/** `$3` is why it failed, or null when it completed. */
export const FINISH_MIGRATION = statement<never>(
  'migrations.finish',
  /* sql */ `
  update document_migrations
     set status = case when $3::text is null then 'completed' else 'failed' end, failure_reason = $3,
         started_at = coalesce(started_at, clock_timestamp()), finished_at = clock_timestamp()
   where organization_key = $1 and migration_id = $2`,
)

export const RECORD_MIGRATION_EVENT = setStatement<
  { organizationKey: string; type: string; documentId: string; actor: Actor; before: object | null; after: object },
  never
>(
  'migrations.record-event',
  { organizationKey: 'uuid', type: 'text', documentId: 'text', actor: 'jsonb', before: 'jsonb', after: 'jsonb' },
  /* sql */ `
  with event as (
    select organization_key, ord as position, type, 'document'::resource_kind as resource_kind, document_id as resource_id,
           null::text as user_id, actor, before, after
      from $input
  ),
  ${RECORD_EVENTS}
  select null where false`,
)

export interface MigrationRow {
  status: 'pending' | 'in_progress' | 'completed' | 'failed'
  documentId: string
  newDocumentId: string
  failureReason: 'document_does_not_exist' | 'new_document_already_exists' | 'migration_in_progress' | null
  createdAt: Date
  startedAt: Date | null
  finishedAt: Date | null
}

const RECORD = /* sql */ `
  status, document_id as "documentId", new_document_id as "newDocumentId", failure_reason as "failureReason",
  created_at as "createdAt", started_at as "startedAt", finished_at as "finishedAt"`

export const GET_MIGRATION = statement<MigrationRow>(
  'migrations.get',
  `select ${RECORD} from document_migrations where organization_key = $1 and migration_id = $2::uuid`,
)

/** `position` is `createdAt` to the microsecond: with the id it is the cursor of the list. */
export type ListedMigrationRow = MigrationRow & { migrationId: string; position: string }

/** A page of an organization's migrations, newest first: at most `$4` after position `$2` and id `$3`. */
const page = (where: string) => /* sql */ `
  select migration_id as "migrationId", created_at::text as position, ${RECORD} from document_migrations
   where organization_key = $1 and ${where} and (created_at, migration_id) < ($2::timestamptz, $3::uuid)
   order by created_at desc, migration_id desc limit $4::int`

export const LIST_MIGRATIONS = statement<ListedMigrationRow>('migrations.list', page('true'))

/** Lists the migrations with status `$5`. */
export const LIST_STATUS_MIGRATIONS = statement<ListedMigrationRow>('migrations.list-status', page('status = $5'))

/** Those from or to document `$5`, with status `$6` unless it is null. No migration has the same id on both sides. */
export const LIST_DOCUMENT_MIGRATIONS = statement<ListedMigrationRow>(
  'migrations.list-document',
  /* sql */ `
  (${page('document_id = $5 and ($6::text is null or status = $6)')})
  union all
  (${page('new_document_id = $5 and ($6::text is null or status = $6)')})
   order by "createdAt" desc, "migrationId" desc limit $4::int`,
)
