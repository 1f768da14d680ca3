/** Shared by the writers of stored data: records with the keys of their documents, and the result of each. */
import type { StoredList, setCommentData } from '#contract/comments/comment-data.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { Session } from '#platform/db/db.ts'
import type { SetStatement } from '#platform/db/statement.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import type { SetOutcome, SetOutcomeRow } from './thread-statements.ts'

type Data = DataOf<typeof setCommentData>
export type Records<List extends StoredList> = NonNullable<Data[List]>

/** A record with the key of its document and its place in the list of the call. */
export type Placed<Record> = Record & { resourceKey: string; index: number }
/** The reasons why records were not written, by their positions. */
export type Outcomes = readonly (readonly [index: number, outcome: SetOutcome])[]

export interface Writing {
  session: Session
  caller: Caller
  organizationId: string
  /** `HEADER_PREFIX`, with which some words of the contract begin. */
  prefix: string
}

export const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** Returns the last of the rows with each id. */
export const lastOf = <Row>(rows: readonly Row[], idOf: (row: Row) => readonly unknown[]): Row[] => [
  ...new Map(rows.map((row) => [JSON.stringify(idOf(row)), row])).values(),
]

/** Writes rows, and returns the outcomes with their places in the list of the call. */
export async function writeRows<Row extends object>(
  session: Session,
  statement: SetStatement<Row, SetOutcomeRow>,
  rows: readonly (Row & { index: number })[],
): Promise<Outcomes> {
  const outcomes = await session.runSet(statement, rows)
  return outcomes.map(({ outcome }, nth) => [rows[nth]?.index ?? 0, outcome] as const)
}
