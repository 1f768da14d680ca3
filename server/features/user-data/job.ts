/**
 * Erases users. Goes through the organizations in id order, one batch in a transaction, and records its progress with each
 * batch: killed at any point it continues from there, and nothing is done twice (rules/resources.md#erasure).
 */
import { hash } from 'node:crypto'
import type { ApiKeyId } from '#contract/ids.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { JobResult } from '#platform/worker.ts'
import { streamKey } from '#tenancy/callers/keys.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { lockOrganizations } from '#tenancy/writes/organization.ts'
import {
  type DeletionJob,
  type DeletionRow,
  FINISH_DELETION,
  LOCK_DELETION,
  PASS_ORGANIZATIONS,
  RENEW_LEASE,
} from './deletion-statements.ts'
import {
  DELETE_DISABLED_USERS,
  DELETE_MAILS,
  DELETE_PROFILES,
  ERASE_EVENTS,
  FIND_KNOWING,
  FIND_NAMED_KNOWING,
  type KnowingRow,
  REMOVE_USERS,
  ROWS_MAX,
} from './erasure-statements.ts'

/** A job does not wait longer for an organization: other callers have jobs too, and this one is tried again. */
const LOCK_TIMEOUT_MS = 1_000

/** After this time a job goes back to the end of the queue. */
const TURN_MS = 10_000

/** The most pairs of user and organization that a batch probes, organizations that it passes, and organizations that it locks. */
const PAIRS_MAX = 10_000
const ORGANIZATIONS_MAX = 500
const LOCKED_MAX = 100

export async function runDeletion(db: Db, job: DeletionJob): Promise<JobResult> {
  const turnEnds = performance.now() + TURN_MS
  while (await eraseBatch(db, job)) if (performance.now() >= turnEnds) return 'again'
  return 'done'
}

/** One transaction of the job; returns whether there is more to do. */
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

/** The first organizations, as many as one transaction should change; at least one. */
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

/** Returns whether everything in the batch is erased; the next transaction continues with the rest. */
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

/** Erases the data outside organizations, unless the job names organizations. Returns whether all of it is erased. */
async function eraseProfiles(
  session: Session,
  { apiKeyId, jobId }: DeletionJob,
  { userIds, organizationIds, salt, actor, workspaceId }: DeletionRow,
): Promise<boolean> {
  if (organizationIds !== null) return true
  const users = userIds.map((userId) => ({ userId, pseudonym: pseudonymOf(salt, userId) }))
  const rows = userIds.map((userId) => ({ apiKeyId, userId }))
  const profiles = new Set((await session.runSet(DELETE_PROFILES, rows)).map(({ userId }) => userId))
  const disabled = new Set((await session.runSet(DELETE_DISABLED_USERS, rows)).map(({ userId }) => userId))
  const forgotten = [...profiles.union(disabled)]
  await session.run(DELETE_MAILS, [apiKeyId, userIds, null])
  const stream = streamKey('api key', apiKeyId)
  const done = await eraseEvents(
    session,
    users.map((user) => ({ stream, ...user })),
  )
  if (forgotten.length > 0)
    await recordStreamEvents(
      session,
      forgotten.map((userId) => ({
        type: 'user.removed',
        workspaceId,
        apiKeyId,
        userId: pseudonymOf(salt, userId),
        actor,
        before: { ...(profiles.has(userId) && { profiles: 1 }), ...(disabled.has(userId) && { disabled: true }) },
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

/** The same for a user in all events of one job. When the job is finished its salt is deleted, and nothing leads back to the user. */
const pseudonymOf = (salt: string, userId: string): string =>
  `erased:${hash('sha256', `${salt}\0${userId}`).slice(0, 32)}`
