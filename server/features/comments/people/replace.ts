/** Replaces users by others wherever the selected threads, and their notifications, name them (rules/comments.md#replacing-users). */
import type { UserRef } from '#contract/users/user-refs.ts'
import { replaceNotified } from '#features/notifications/shared.ts'
import type { Session } from '#platform/db/db.ts'
import { bytesOf, mentionedIn } from '../content.ts'
import { mailReplaced } from '../mailings.ts'
import { commentRenamed, type Renaming, threadRenamed } from './rename.ts'
import {
  type ChosenThreads,
  FIND_CHOSEN_NAMING,
  type NamedUserJson,
  type NamingThread,
  TAKE_USERS,
  WRITE_RENAMED_THREADS,
} from './replace-statements.ts'

/** Replaces users in the threads `ids` of a document, under the lock of its organization. All of them at once: two can be exchanged. */
export async function replaceUsers(
  session: Session,
  chosen: ChosenThreads,
  pairs: readonly { oldUser: UserRef; newUser: UserRef }[],
): Promise<void> {
  const renaming = new Map(
    pairs
      .filter(({ oldUser, newUser }) => oldUser.userId !== newUser.userId)
      .map(({ oldUser, newUser }) => [oldUser.userId, newUser]),
  )
  if (renaming.size === 0) return
  const { organizationKey, resourceKey, documentId, actor, ids } = chosen
  const users = [...renaming.keys()]
  for (let after = ''; ; ) {
    const threads = await session.run(FIND_CHOSEN_NAMING, [organizationKey, resourceKey, ids, users, after])
    const last = threads.at(-1)
    if (last === undefined) return
    after = last.annotationId
    const concerned = [...new Set([...renaming].flatMap(([userId, other]) => [userId, other.userId]))]
    const named = threads.map(({ annotationId }) => annotationId)
    const taken = await session.run(TAKE_USERS, [organizationKey, resourceKey, named, concerned])
    const byThread = Map.groupBy(taken, ({ annotationId }) => annotationId)
    await session.runSet(
      WRITE_RENAMED_THREADS,
      threads.map((thread) => ({
        organizationKey,
        resourceKey,
        documentId,
        actor,
        ...rowOf(thread, renaming),
        users: JSON.stringify(mergedUsers(byThread.get(thread.annotationId) ?? [], renaming)),
      })),
    )
    await replaceNotified(session, { organizationKey, resourceKey, ids: named }, renaming)
    await mailReplaced(session, { organizationKey, resourceKey, ids: named }, renaming)
  }
}

function rowOf({ annotationId, content, comments }: NamingThread, renaming: Renaming) {
  const renamed = comments.map((comment) => {
    const other = commentRenamed(comment.content, renaming)
    return {
      ...comment,
      content: other,
      isChanged: other !== comment.content,
      bytes: other === comment.content ? comment.bytes : bytesOf(other),
    }
  })
  const thread = threadRenamed(content, renaming, renaming)
  return {
    annotationId,
    content: JSON.stringify(thread),
    comments: JSON.stringify(renamed.filter(({ isChanged }) => isChanged)),
    mentioned: JSON.stringify([...new Set(renamed.flatMap((comment) => mentionedIn(comment.content)))]),
    bytes: renamed.reduce((sum, { bytes }) => sum + bytes, bytesOf(thread)),
  }
}

type Seen = Pick<NamedUserJson, 'seenThrough' | 'seenAt'>

/** A user who has seen more, or has seen it later, is greater. */
const compareSeen = (one: Seen, other: Seen): number =>
  one.seenThrough - other.seenThrough || (one.seenAt?.getTime() ?? 0) - (other.seenAt?.getTime() ?? 0)

/**
 * Returns the data of a thread about users, with the data about old users under the new ids. Earlier data about a new
 * user takes precedence.
 */
function mergedUsers(rows: readonly (NamedUserJson & { annotationId: string })[], renaming: Renaming): NamedUserJson[] {
  const merged = new Map<string, NamedUserJson>()
  const ofOthers = rows.toSorted((one, other) => Number(renaming.has(one.userId)) - Number(renaming.has(other.userId)))
  for (const { annotationId: _same, ...row } of ofOthers) {
    const other = renaming.get(row.userId)
    const userId = other?.userId ?? row.userId
    const known = merged.get(userId)
    const { seenThrough, seenAt } = known === undefined || compareSeen(known, row) < 0 ? row : known
    merged.set(userId, {
      userId,
      subscription: known?.subscription ?? row.subscription,
      isManual: known?.subscription ? known.isManual : row.isManual,
      contact: known?.contact ?? (row.contact && (other ?? row.contact)),
      ...{ seenThrough, seenAt },
    })
  }
  return [...merged.values()]
}
