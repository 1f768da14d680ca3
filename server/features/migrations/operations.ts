/** Starts migrations and reports their state; `job.ts` carries them out (rules/resources.md#migrations). */
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { getMigrationStatus, listMigrations, Migration, migrateDocument } from '#contract/resources/migrations.ts'
import { startWorker, type WorkerDeps } from '#platform/jobs/worker.ts'
import type { Paged, PageTokens } from '#platform/secrets/page-token.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { isUuid, organizationKey } from '#tenancy/callers/keys.ts'
import { requireOrganization } from '#tenancy/existence.ts'
import { organizationDoesNotExist } from '#tenancy/refusals.ts'
import { changeOrganization } from '#tenancy/writes/organization.ts'
import { type Failure, failureOf, runMigration } from './job.ts'
import {
  ADD_MIGRATION,
  GET_MIGRATION,
  JUDGE,
  LIST_DOCUMENT_MIGRATIONS,
  LIST_MIGRATIONS,
  LIST_STATUS_MIGRATIONS,
  type ListedMigrationRow,
  MIGRATION_JOBS,
  type MigrationRow,
} from './statements.ts'

export type MigrationsDeps = WorkerDeps & { pageTokens: PageTokens }

/** Starts the worker that carries out migrations. */
export function startMigrations(deps: MigrationsDeps) {
  const { db, pageTokens } = deps
  const worker = startWorker(deps, MIGRATION_JOBS, (job) => runMigration(db, job))

  return {
    async migrate(caller: Caller, data: DataOf<typeof migrateDocument>): Promise<ResultOf<typeof migrateDocument>> {
      const { organizationId, documentId, newDocumentId, dryRun = false } = data
      if (documentId === newDocumentId)
        throw invalidArgument([{ field: 'newDocumentId', message: 'newDocumentId must not be equal to documentId' }])
      const key = organizationKey(caller, organizationId)
      if (dryRun) {
        const [judgement] = await db.run(JUDGE, [key, documentId, newDocumentId, null])
        if (judgement === undefined) throw organizationDoesNotExist()
        const failure = failureOf(judgement)
        return failure === null ? { wouldSucceed: true } : { wouldSucceed: false, error: explain(failure) }
      }
      const migrationId = await changeOrganization(db, caller, key, async (session) => {
        const [added] = await session.run(ADD_MIGRATION, [key, documentId, newDocumentId, JSON.stringify(caller.actor)])
        if (added === undefined) throw organizationDoesNotExist()
        return added.migrationId
      })
      worker.wake()
      return { migrationId }
    },

    async get(caller: Caller, { organizationId, migrationId }: DataOf<typeof getMigrationStatus>): Promise<Migration> {
      const [row] = isUuid(migrationId)
        ? await db.run(GET_MIGRATION, [organizationKey(caller, organizationId), migrationId])
        : []
      if (row === undefined)
        throw new StatusError('NOT_FOUND', 'migration_does_not_exist', 'The organization has no such migration.')
      return migrationOf(migrationId, row)
    },

    async list(caller: Caller, data: DataOf<typeof listMigrations>): Promise<Paged<ResultOf<typeof listMigrations>>> {
      const { organizationId, documentId, status, pageSize = LIMITS.pageSizeMax, pageToken } = data
      const key = organizationKey(caller, organizationId)
      const scope = ['migrations.list', caller.apiKeyId, organizationId, documentId ?? null, status ?? null]
      const place = pageTokens.decode(scope, pageToken)?.split('/') ?? BEFORE_ALL
      await requireOrganization(db, key)
      const bounds = [key, ...place, pageSize + 1]
      const rows = await (documentId !== undefined
        ? db.run(LIST_DOCUMENT_MIGRATIONS, [...bounds, documentId, status ?? null])
        : status !== undefined
          ? db.run(LIST_STATUS_MIGRATIONS, [...bounds, status])
          : db.run(LIST_MIGRATIONS, bounds))
      const { page, next } = pageTokens.cut(scope, rows, pageSize, placeOf)
      return { data: { migrations: page.map((row) => migrationOf(row.migrationId, row)) }, ...next }
    },

    worker,
  }
}

/** The start of the list: the newest migration is below this time and id. */
const BEFORE_ALL = ['infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff']

const placeOf = ({ position, migrationId }: ListedMigrationRow) => `${position}/${migrationId}`

const PERCENT = { pending: 0, in_progress: 50, completed: 100, failed: 0 } as const

const EXPLANATIONS: Record<Failure, string> = {
  document_does_not_exist: 'The document does not exist.',
  new_document_already_exists: 'A document with the new id already exists.',
  migration_in_progress: 'Another migration of one of the two ids is in progress.',
}

const explain = (reason: Failure) => ({ reason, message: EXPLANATIONS[reason] })

const migrationOf = (migrationId: string, row: MigrationRow): Migration => ({
  migrationId,
  status: row.status,
  documentId: row.documentId,
  newDocumentId: row.newDocumentId,
  createdAt: row.createdAt.getTime(),
  startedAt: row.startedAt?.getTime() ?? null,
  finishedAt: row.finishedAt?.getTime() ?? null,
  percent: PERCENT[row.status],
  ...(row.failureReason === null ? {} : { error: explain(row.failureReason) }),
})
