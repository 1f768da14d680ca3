/** Joins the rows of requests that wait into one statement: writes under the lock of their organizations, and reads. */
import { Coalescer } from '#platform/coalesce.ts'
import type { Db } from '#platform/db/db.ts'
import type { SetStatement } from '#platform/db/statement.ts'
import { type OrganizationRow, writeUnderLock } from './organization.ts'
import { BRIEF_LOCK_TIMEOUT_MS } from './turns.ts'

/** A row of a set statement that answers for requests: `req` says which request a row belongs to. */
export interface RequestRow {
  req: number
}

/** Joins the rows of waiting requests into one `writeUnderLock`. Answers each request its own rows. */
export function organizationWrites<Row extends OrganizationRow, Answer extends RequestRow>(
  db: Db,
  statement: SetStatement<Row & RequestRow, Answer>,
  { idempotent }: { idempotent: boolean },
): Coalescer<Row[], Answer[]> {
  return new Coalescer<Row[], Answer[]>({
    name: statement.name,
    rows: (request) => request.length,
    lane: (request) => [...new Set(request.map((row) => row.organizationKey))].sort().join(),
    idempotent,
    inCallerTransaction: () => db.ambient !== undefined,
    execute: async (requests, patience) => {
      const rows = requests.flatMap((request, req) => request.map((row) => ({ ...row, req })))
      const options = patience === 'brief' ? { lockTimeoutMs: BRIEF_LOCK_TIMEOUT_MS } : {}
      return byRequest(requests.length, await writeUnderLock(db, statement, rows, options))
    },
  })
}

/**
 * Joins the rows of waiting requests into one read. With `sameAs`, requests of one row that are the same question share
 * one row of the read and its answers: all of them waited when it began, so none gets an answer older than its call.
 */
export function coalescedReads<Row, Answer extends RequestRow>(
  db: Db,
  statement: SetStatement<Row & RequestRow, Answer>,
  sameAs?: (row: Row) => string,
): Coalescer<Row[], Answer[]> {
  const read = async (requests: readonly Row[][]) =>
    byRequest(
      requests.length,
      await db.runSet(
        statement,
        requests.flatMap((request, req) => request.map((row) => ({ ...row, req }))),
      ),
    )
  return new Coalescer<Row[], Answer[]>({
    name: statement.name,
    rows: (request) => request.length,
    lane: () => '',
    idempotent: true,
    inCallerTransaction: () => db.ambient !== undefined,
    execute: sameAs === undefined ? read : (requests) => readDistinct(requests, sameAs, read),
  })
}

async function readDistinct<Row, Answer>(
  requests: readonly Row[][],
  sameAs: (row: Row) => string,
  read: (requests: readonly Row[][]) => Promise<Answer[][]>,
): Promise<Answer[][]> {
  const names = requests.map((request) => request.map(sameAs).join())
  const distinct = new Map(requests.map((request, index) => [names[index], request]))
  const answers = await read([...distinct.values()])
  const places = new Map([...distinct.keys()].map((name, place) => [name, place]))
  return names.map((name) => answers[places.get(name) ?? -1] ?? [])
}

function byRequest<Answer extends RequestRow>(count: number, answers: Answer[]): Answer[][] {
  const requests: Answer[][] = Array.from({ length: count }, () => [])
  for (const answer of answers) requests[answer.req]?.push(answer)
  return requests
}
