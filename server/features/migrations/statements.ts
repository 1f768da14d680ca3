/** Every SQL text of document migrations. All of them run under the lock of the organization, but for the reads at the end. */
import type { OrganizationKey } from '#contract/ids.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { expiryEvents, RECORD_EVENTS } from '#tenancy/events/record.ts'

/** How long a worker may be silent before the sweep hands its migration to another. */
const LEASE = `interval '5 seconds'`

/** Adds a migration when the organization is there; answers its id, or no row. Without the lock one that is deleted at this moment would leave it behind. */
export const ADD_MIGRATION = statement<{ migrationId: string }>(
  'migrations.add',
  /* sql */ `
  insert into document_migrations (organization_key, migration_id, document_id, new_document_id, actor, lease_until)
  select organization_key, gen_random_uuid(), $2, $3, $4::jsonb, clock_timestamp() + ${LEASE}
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

/** What stands under the two ids. `$4` is the migration that asks, null on a dry run. No row: no such organization. */
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

/** A migration that is not finished, held until the transaction ends. */
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
     set status = 'in_progress', started_at = clock_timestamp(), lease_until = clock_timestamp() + ${LEASE}
   where organization_key = $1 and migration_id = $2`,
)

/**
 * Tells which grants on the target `$3`, and which on the source `$2` of the same users, have expired, where no sweep has:
 * not all of them survive. What else is on the source stays as it is, however much. By `ctid`, which cannot change under
 * the lock, and behind a fence: the index of what is due is no way to two documents.
 */
export const EXPIRE_GRANTS = statement<never>(
  'migrations.expire-grants',
  /* sql */ `
  with clock as materialized (select coalesce($now, clock_timestamp()) as now),
  absorbed as materialized (
    select ctid, resource_key, user_id, expires_at, expiry_event_at from grants
     where organization_key = $1 and resource_key = $3
  ),
  met as (
    select ctid, resource_key, expires_at, expiry_event_at from absorbed
     union all
    select g.* from absorbed a
     cross join lateral (
        select ctid, resource_key, expires_at, expiry_event_at from grants
         where organization_key = $1 and resource_key = $2 and user_id = a.user_id limit 1
     ) g
  ),
  due as materialized (
    select met.ctid, r.id as resource_id from met
     cross join lateral (select id from resources where organization_key = $1 and resource_key = met.resource_key limit 1) r
     where met.expires_at <= (select now from clock) and met.expiry_event_at is null
  ),
  expired as (
    update grants g set expiry_event_at = (select now from clock) from due where g.ctid = due.ctid
    returning g.*, due.resource_id
  ),
  event as (${expiryEvents('expired', { position: 'expires_at' })}),
  ${RECORD_EVENTS}
  select null where false`,
)

/** Copies the grants of a declared target to the source; where both have one the source's stays unless it had expired before `EXPIRE_GRANTS` (rules/resources.md#cutover). */
export const ABSORB_GRANTS = statement<never>(
  'migrations.absorb-grants',
  /* sql */ `
  insert into grants (organization_key, resource_key, user_id, kind, role, expires_at, expiry_event_at, expiring_at)
  select organization_key, $2, user_id, kind, role, expires_at, expiry_event_at, expiring_at
    from grants where organization_key = $1 and resource_key = $3
   order by user_id
  on conflict (organization_key, resource_key, user_id) do update
     set role = excluded.role, expires_at = excluded.expires_at, expiry_event_at = excluded.expiry_event_at,
         expiring_at = excluded.expiring_at
   where grants.expires_at <= coalesce($now, clock_timestamp()) and grants.expiry_event_at is not null`,
)

/** Old ids that led to the absorbed target lead to the source. */
export const ABSORB_ALIASES = statement<never>(
  'migrations.absorb-aliases',
  'update document_aliases set resource_key = $2 where organization_key = $1 and resource_key = $3',
)

export const DELETE_ABSORBED = statement<never>(
  'migrations.delete-absorbed',
  'delete from resources where organization_key = $1 and resource_key = $2',
)

/** The cutover: one row gets another id, the old id becomes an alias, and an alias of the new id is released. */
export const RENAME_DOCUMENT = statement<never>(
  'migrations.rename',
  /* sql */ `
  with released as (delete from document_aliases where organization_key = $1 and document_id = $4),
  renamed as (update resources set id = $4 where organization_key = $1 and resource_key = $2)
  insert into document_aliases (organization_key, document_id, resource_key) values ($1, $3, $2)
  on conflict (organization_key, document_id) do update set resource_key = excluded.resource_key`,
)

/** `$3`: the reason of the failure, or null when it is completed. */
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

/** Migrations that nobody works on: their lease is over. They get a new lease and go to the caller; each to one of several processes. */
export const TAKE_ABANDONED = statement<{ organizationKey: OrganizationKey; migrationId: string }>(
  'migrations.take-abandoned',
  /* sql */ `
  update document_migrations m set lease_until = clock_timestamp() + ${LEASE}
    from (select organization_key, migration_id from document_migrations
           where finished_at is null and lease_until < clock_timestamp()
           order by lease_until limit 100 for update skip locked) lost
   where m.organization_key = lost.organization_key and m.migration_id = lost.migration_id
  returning m.organization_key as "organizationKey", m.migration_id as "migrationId"`,
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

/** `position` is `createdAt` to the microsecond: with the id it says where in the list a migration stands. */
export type ListedMigrationRow = MigrationRow & { migrationId: string; position: string }

/** A page of an organization's migrations, the newest first: at most `$4` that stand after position `$2`, id `$3`. */
const page = (where: string) => /* sql */ `
  select migration_id as "migrationId", created_at::text as position, ${RECORD} from document_migrations
   where organization_key = $1 and ${where} and (created_at, migration_id) < ($2::timestamptz, $3::uuid)
   order by created_at desc, migration_id desc limit $4::int`

export const LIST_MIGRATIONS = statement<ListedMigrationRow>('migrations.list', page('true'))

/** Those with status `$5`. */
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
