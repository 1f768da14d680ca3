/**
 * The job that erases users. It goes through the organizations in id order, a batch in a transaction, and notes with
 * each batch how far it is: killed at any point it goes on from there, and what it did is not done twice (rules/resources.md#erasure).
 */
import { hash } from 'node:crypto'
import type { ApiKeyId } from '#contract/ids.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { Jobs, Queue } from '#platform/jobs.ts'
import { streamKey } from '#tenancy/callers/keys.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { lockOrganizations } from '#tenancy/writes/organization.ts'
import {
  DELETE_MAILS,
  DELETE_PROFILES,
  type DeletionRow,
  ERASE_EVENTS,
  FIND_KNOWING,
  FIND_NAMED_KNOWING,
  FINISH_DELETION,
  type KnowingRow,
  LOCK_DELETION,
  PASS_ORGANIZATIONS,
  REMOVE_USERS,
  RENEW_LEASE,
  ROWS_MAX,
} from './statements.ts'

export interface DeletionJob {
  apiKeyId: ApiKeyId
  jobId: string
}

export const DELETIONS_QUEUE: Queue<DeletionJob> = { name: 'user-data-deletions' }

/** A worker does not wait longer for an organization: others have jobs too, and the queue comes back to this one. */
const LOCK_TIMEOUT_MS = 1_000

/** After this time a job goes back to the queue, behind those that wait. */
const TURN_MS = 10_000

/** A batch looks for so many pairs of user and organization, goes through so many organizations, and locks so many of them. */
const PAIRS_MAX = 10_000
const ORGANIZATIONS_MAX = 500
const LOCKED_MAX = 100

export async function runDeletion(db: Db, jobs: Jobs, job: DeletionJob): Promise<void> {
  const turnEnds = performance.now() + TURN_MS
  while (await eraseBatch(db, job)) {
    if (performance.now() < turnEnds) continue
    await jobs.enqueue(db, DELETIONS_QUEUE, job, job.jobId)
    jobs.wake(DELETIONS_QUEUE)
    return
  }
}

/** One transaction of the job; answers whether there is more to do. */
function eraseBatch(db: Db, job: DeletionJob): Promise<boolean> {
  const { apiKeyId, jobId } = job
  const work = async (session: Session) => {
    const [deletion] = await session.run(LOCK_DELETION, [apiKeyId, jobId])
    if (deletion === undefined) return false
    const batch = batchOf(await nextOrganizations(session, apiKeyId, deletion))
    const last = batch.at(-1)
    const done = await (last === undefined
      ? eraseProfiles(session, job, deletion)
      : eraseOrganizations(session, job, deletion, batch))
    if (!done) await session.run(RENEW_LEASE, [apiKeyId, jobId])
    else if (last === undefined) await session.run(FINISH_DELETION, [apiKeyId, jobId])
    else await session.run(PASS_ORGANIZATIONS, [apiKeyId, jobId, last.organizationId, batch.length])
    return !done || last !== undefined
  }
  return db.transaction(work, { lockTimeoutMs: LOCK_TIMEOUT_MS })
}

function nextOrganizations(session: Session, apiKeyId: ApiKeyId, deletion: DeletionRow): Promise<KnowingRow[]> {
  const { userIds, organizationIds, passedOrganizationId } = deletion
  const count = Math.min(ORGANIZATIONS_MAX, Math.floor(PAIRS_MAX / userIds.length))
  const next = [apiKeyId, passedOrganizationId, userIds, count]
  return organizationIds === null
    ? session.run(FIND_KNOWING, next)
    : session.run(FIND_NAMED_KNOWING, [...next, organizationIds])
}

/** As many organizations from the first as one transaction should change; at least one. */
function batchOf(organizations: readonly KnowingRow[]): KnowingRow[] {
  let locked = 0
  let rows = 0
  const end = organizations.findIndex((organization, index) => {
    locked += organization.userIds.length > 0 ? 1 : 0
    rows += organization.rows
    return index > 0 && (locked > LOCKED_MAX || rows > ROWS_MAX)
  })
  return end === -1 ? [...organizations] : organizations.slice(0, end)
}

/** Answers whether all of it is erased; what is left is for the next transaction. */
async function eraseOrganizations(
  session: Session,
  { apiKeyId, jobId }: DeletionJob,
  { salt, actor }: DeletionRow,
  batch: readonly KnowingRow[],
): Promise<boolean> {
  const known = batch.flatMap(({ organizationKey, organizationId, userIds }) =>
    userIds.map((userId) => ({
      organizationKey,
      organizationId,
      apiKeyId,
      createOrganization: false,
      userId,
      pseudonym: pseudonymOf(salt, userId),
      jobId,
      actor,
    })),
  )
  if (known.length === 0) return true
  const locked = await lockOrganizations(session, known)
  await session.runSet(REMOVE_USERS, locked)
  const streams = [...new Set(locked.map(({ organizationKey }) => organizationKey))]
  await session.run(DELETE_MAILS, [apiKeyId, [...new Set(locked.map(({ userId }) => userId))], streams])
  return eraseEvents(
    session,
    locked.map(({ organizationKey, userId, pseudonym }) => ({ stream: organizationKey, userId, pseudonym })),
  )
}

/** What is held outside organizations, unless the job is about certain organizations. Answers whether all of it is erased. */
async function eraseProfiles(
  session: Session,
  { apiKeyId, jobId }: DeletionJob,
  { userIds, organizationIds, salt, actor, workspaceId }: DeletionRow,
): Promise<boolean> {
  if (organizationIds !== null) return true
  const users = userIds.map((userId) => ({ userId, pseudonym: pseudonymOf(salt, userId) }))
  const deleted = await session.runSet(
    DELETE_PROFILES,
    userIds.map((userId) => ({ apiKeyId, userId })),
  )
  await session.run(DELETE_MAILS, [apiKeyId, userIds, null])
  const stream = streamKey('api key', apiKeyId)
  const done = await eraseEvents(
    session,
    users.map((user) => ({ stream, ...user })),
  )
  if (deleted.length > 0)
    await recordStreamEvents(
      session,
      deleted.map(({ userId }) => ({
        type: 'user.removed',
        workspaceId,
        apiKeyId,
        userId: pseudonymOf(salt, userId),
        actor,
        before: { profiles: 1 },
        after: { jobId },
      })),
    )
  return done
}

async function eraseEvents(
  session: Session,
  rows: readonly { stream: string; userId: string; pseudonym: string }[],
): Promise<boolean> {
  const [answer] = await session.runSet(ERASE_EVENTS, rows)
  return (answer?.erased ?? 0) < ROWS_MAX
}

/** Stands for one user in all events of one job. When the job is finished its salt is gone, and nothing leads back. */
const pseudonymOf = (salt: string, userId: string): string =>
  `erased:${hash('sha256', `${salt}\0${userId}`).slice(0, 32)}`
