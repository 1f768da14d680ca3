/** Joins the rows of waiting requests into one statement: writes under the lock of their organizations, and reads. */

import type { OrganizationKey } from '#contract/core/ids.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { SetStatement } from '#platform/db/statement.ts'
import { Coalescer } from '#platform/queues/coalesce.ts'
import type { GivenRoles } from './commenter.ts'
import { changeUnderLock, type OrganizationRow, writeRounds, writeUnderLock } from './organization.ts'
import { BRIEF_LOCK_TIMEOUT_MS } from './turns.ts'

/** A second read begins beside the first if at least this number of rows waits: three quarters of a whole run (ADR 0077). */
const READS_BESIDE = 192

/** A row of a set statement that several requests share. `req` is the index of its request. */
export interface RequestRow {
  req: number
}

/**
 * Returns a coalescer that joins the rows of waiting requests into one `writeUnderLock`. Each request gets its own
 * rows. `change` is how the write is made, if not by the statement alone; `roundsOf` returns the rounds of a shared run
 * that needs nothing more (`writeRounds`). `rowsOf` returns how many rows a row counts for if it takes longer than
 * others, and `rowsBeside` is how many waiting rows start a second run beside the first.
 */
export function organizationWrites<Row extends OrganizationRow & GivenRoles, Result extends RequestRow>(
  db: Db,
  statement: SetStatement<Row & RequestRow, Result>,
  {
    idempotent,
    change,
    roundsOf,
    rowsOf = () => 1,
    rowsBeside,
  }: {
    idempotent: boolean
    change?: (session: Session, rows: readonly (Row & RequestRow)[]) => Promise<Result[]>
    roundsOf?: (rows: readonly (Row & RequestRow)[]) => (Row & RequestRow)[][] | undefined
    rowsOf?: (row: Row) => number
    rowsBeside?: number
  },
): Coalescer<Row[], Result[]> {
  return new Coalescer<Row[], Result[]>({
    name: statement.name,
    rows: (request) => request.reduce((rows, row) => rows + rowsOf(row), 0),
    ...(rowsBeside !== undefined && { rowsBeside }),
    lane: (request) => organizationKeysOf(request).sort().join(),
    locks: organizationKeysOf,
    mayRunBeside: () => db.pool.waiting === 0, // two runs may hold the connections that tenants leave to everybody
    idempotent,
    inCallerTransaction: () => db.ambient !== undefined,
    execute: async (requests, lockWait) => {
      const rows = requests.flatMap((request, req) => request.map((row) => ({ ...row, req })))
      const options = lockWait === 'brief' ? { lockTimeoutMs: BRIEF_LOCK_TIMEOUT_MS } : {}
      const rounds = lockWait === 'brief' ? roundsOf?.(rows) : undefined
      if (rounds !== undefined) return byRequest(requests.length, await writeRounds(db, statement, rounds, options))
      const written =
        change === undefined ? writeUnderLock(db, statement, rows, options) : changeUnderLock(db, rows, change, options)
      return byRequest(requests.length, await written)
    },
  })
}

/**
 * Returns a coalescer that joins the rows of waiting requests into one read. With `keyOf`, identical requests share one
 * row of the read and its result. All of them were waiting when it began, so no result is older than its call. `run` is
 * how the read is made, if not by the statement alone. `rowsOf` returns how many rows a row counts for if it takes
 * longer than others.
 */
export function coalescedReads<Row, Result extends RequestRow>(
  db: Db,
  statement: SetStatement<Row & RequestRow, Result>,
  {
    keyOf,
    run = (rows) => db.runSet(statement, rows),
    rowsOf = () => 1,
  }: {
    keyOf?: (row: Row) => string
    run?: (rows: readonly (Row & RequestRow)[]) => Promise<Result[]>
    rowsOf?: (row: Row) => number
  } = {},
): Coalescer<Row[], Result[]> {
  const read = async (requests: readonly Row[][]) =>
    byRequest(requests.length, await run(requests.flatMap((request, req) => request.map((row) => ({ ...row, req })))))
  return new Coalescer<Row[], Result[]>({
    name: statement.name,
    rows: (request) => request.reduce((rows, row) => rows + rowsOf(row), 0),
    // A read that takes too long is retried tenant by tenant: those of others do not fail with it.
    lane: (_request, tenant) => tenant,
    // Identical requests share a row, so what waits beside a run of these is seldom more than one row.
    ...(keyOf === undefined && {
      locks: () => [],
      rowsBeside: READS_BESIDE,
      mayRunBeside: () => db.pool.waiting === 0,
    }),
    idempotent: true,
    inCallerTransaction: () => db.ambient !== undefined,
    execute: keyOf === undefined ? read : (requests) => readDistinct(requests, keyOf, read),
  })
}

const organizationKeysOf = (rows: readonly OrganizationRow[]): OrganizationKey[] => [
  ...new Set(rows.map(({ organizationKey }) => organizationKey)),
]

async function readDistinct<Row, Result>(
  requests: readonly Row[][],
  keyOf: (row: Row) => string,
  read: (requests: readonly Row[][]) => Promise<Result[][]>,
): Promise<Result[][]> {
  const keys = requests.map((request) => request.map(keyOf).join())
  const distinct = new Map(requests.map((request, index) => [keys[index], request]))
  const results = await read([...distinct.values()])
  const indexes = new Map([...distinct.keys()].map((key, index) => [key, index]))
  return keys.map((key) => results[indexes.get(key) ?? -1] ?? [])
}

function byRequest<Result extends RequestRow>(count: number, results: Result[]): Result[][] {
  const requests: Result[][] = Array.from({ length: count }, () => [])
  for (const result of results) requests[result.req]?.push(result)
  return requests
}
