/** Adds, reads, changes and deletes the comments of a thread (rules/comments.md#comments). */
import type { addComments, deleteComments, getComments, updateComments } from '#contract/comments/comments.ts'
import type { CommentInput } from '#contract/comments/inputs.ts'
import type { CommentRecord } from '#contract/comments/records.ts'
import type { CommentResults } from '#contract/comments/results.ts'
import { failed } from '#contract/core/envelope.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { Kernel } from '#kernel'
import { StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey, organizationKeys } from '#tenancy/callers/keys.ts'
import { requireOrganization, requireResource } from '#tenancy/existence.ts'
import { documentDoesNotExist, organizationDoesNotExist } from '#tenancy/refusals.ts'
import { changeOrganizations, lockOrganizations, writeUnderLock } from '#tenancy/writes/organization.ts'
import { usersWithoutAccess } from '../authors.ts'
import { checkContext, checkSize, Faults } from '../checks.ts'
import { type CommentContent, mentionedIn, peopleOfComment } from '../content.ts'
import { newCommentId } from '../ids.ts'
import { commentRecord, showing, shownInComment } from '../records.ts'
import type { NewCommentJson } from '../threads/add-statements.ts'
import { newComments, timeOf, usersOfComments } from '../threads/new-thread.ts'
import { runTriggers } from '../triggers.ts'
import { wordsOf } from '../words.ts'
import { type ChosenOutcome, DELETE_COMMENTS, UPDATE_COMMENTS } from './change-statements.ts'
import type { MissingThread } from './named.ts'
import { ADD_COMMENTS, FIND_THREAD, LIST_COMMENTS } from './statements.ts'

type Thread = Pick<DataOf<typeof getComments>, 'organizationId' | 'documentId' | 'annotationId'>

export function createComments({ db, config }: Kernel) {
  const words = wordsOf(config.HEADER_PREFIX)

  const threadRow = (caller: Caller, { organizationId, documentId, annotationId }: Thread) => ({
    organizationKey: organizationKey(caller, organizationId),
    apiKeyId: caller.apiKeyId,
    organizationId,
    createOrganization: false,
    documentId,
    annotationId,
    actor: caller.actor,
  })

  function add(caller: Caller, data: DataOf<typeof addComments>): Promise<number[]> {
    const faults = new Faults()
    const [field, sent] = sentComments(data, faults)
    const first = newComments(sent, field, { words, keyOf: organizationKeys(caller), faults })
    faults.refuse()
    const row = threadRow(caller, data)
    return changeOrganizations(db, caller, [row.organizationKey], async (session) => {
      const [locked = row] = await lockOrganizations(session, [row])
      const authors = new Set(data.verifyUserPermissions ? sent.map(({ from }) => from.userId) : [])
      if (authors.size > 0 && (await usersWithoutAccess(session, caller, data, authors)).size > 0)
        throw new StatusError('PERMISSION_DENIED', 'author_without_access', 'An author has no access to the document.')
      for (let comments = first; ; ) {
        const contents = comments.map(({ content }) => content)
        const [added] = await session.runSet(ADD_COMMENTS, [
          {
            ...locked,
            comments: JSON.stringify(comments),
            users: JSON.stringify(usersOfComments(contents)),
            mentioned: JSON.stringify([...new Set(contents.flatMap(mentionedIn))]),
            bytes: comments.reduce((sum, { bytes }) => sum + bytes, 0),
            commentsMax: LIMITS.commentsPerThreadMax,
            bytesMax: LIMITS.threadBytesMax,
          },
        ])
        const own = new Set(sent.flatMap(({ commentId }) => commentId ?? []))
        const taken = (added?.taken ?? []).filter((id) => own.has(id))
        if (added?.outcome === 'comment_exists') {
          if (taken.length > 0) throw commentExists(taken)
          comments = renumbered(comments, new Set(added.taken))
          continue
        }
        if (added !== undefined && added.outcome !== 'ok') throw refusalOf(added.outcome, added.migratedTo)
        const { annotationId } = data
        const written = comments.map((comment) => ({ annotationId, act: 'added' as const, ...comment }))
        await runTriggers(session, caller, data, written)
        return comments.map(({ commentId }) => commentId)
      }
    })
  }

  async function get(caller: Caller, data: DataOf<typeof getComments>): Promise<(CommentRecord | null)[]> {
    const { organizationId, documentId, annotationId, commentIds, userIds } = data
    const key = organizationKey(caller, organizationId)
    await requireOrganization(db, key)
    const resourceKey = await requireResource(db, key, { type: 'document', id: documentId })
    const thread = [key, resourceKey, annotationId]
    const [found] = await db.run(FIND_THREAD, thread)
    if (found === undefined) throw refusalOf('thread_does_not_exist')
    const rows = await db.run(LIST_COMMENTS, [...thread, commentIds ?? null, userIds ?? null])
    const show = await showing(db, caller, new Set(rows.flatMap(({ content }) => shownInComment(content))))
    const records = rows.map((row) => commentRecord(row, show))
    if (commentIds === undefined) return records
    const byId = new Map(records.map((record) => [record.commentId, record]))
    return [...new Set(commentIds)].map((id) => byId.get(id) ?? null)
  }

  async function update(caller: Caller, data: DataOf<typeof updateComments>): Promise<CommentResults> {
    const faults = new Faults()
    const { createdAt, lastUpdated, context, ...own } = data.updatedData
    const changes = { ...own, ...(context && { context: checkContext(context, 'updatedData.context', words, faults) }) }
    checkSize(changes, 'updatedData', faults)
    faults.refuse()
    const people = peopleOfComment({ from: { userId: '' }, ...changes } as CommentContent)
    people.delete('')
    const row = {
      ...threadRow(caller, data),
      ...chosenOf(data),
      changes: JSON.stringify(changes),
      createdAt: timeOf(createdAt),
      lastUpdated: timeOf(lastUpdated),
      users: JSON.stringify([...people.keys()]),
      fields: JSON.stringify(Object.keys(data.updatedData)),
      notify: data.triggerNotification ?? false,
      bytesMax: LIMITS.threadBytesMax,
    }
    const outcome = await changeOrganizations(db, caller, [row.organizationKey], async (session) => {
      const [updated] = await session.runSet(UPDATE_COMMENTS, await lockOrganizations(session, [row]))
      const { annotationId } = data
      const changed = row.notify ? (updated?.changedIds ?? []) : []
      const written = changed.map((commentId) => ({
        annotationId,
        commentId,
        act: 'updated' as const,
        notify: true as const,
      }))
      await runTriggers(session, caller, data, written)
      return updated
    })
    return resultsOf(outcome, data.commentIds, 'Comment updated successfully.')
  }

  return {
    add,
    get,
    update,
    async delete(caller: Caller, data: DataOf<typeof deleteComments>): Promise<CommentResults> {
      const row = { ...threadRow(caller, data), ...chosenOf(data) }
      const [outcome] = await writeUnderLock(db, DELETE_COMMENTS, [row])
      return resultsOf(outcome, data.commentIds, 'Comment deleted successfully.')
    },
  }
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

const chosenOf = ({ commentIds, userIds }: { commentIds?: number[]; userIds?: string[] }) => ({
  commentIds: commentIds === undefined ? null : JSON.stringify(commentIds),
  userIds: userIds === undefined ? null : JSON.stringify(userIds),
})

function resultsOf(outcome: ChosenOutcome | undefined, asked: readonly number[] = [], message: string): CommentResults {
  if (outcome === undefined) return {}
  if (outcome.outcome !== 'ok') throw refusalOf(outcome.outcome, outcome.migratedTo)
  const changed = new Set(outcome.ids)
  const all = [...new Set([...asked, ...outcome.ids])]
  return Object.fromEntries(
    all.map((id) => [
      String(id),
      changed.has(id)
        ? { success: true, id, message }
        : { ...failed('', 'not-found', 'There is no such comment.'), id },
    ]),
  )
}

const commentExists = (commentIds: readonly number[]): StatusError =>
  new StatusError('ALREADY_EXISTS', 'comment_exists', 'A comment of the thread has this number already.', {
    details: { commentIds },
  })

function refusalOf(outcome: MissingThread | 'thread_full', migratedTo: string | null = null): StatusError {
  if (outcome === 'organization_does_not_exist') return organizationDoesNotExist()
  if (outcome === 'document_does_not_exist') return documentDoesNotExist(migratedTo)
  if (outcome === 'thread_does_not_exist')
    return new StatusError('NOT_FOUND', 'thread_does_not_exist', 'The thread does not exist.')
  const { commentsPerThreadMax, threadBytesMax } = LIMITS
  const bounds = `${commentsPerThreadMax.toLocaleString('en')} comments and ${threadBytesMax / 2 ** 20} MiB`
  return new StatusError('RESOURCE_EXHAUSTED', 'thread_full', `A thread has at most ${bounds}.`)
}
