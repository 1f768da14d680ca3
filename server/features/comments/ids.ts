/** Makes the numbers of comments for which the caller has none. */
import { randomInt } from 'node:crypto'

/** Returns a number of six digits that is not among `taken`, and adds it there. A thread has no more than 10,000 comments. */
export function newCommentId(taken: Set<number>): number {
  for (;;) {
    const id = randomInt(100_000, 1_000_000)
    if (taken.has(id)) continue
    taken.add(id)
    return id
  }
}
