/** Erases users from threads: their comments, their mentions, and every other place that names them (rules/resources.md#erasure). */
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { Session } from '#platform/db/db.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { bytesOf, mentionedIn } from '../content.ts'
import { commentRenamed, threadRenamed } from './rename.ts'
import {
  FIND_NAMING_THREADS,
  type NamingThread,
  type RenamedThreadRow,
  THREADS_MAX,
  WRITE_ERASED_THREADS,
} from './statements.ts'

/** A user who is erased from an organization, and the pseudonym that replaces the id. */
export interface ErasedUser {
  organizationKey: OrganizationKey
  userId: string
  pseudonym: string
  jobId: string
  actor: Actor
}

/**
 * Erases users from some of the threads that name them, under the lock of the organizations. Returns whether all of these
 * threads are done; otherwise the next transaction continues.
 */
export async function eraseFromThreads(session: Session, users: readonly ErasedUser[]): Promise<boolean> {
  const threads = await session.runSet(FIND_NAMING_THREADS, users)
  if (threads.length === 0) return true
  const byId = new Map(users.map((user) => [user.userId, user]))
  await session.runSet(
    WRITE_ERASED_THREADS,
    threads.map((thread) => withoutUsers(thread, byId)),
  )
  const bytes = threads.reduce((sum, thread) => sum + thread.bytes, 0)
  return threads.length < THREADS_MAX && bytes < LIMITS.threadBytesMax
}

function withoutUsers(thread: NamingThread, users: ReadonlyMap<string, ErasedUser>): RenamedThreadRow {
  const { organizationKey, resourceKey, annotationId, documentId } = thread
  const erased = thread.userIds.flatMap((userId) => users.get(userId) ?? [])
  const nobody = new Map(erased.map(({ userId }) => [userId, null]))
  const pseudonyms = new Map(erased.map(({ userId, pseudonym }) => [userId, { userId: pseudonym }]))
  const kept = thread.comments.filter(({ content }) => !nobody.has(content.from.userId))
  const deleted = thread.comments.filter(({ content }) => nobody.has(content.from.userId))
  const remaining = kept.map((comment) => {
    const content = commentRenamed(comment.content, nobody)
    return content === comment.content ? comment : { ...comment, content, bytes: bytesOf(content), isChanged: true }
  })
  const content = remaining.length === 0 ? null : threadRenamed(thread.content, nobody, pseudonyms)
  const [{ pseudonym = '', jobId = '', actor = {} } = {}] = erased as Partial<ErasedUser>[]
  return {
    organizationKey,
    resourceKey,
    annotationId,
    documentId,
    content: content && JSON.stringify(content),
    comments: JSON.stringify(
      remaining.flatMap((comment) =>
        'isChanged' in comment
          ? [{ commentId: comment.commentId, content: comment.content, bytes: comment.bytes }]
          : [],
      ),
    ),
    deleted: JSON.stringify(deleted.map(({ commentId }) => commentId)),
    users: JSON.stringify(thread.userIds),
    mentioned: JSON.stringify([...new Set(remaining.flatMap((comment) => mentionedIn(comment.content)))]),
    lastPosition: Math.max(0, ...remaining.map(({ position }) => position)),
    commentCount: remaining.length,
    bytes: remaining.reduce((sum, { bytes }) => sum + bytes, content === null ? 0 : bytesOf(content)),
    pseudonym,
    jobId,
    actor: actor as Actor,
  }
}
