/** Adds comments to a thread (rules/comments.md#comments). */
import type { addComments } from '#contract/comments/comments.ts'
import type { CommentInput } from '#contract/comments/inputs.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { StatusError } from '#platform/status-error.ts'
import { organizationKeys } from '#tenancy/callers/keys.ts'
import { type AnyCaller, isUser } from '#tenancy/callers/own-user.ts'
import { organizationWrites, type RequestRow } from '#tenancy/writes/coalesced.ts'
import { changeUnderLock } from '#tenancy/writes/organization.ts'
import { requireSignedIn } from '#tenancy/writes/signed-in.ts'
import { type CommentsAddition, roundsWithoutTriggers, writeComments } from '../additions.ts'
import { usersWithoutAccess } from '../authors.ts'
import { Faults } from '../checks.ts'
import { mentionedIn } from '../content.ts'
import type { NewCommentJson } from '../threads/add-statements.ts'
import { newCommentId, newComments, usersOfComments } from '../threads/new-thread.ts'
import { requireVisibleThread, requireWriter } from '../users/access.ts'
import { refuseCreating } from '../users/input.ts'
import { WideThreads } from '../wide-threads.ts'
import { wordsOf } from '../words.ts'
import { refusalOf, threadRow } from './named-thread.ts'
import { ADD_COMMENTS, type NewCommentsOutcome } from './statements.ts'

type Data = DataOf<typeof addComments>

/**
 * The number of waiting comments that starts a second run beside the first: a quarter of that of grants. A comment
 * takes the database twice as long, and both runs wait for their commits (ADR 0070).
 */
const COMMENTS_BESIDE = 24

export function createAddComments({ db, config }: Kernel) {
  const words = wordsOf(config.HEADER_PREFIX)
  const wideThreads = new WideThreads()
  // A repeat would add the comments twice, under other numbers.
  const additions = organizationWrites<CommentsAddition, NewCommentsOutcome & RequestRow>(db, ADD_COMMENTS, {
    idempotent: false,
    change: (session, rows) => writeComments(session, rows, wideThreads),
    roundsOf: roundsWithoutTriggers,
    rowsOf: (addition) => wideThreads.rowsOf(addition),
    rowsBeside: COMMENTS_BESIDE,
  })

  async function add(caller: AnyCaller, data: Data): Promise<number[]> {
    const faults = new Faults()
    const [field, sent] = sentComments(data, faults)
    if (isUser(caller)) refuseCreating(data, faults)
    const first = newComments(sent, field, { caller, words, keyOf: organizationKeys(caller), faults })
    faults.refuse()
    const own = new Set(sent.flatMap(({ commentId }) => commentId ?? []))
    for (let comments = first; ; ) {
      const { outcome, taken, migratedTo } = await write(caller, data, additionOf(caller, data, comments))
      if (outcome === 'ok') return comments.map(({ commentId }) => commentId)
      if (outcome !== 'comment_exists') throw refusalOf(outcome, migratedTo)
      const refused = taken.filter((id) => own.has(id))
      if (refused.length > 0) throw commentExists(refused)
      comments = renumbered(comments, new Set(taken))
    }
  }

  function additionOf(caller: AnyCaller, data: Data, comments: readonly NewCommentJson[]): CommentsAddition {
    const contents = comments.map(({ content }) => content)
    return {
      ...threadRow(caller, data),
      isLocked: false,
      added: comments,
      comments: JSON.stringify(comments),
      users: JSON.stringify(usersOfComments(contents)),
      mentioned: JSON.stringify([...new Set(contents.flatMap(mentionedIn))]),
      bytes: comments.reduce((sum, { bytes }) => sum + bytes, 0),
      commentsMax: LIMITS.commentsPerThreadMax,
      bytesMax: LIMITS.threadBytesMax,
    }
  }

  /** Writes comments together with those of other calls, or alone where people must have access at that moment. */
  async function write(caller: AnyCaller, data: Data, addition: CommentsAddition): Promise<NewCommentsOutcome> {
    const [outcome] =
      isUser(caller) || data.verifyUserPermissions
        ? await changeUnderLock(db, [{ ...addition, req: 0 }], async (session, rows) => {
            await requireWriters(session, caller, data, addition)
            return writeComments(session, rows, wideThreads)
          })
        : await additions.run([addition], caller.apiKeyId)
    if (outcome === undefined) throw new Error('an addition of comments has no outcome')
    return outcome
  }

  async function requireWriters(
    session: Session,
    caller: AnyCaller,
    data: Data,
    { added }: CommentsAddition,
  ): Promise<void> {
    if (isUser(caller)) {
      await requireSignedIn(session, caller)
      await requireWriter(session, caller, data)
      await requireVisibleThread(session, caller, data)
      return
    }
    const authors = new Set(added.map(({ content }) => content.from.userId))
    if ((await usersWithoutAccess(session, caller, data, authors)).size > 0)
      throw new StatusError('PERMISSION_DENIED', 'author_without_access', 'An author has no access to the document.')
  }

  return { add, coalescers: [additions] }
}

/** Returns the comments of a call, and the name under which they were sent. */
function sentComments({ commentData, comments }: DataOf<typeof addComments>, faults: Faults) {
  if (commentData !== undefined && comments !== undefined)
    faults.add('comments', 'must not be given together with commentData, which is another name of it')
  if (commentData === undefined && comments === undefined) faults.add('commentData', 'is required')
  faults.refuse()
  const sent: readonly CommentInput[] = commentData ?? comments ?? []
  return [commentData === undefined ? 'comments' : 'commentData', sent] as const
}

/** Returns the comments with other numbers in the place of made ones that comments of the thread have already. */
function renumbered(comments: readonly NewCommentJson[], taken: ReadonlySet<number>): NewCommentJson[] {
  const used = new Set([...comments.map(({ commentId }) => commentId), ...taken])
  return comments.map((comment) =>
    taken.has(comment.commentId) ? { ...comment, commentId: newCommentId(used) } : comment,
  )
}

const commentExists = (commentIds: readonly number[]): StatusError =>
  new StatusError('ALREADY_EXISTS', 'comment_exists', 'A comment of the thread has this number already.', {
    details: { commentIds },
  })
