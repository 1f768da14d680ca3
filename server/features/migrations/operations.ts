/** Starting migrations and asking for their state; the work itself is in `job.ts` (decisions E). */

import type { getMigrationStatus, Migration, migrateDocument } from '#contract/migrations.ts'
import type { DataOf, ResultOf } from '#contract/operation.ts'
import type { Db } from '#platform/db/db.ts'
import type { Jobs } from '#platform/jobs.ts'
import type { Log } from '#platform/log.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/caller.ts'
import { organizationKey } from '#tenancy/keys.ts'
import { organizationDoesNotExist } from '#tenancy/refusals.ts'
import { type Failure, failureOf, MIGRATIONS_QUEUE, type MigrationJob, runMigration } from './job.ts'
import { ADD_MIGRATION, GET_MIGRATION, JUDGE, type MigrationRow, TAKE_ABANDONED } from './statements.ts'

const SWEEP_INTERVAL_MS = 2_000

export interface MigrationsDeps {
  db: Db
  jobs: Jobs
  log: Log
}

export type Migrations = Awaited<ReturnType<typeof startMigrations>>

/** Takes up the queue and starts the sweep that finds what a dead worker left behind. */
export async function startMigrations({ db, jobs, log }: MigrationsDeps) {
  await jobs.work(MIGRATIONS_QUEUE, (job) => runMigration(db, job))

  async function sweep(): Promise<void> {
    const found = await db.transaction(async (session) => {
      const abandoned = await session.run(TAKE_ABANDONED)
      for (const job of abandoned) await jobs.enqueue(session, MIGRATIONS_QUEUE, job as MigrationJob, job.migrationId)
      return abandoned.length
    })
    if (found > 0) jobs.wake(MIGRATIONS_QUEUE)
  }

  const tick = () =>
    sweep().catch((err: unknown) => log.warn({ err }, 'the sweep of migrations failed; it runs again shortly'))
  await tick()
  const timer = setInterval(() => void tick(), SWEEP_INTERVAL_MS)

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
      const migrationId = await db.transaction(async (session) => {
        const [added] = await session.run(ADD_MIGRATION, [key, documentId, newDocumentId, JSON.stringify(caller.actor)])
        if (added === undefined) throw organizationDoesNotExist()
        const job = { organizationKey: key, migrationId: added.migrationId }
        await jobs.enqueue(session, MIGRATIONS_QUEUE, job, job.migrationId)
        return added.migrationId
      })
      jobs.wake(MIGRATIONS_QUEUE)
      return { migrationId }
    },

    async get(caller: Caller, { organizationId, migrationId }: DataOf<typeof getMigrationStatus>): Promise<Migration> {
      const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(migrationId)
      const [row] = isUuid ? await db.run(GET_MIGRATION, [organizationKey(caller, organizationId), migrationId]) : []
      if (row === undefined)
        throw new StatusError('NOT_FOUND', 'migration_does_not_exist', 'The organization has no such migration.')
      return migrationOf(migrationId, row)
    },

    stop: () => clearInterval(timer),
  }
}

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
