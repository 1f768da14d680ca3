/**
 * Carries out a migration. If the process dies at any point, either the old state or the new one remains; the next run
 * continues from there, or finds the migration finished and does nothing (rules/resources.md#cutover,
 * rules/resources.md#migration-jobs).
 */
import type { MIGRATION_FAILURES } from '#contract/resources/migrations.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { JobResult } from '#platform/jobs/worker.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { lockOrganization } from '#tenancy/writes/organization.ts'
import {
  ABSORB_ACTIVITIES,
  ABSORB_ALIASES,
  ABSORB_GRANTS,
  ABSORB_INVITATIONS,
  ABSORB_NOTIFICATIONS,
  ABSORB_PREFERENCES,
  DELETE_ABSORBED,
  EXPIRE_GRANTS,
  RENAME_DOCUMENT,
} from './cutover-statements.ts'
import {
  FINISH_MIGRATION,
  JUDGE,
  type Judgement,
  LOCK_MIGRATION,
  type MigrationJob,
  RECORD_MIGRATION_EVENT,
  START_MIGRATION,
  type UnfinishedRow,
} from './statements.ts'

/**
 * The longest wait of a job for an organization: other organizations have migrations too, and this job is tried again.
 */
const LOCK_TIMEOUT_MS = 1_000

export type Failure = (typeof MIGRATION_FAILURES)[number]

/** Returns why the migration cannot be carried out, or null when it can. */
export function failureOf({ sourceKey, targetAdded, busy }: Judgement): Failure | null {
  if (busy) return 'migration_in_progress'
  if (sourceKey === null) return 'document_does_not_exist'
  return targetAdded ? 'new_document_already_exists' : null
}

/**
 * Marks the migration as started, so that another migration of the same ids fails instead of waiting. Then cuts over.
 */
export async function runMigration(db: Db, job: MigrationJob): Promise<JobResult> {
  await underLock(db, job, async (session, migration, judgement) => {
    if (migration.status === 'in_progress') return // started by a worker that died
    const failure = failureOf(judgement)
    if (failure !== null) return finish(session, job, migration, failure)
    await session.run(START_MIGRATION, [job.organizationKey, job.migrationId])
    await record(session, job, 'started', migration.documentId, migration.actor, null, {
      newDocumentId: migration.newDocumentId,
    })
  })
  await underLock(db, job, async (session, migration, judgement) => {
    const failure = failureOf(judgement)
    if (failure === null) await cutOver(session, job, migration, judgement)
    await finish(session, job, migration, failure)
  })
  return 'done'
}

/** Runs `step` on an unfinished migration, in a transaction that locks its organization. */
function underLock(
  db: Db,
  { organizationKey, migrationId }: MigrationJob,
  step: (session: Session, migration: UnfinishedRow, judgement: Judgement) => Promise<void>,
): Promise<void> {
  const work = async (session: Session) => {
    await lockOrganization(session, organizationKey)
    const [migration] = await session.run(LOCK_MIGRATION, [organizationKey, migrationId])
    if (migration === undefined) return
    const { documentId, newDocumentId } = migration
    const [judgement] = await session.run(JUDGE, [organizationKey, documentId, newDocumentId, migrationId])
    if (judgement !== undefined) await step(session, migration, judgement)
  }
  return db.transaction(work, { lockTimeoutMs: LOCK_TIMEOUT_MS })
}

async function cutOver(
  session: Session,
  { organizationKey }: MigrationJob,
  migration: UnfinishedRow,
  { sourceKey, targetKey }: Judgement,
): Promise<void> {
  if (targetKey !== null) {
    await session.run(EXPIRE_GRANTS, [organizationKey, sourceKey, targetKey])
    await session.run(ABSORB_GRANTS, [organizationKey, sourceKey, targetKey])
    await session.run(ABSORB_ALIASES, [organizationKey, sourceKey, targetKey])
    await session.run(ABSORB_INVITATIONS, [organizationKey, sourceKey, targetKey])
    for (const absorb of [ABSORB_ACTIVITIES, ABSORB_NOTIFICATIONS, ABSORB_PREFERENCES])
      await session.run(absorb, [organizationKey, sourceKey, targetKey])
    await session.run(DELETE_ABSORBED, [organizationKey, targetKey])
  }
  await session.run(RENAME_DOCUMENT, [organizationKey, sourceKey, migration.documentId, migration.newDocumentId])
}

async function finish(
  session: Session,
  job: MigrationJob,
  { documentId, newDocumentId, actor }: UnfinishedRow,
  failure: Failure | null,
): Promise<void> {
  await session.run(FINISH_MIGRATION, [job.organizationKey, job.migrationId, failure])
  if (failure === null)
    await record(session, job, 'completed', newDocumentId, actor, { documentId }, { documentId: newDocumentId })
  else await record(session, job, 'failed', documentId, actor, null, { newDocumentId, reason: failure })
}

async function record(
  session: Session,
  { organizationKey, migrationId }: MigrationJob,
  what: string,
  documentId: string,
  actor: Actor,
  before: object | null,
  after: object,
): Promise<void> {
  const event = {
    organizationKey,
    type: `document.migration.${what}`,
    documentId,
    actor,
    before,
    after: { migrationId, ...after },
  }
  await session.runSet(RECORD_MIGRATION_EVENT, [event])
}
