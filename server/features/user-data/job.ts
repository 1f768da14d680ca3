/** Erases users: removes them from their organizations and the events there, then deletes their profiles (rules/resources.md#erasure). */

import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { eraseFromThreads } from '#features/comments/shared.ts'
import { forgetAnswers } from '#features/idempotency-keys/shared.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { JobResult } from '#platform/jobs/worker.ts'
import { streamKey } from '#tenancy/callers/keys.ts'
import { DELETE_DISABLED_USERS } from '#tenancy/disabled-users.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { ERASED, inviteeOf } from '#tenancy/principals.ts'
import { type LockedUser, runUserJob, type UserJobWork } from '#tenancy/user-jobs/job.ts'
import { ROWS_MAX, type UserJob } from '#tenancy/user-jobs/statements.ts'
import {
  BEGIN_PASS,
  DELETION_JOBS,
  type DeletionRow,
  FINISH_DELETION,
  LOCK_DELETION,
  REPEAT_PASS,
  SET_HORIZON,
} from './deletion-statements.ts'
import {
  DELETE_MAILS,
  DELETE_PROFILES,
  ERASE_ACTIVITIES,
  ERASE_ACTORS,
  ERASE_EVENTS,
  FIND_ACCEPTED_ADDRESSES,
  FIND_KNOWING,
  FIND_NAMED_KNOWING,
  FORGET_INVITERS,
  REMOVE_USERS,
} from './erasure-statements.ts'
import { ERASE_ACTED_NOTIFICATIONS, FORGET_IN_NOTIFICATIONS } from './notification-statements.ts'

const ERASURE: UserJobWork<DeletionRow> = {
  jobs: DELETION_JOBS,
  lock: LOCK_DELETION,
  finish: FINISH_DELETION,
  next(session, { apiKeyId }, { userIds, organizationIds, passedOrganizationId }, count) {
    const next = [apiKeyId, passedOrganizationId, userIds, count]
    return organizationIds === null
      ? session.run(FIND_KNOWING, next)
      : session.run(FIND_NAMED_KNOWING, [...next, organizationIds])
  },
  change: eraseInOrganizations,
  conclude: (session, job, row) => (row.isSettled ? eraseProfiles(session, job, row) : repeatPass(session, job)),
}

/** The first pass waits only this long for transactions that had begun before the job. The next pass finds the rows that they store. */
const SETTLING_TRIES = 20
const SETTLING_MS = 25

/** Works on an erasure for one turn. */
export async function runDeletion(db: Db, { apiKeyId, jobId }: UserJob): Promise<JobResult> {
  await db.run(SET_HORIZON, [apiKeyId, jobId])
  for (let tries = 1; ; tries++) {
    const [pass] = await db.run(BEGIN_PASS, [apiKeyId, jobId])
    if (pass === undefined || pass.isSettled) break
    if (tries === SETTLING_TRIES && pass.isFirst) break
    if (tries === SETTLING_TRIES) return 'later'
    await sleep(SETTLING_MS)
  }
  return runUserJob(db, { apiKeyId, jobId }, ERASURE)
}

/** Goes back to the first organization: a transaction that had begun before the job may have stored something behind it. */
async function repeatPass(session: Session, { apiKeyId, jobId }: UserJob): Promise<'again'> {
  await session.run(REPEAT_PASS, [apiKeyId, jobId])
  return 'again'
}

async function eraseInOrganizations(
  session: Session,
  { apiKeyId, jobId }: UserJob,
  { salt, actor }: DeletionRow,
  locked: readonly LockedUser[],
): Promise<boolean> {
  const users = locked.map((user) => ({ ...user, pseudonym: pseudonymOf(salt, user.userId), jobId, actor }))
  if (!(await eraseAcceptedInvitations(session, apiKeyId, users))) return false
  // With a comment its notifications are deleted, and with each all recipients: these go first, portion by portion.
  const [acted] = await session.runSet(ERASE_ACTED_NOTIFICATIONS, users)
  if (acted?.hasMore) return false
  if (!(await eraseFromThreads(session, users))) return false
  const [activities] = await session.runSet(ERASE_ACTIVITIES, users)
  if (activities?.erased === ROWS_MAX) return false
  await session.runSet(FORGET_INVITERS, users)
  const [notified] = await session.runSet(FORGET_IN_NOTIFICATIONS, users)
  if (notified?.hasMore) return false
  await session.runSet(REMOVE_USERS, users)
  const streams = [...new Set(users.map(({ organizationKey }) => organizationKey))]
  await session.run(DELETE_MAILS, [apiKeyId, [...new Set(users.map(({ userId }) => userId))], streams])
  return eraseEvents(
    session,
    users.map(({ organizationKey, userId, pseudonym }) => ({ stream: organizationKey, userId, pseudonym })),
  )
}

/**
 * Erases the events and mails that name users by the addresses of invitations that they accepted. Returns whether all
 * of them are erased.
 */
async function eraseAcceptedInvitations(
  session: Session,
  apiKeyId: string,
  users: readonly (LockedUser & { pseudonym: string })[],
): Promise<boolean> {
  const pseudonyms = new Map(users.map(({ userId, pseudonym }) => [userId, pseudonym]))
  const addresses = await session.runSet(FIND_ACCEPTED_ADDRESSES, users)
  if (addresses.length === 0) return true
  const streams = [...new Set(addresses.map(({ organizationKey }) => organizationKey))]
  await session.run(DELETE_MAILS, [apiKeyId, addresses.map(({ address }) => inviteeOf(address)), streams])
  return eraseEvents(
    session,
    addresses.map(({ organizationKey, userId, address }) => ({
      stream: organizationKey,
      userId: inviteeOf(address),
      pseudonym: pseudonyms.get(userId) ?? '',
    })),
  )
}

/** Erases the data outside organizations, unless the job names organizations. Returns whether all of it is erased. */
async function eraseProfiles(
  session: Session,
  { apiKeyId, jobId }: UserJob,
  { userIds, organizationIds, salt, actor, workspaceId }: DeletionRow,
): Promise<boolean> {
  if (organizationIds !== null) return true
  const users = userIds.map((userId) => ({ userId, pseudonym: pseudonymOf(salt, userId) }))
  const rows = userIds.map((userId) => ({ apiKeyId, userId }))
  const profiles = new Set((await session.runSet(DELETE_PROFILES, rows)).map(({ userId }) => userId))
  const disabled = new Set((await session.runSet(DELETE_DISABLED_USERS, rows)).map(({ userId }) => userId))
  const forgotten = [...profiles.union(disabled)]
  await session.run(DELETE_MAILS, [apiKeyId, userIds, null])
  await forgetAnswers(session, apiKeyId, userIds)
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
  const [events] = await session.runSet(ERASE_EVENTS, rows)
  if (events?.erased === ROWS_MAX) return false
  const [actors] = await session.runSet(ERASE_ACTORS, rows)
  return actors?.erased !== ROWS_MAX
}

/** The same for a user in all events of one job. When the job is finished its salt is deleted, and nothing leads back to the user. */
const pseudonymOf = (salt: string, userId: string): string =>
  `${ERASED}${hash('sha256', `${salt}\0${userId}`).slice(0, 32)}`
