/** Writes new threads and comments, those of many calls in one transaction (rules/comments.md#comments, ADR 0059). */
import type { Session } from '#platform/db/db.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import { ADD_COMMENTS, type NewCommentsOutcome, type NewCommentsRow } from './comments/statements.ts'
import { ADD_THREADS, type NewCommentJson, type NewThreadOutcome, type NewThreadRow } from './threads/add-statements.ts'
import { runTriggers } from './triggers.ts'

/** The comments of a row, of which its statement reads the JSON alone. */
interface WithComments {
  added: readonly NewCommentJson[]
}

export type CommentsAddition = NewCommentsRow & WithComments
export type ThreadAddition = NewThreadRow & WithComments

/** For how many rows an addition counts: it writes one for each comment. */
export const rowsOfAddition = ({ added }: WithComments): number => added.length

/** Adds comments to their threads, and runs their triggers. Runs under the locks of the organizations. */
export const writeComments = (
  session: Session,
  additions: readonly (CommentsAddition & RequestRow)[],
): Promise<(NewCommentsOutcome & RequestRow)[]> =>
  inRounds(additions, async (rows) => {
    const outcomes = await session.runSet(ADD_COMMENTS, rows)
    const written = rows.filter((_, index) => outcomes[index]?.outcome === 'ok')
    await runTriggers(
      session,
      written.flatMap((row) => row.added.map((comment) => ({ ...row, act: 'added', ...comment }))),
    )
    return outcomes
  })

/** Adds threads, and runs the triggers of their comments. Runs under the locks of the organizations. */
export const writeThreads = (
  session: Session,
  additions: readonly (ThreadAddition & RequestRow)[],
): Promise<(NewThreadOutcome & RequestRow)[]> =>
  inRounds(additions, async (rows) => {
    const outcomes = await session.runSet(ADD_THREADS, rows)
    const written = rows.filter((_, index) => outcomes[index]?.outcome === 'ok')
    await runTriggers(
      session,
      written.flatMap((row) =>
        row.added.map((comment, nth) => ({ ...row, act: nth === 0 ? 'newlyAdded' : 'added', ...comment })),
      ),
    )
    return outcomes
  })

/**
 * Runs `write` on the rows, each thread once a round: a statement sees what was before it, so of two rows of one thread the
 * second must see the first. Calls rarely write in one thread at the same time, so there is usually one round.
 */
async function inRounds<Row extends NewCommentsRow | NewThreadRow, Outcome>(
  rows: readonly Row[],
  write: (rows: readonly Row[]) => Promise<Outcome[]>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (let left = rows; left.length > 0; ) {
    const threads = new Set<string>()
    const later: Row[] = []
    const round = left.filter((row) => {
      const thread = JSON.stringify([row.organizationKey, row.documentId, row.annotationId])
      if (!threads.has(thread)) return threads.add(thread)
      later.push(row)
      return false
    })
    outcomes.push(...(await write(round)))
    left = later
  }
  return outcomes
}
