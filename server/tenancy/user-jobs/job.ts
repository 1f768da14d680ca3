/**
 * Carries out durable jobs about users of an API key. A job goes through the organizations in id order, one batch in a
 * transaction, and records its progress with each batch. If the process dies, another continues from there, and nothing is done
 * twice (ADR 0010, ADR 0029).
 */
import type { Db, Session } from '#platform/db/db.ts'
import type { Statement } from '#platform/db/statement.ts'
import type { JobResult } from '#platform/jobs/worker.ts'
import type { Caller } from '../callers/caller.ts'
import { lockOrganizations, type OrganizationRow } from '../writes/organization.ts'
import {
  COUNT_ORGANIZATIONS,
  type KnowingRow,
  type ProgressRow,
  ROWS_MAX,
  type UserJob,
  type UserJobRow,
  type UserJobs,
} from './statements.ts'

/** A job does not wait longer for an organization: other callers have jobs too, and this one is tried again. */
const LOCK_TIMEOUT_MS = 1_000

/** After this time a job goes back to the end of the queue. */
const TURN_MS = 10_000

/** The most pairs of user and organization that a batch probes, organizations that it passes, and organizations that it locks. */
const PAIRS_MAX = 10_000
const ORGANIZATIONS_MAX = 500
const LOCKED_MAX = 100

/** The work of a kind of job. */
export interface UserJobWork<Row extends UserJobRow> {
  jobs: UserJobs
  /** Locks an unfinished job until the transaction ends: of two workers one waits, and continues after the other. */
  lock: Statement<Row>
  finish: Statement<never>
  /** Returns the next organizations after the last one that is passed, at most `count`, with the users that they know. */
  next(session: Session, job: UserJob, row: Row, count: number): Promise<KnowingRow[]>
  /** Changes the locked organizations. Returns whether everything is done; the next transaction continues with the rest. */
  change(session: Session, job: UserJob, row: Row, locked: readonly LockedUser[]): Promise<boolean>
  /** Does the remaining work after the last organization. Returns whether everything is done; `again`: the rest follows in another turn. */
  conclude(session: Session, job: UserJob, row: Row): Promise<boolean | 'again'>
}

/** A user in an organization that knows the user. */
export interface LockedUser extends OrganizationRow {
  userId: string
}

/** Works on a job for one turn. */
export async function runUserJob<Row extends UserJobRow>(
  db: Db,
  job: UserJob,
  work: UserJobWork<Row>,
): Promise<JobResult> {
  const turnEnds = performance.now() + TURN_MS
  for (;;) {
    const hasMore = await runBatch(db, job, work)
    if (hasMore === false) return 'done'
    if (hasMore === 'again' || performance.now() >= turnEnds) return 'again'
  }
}

/** One transaction of the job; returns whether there is more to do. */
function runBatch<Row extends UserJobRow>(db: Db, job: UserJob, work: UserJobWork<Row>): Promise<boolean | 'again'> {
  const { apiKeyId, jobId } = job
  const { jobs, lock, finish } = work
  const transaction = async (session: Session) => {
    const [row] = await session.run(lock, [apiKeyId, jobId])
    if (row === undefined) return false
    const count = Math.min(ORGANIZATIONS_MAX, Math.floor(PAIRS_MAX / row.userIds.length))
    const batch = batchOf(await work.next(session, job, row, count))
    const last = batch.at(-1)
    const done = await (last === undefined
      ? work.conclude(session, job, row)
      : changeBatch(session, job, { row, batch, change: work.change }))
    if (done === 'again') return done
    if (!done) await session.run(jobs.extend, [apiKeyId, jobId])
    else if (last === undefined) await session.run(finish, [apiKeyId, jobId])
    else await session.run(jobs.pass, [apiKeyId, jobId, last.organizationId, batch.length])
    return !done || last !== undefined
  }
  return db.transaction(transaction, { lockTimeoutMs: LOCK_TIMEOUT_MS })
}

/** The first organizations, up to the number that one transaction should change; at least one. */
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

async function changeBatch<Row extends UserJobRow>(
  session: Session,
  job: UserJob,
  { row, batch, change }: { row: Row; batch: readonly KnowingRow[]; change: UserJobWork<Row>['change'] },
): Promise<boolean> {
  const known = batch.flatMap(({ organizationKey, organizationId, userIds }) =>
    userIds.map((userId): LockedUser => {
      return { organizationKey, organizationId, apiKeyId: job.apiKeyId, createOrganization: false, userId }
    }),
  )
  return known.length === 0 || change(session, job, row, await lockOrganizations(session, known))
}

export async function countOrganizations(session: Session, { apiKeyId }: Caller): Promise<number> {
  const [counted] = await session.run(COUNT_ORGANIZATIONS, [apiKeyId])
  return counted?.count ?? 0
}

/**
 * Organizations that are added or deleted meanwhile make the number of tasks inexact, but `tasksLeft` is 0 only when
 * everything is done.
 */
export function progressOf({ tasksCount, tasksDone, createdAt, lastTaskCompletedAt, finishedAt }: ProgressRow) {
  const tasksLeft = finishedAt === null ? Math.max(1, tasksCount - tasksDone) : 0
  return {
    status:
      finishedAt !== null
        ? ('completed' as const)
        : lastTaskCompletedAt === null
          ? ('pending' as const)
          : ('in_progress' as const),
    tasksCount,
    tasksLeft,
    percent: tasksCount === 0 ? 100 : Math.floor((100 * (tasksCount - tasksLeft)) / tasksCount),
    createdAt: createdAt.getTime(),
    finishedAt: finishedAt?.getTime() ?? null,
  }
}
