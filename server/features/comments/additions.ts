/** Writes new threads and comments, those of many calls in one transaction (rules/comments.md#comments, ADR 0059). */
import type { Session } from '#platform/db/db.ts'
import type { SetStatement } from '#platform/db/statement.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import { ADD_COMMENTS, type NewCommentsOutcome, type NewCommentsRow } from './comments/statements.ts'
import { ADD_THREADS, type NewCommentJson, type NewThreadOutcome, type NewThreadRow } from './threads/add-statements.ts'
import { runTriggers } from './triggers.ts'
import type { WideThreads } from './wide-threads.ts'

/** The comments of a row, of which the statement reads only the JSON. */
interface WithComments {
  added: readonly NewCommentJson[]
}

export type CommentsAddition = NewCommentsRow & WithComments
export type ThreadAddition = NewThreadRow & WithComments

/** For how many rows an addition of threads counts: it writes one for each comment. */
export const rowsOfThreads = ({ added }: WithComments): number => added.length

/**
 * Returns the rounds of additions. Each round has a thread at most once, because a statement sees only the state before
 * it, and the second of two rows of one thread must see the first. Calls rarely write in one thread at the same time,
 * so there is usually one round.
 */
function inRounds<Row extends NewCommentsRow | NewThreadRow>(rows: readonly Row[]): Row[][] {
  const rounds: Row[][] = []
  const written = new Map<string, number>()
  for (const row of rows) {
    const thread = JSON.stringify([row.organizationKey, row.documentId, row.annotationId])
    const nth = written.get(thread) ?? 0
    written.set(thread, nth + 1)
    rounds[nth] = [...(rounds[nth] ?? []), row]
  }
  return rounds
}

/** Returns the rounds of additions that trigger nothing, so that nothing follows them. */
export const roundsWithoutTriggers = <Row extends (NewCommentsRow | NewThreadRow) & WithComments>(
  rows: readonly Row[],
): Row[][] | undefined =>
  rows.some(({ added }) => added.some(({ notify, activity }) => notify || activity)) ? undefined : inRounds(rows)

/** Adds comments to their threads, and runs their triggers. Runs under the locks of the organizations. */
export const writeComments = (
  session: Session,
  additions: readonly (CommentsAddition & RequestRow)[],
  wideThreads: WideThreads,
) => write(session, ADD_COMMENTS, additions, () => 'added', wideThreads)

/** Adds threads, and runs the triggers of their comments. Runs under the locks of the organizations. */
export const writeThreads = (session: Session, additions: readonly (ThreadAddition & RequestRow)[]) =>
  write(session, ADD_THREADS, additions, (nth) => (nth === 0 ? 'newlyAdded' : 'added'))

async function write<
  Row extends (CommentsAddition | ThreadAddition) & RequestRow,
  Outcome extends (NewCommentsOutcome | NewThreadOutcome) & RequestRow,
>(
  session: Session,
  statement: SetStatement<Row, Outcome>,
  additions: readonly Row[],
  actOf: (nth: number) => 'newlyAdded' | 'added',
  wideThreads?: WideThreads,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const rows of inRounds(additions)) {
    const answers = await session.runSet(
      statement,
      rows.map((row) => ({ ...row, isLocked: true })),
    )
    const written: (CommentsAddition | ThreadAddition)[] = rows.filter((_, index) => answers[index]?.outcome === 'ok')
    const wide = await runTriggers(
      session,
      written.flatMap((row) => row.added.map((comment, nth) => ({ ...row, act: actOf(nth), ...comment }))),
    )
    wideThreads?.note(wide)
    outcomes.push(...answers)
  }
  return outcomes
}
