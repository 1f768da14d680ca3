/** What a new comment sets in motion in its own transaction, if the call asks for it: notifications and activities (rules/comments.md#told). */
import { recordComments } from '#features/activities/shared.ts'
import { notifyOfComments } from '#features/notifications/shared.ts'
import type { Session } from '#platform/db/db.ts'
import type { Caller } from '#tenancy/callers/caller.ts'

/** A comment that was written. */
export interface WrittenComment {
  annotationId: string
  commentId: number
  /** The first comment of its thread. */
  isRoot: boolean
  notify?: true
  activity?: true
}

/** Notifies of those of the comments that ask for it, and records those that ask for that. */
export async function tellOf(
  session: Session,
  caller: Caller,
  where: { organizationId: string; documentId: string },
  comments: readonly WrittenComment[],
): Promise<void> {
  const named = (asked: 'notify' | 'activity') =>
    comments
      .filter((comment) => comment[asked])
      .map(({ annotationId, commentId, isRoot }) => ({ annotationId, commentId, isRoot }))
  await notifyOfComments(session, caller, where, named('notify'))
  await recordComments(session, caller, where, named('activity'))
}
