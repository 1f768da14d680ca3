/** A tool that previews changes of threads: a new thread, a reply, a resolution. `apply_change` writes them. */
import Type from 'typebox'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addComments } from '#contract/comments/comments.ts'
import { ThreadId } from '#contract/comments/parts.ts'
import { addThreads, getThreads, updateThreads } from '#contract/comments/threads.ts'
import { ClosedObject } from '#contract/core/fields.ts'
import { DocumentId, OrganizationId, UserId } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { ThreadRecord } from '#sdk/generated/operations.ts'
import { RESOLVED } from '../commands/comments/threads.ts'
import { Failure, wrongUsage } from '../failures.ts'
import type { PlannedCall } from './access-change.ts'
import { type Calls, previewed, whyReadOnly } from './previews.ts'
import { READS, type Tool, tool } from './tool.ts'

const MENTIONED_MAX = 20

const ThreadWriting = ClosedObject({
  organizationId: OrganizationId,
  documentId: DocumentId,
  userId: { ...UserId, description: 'Who writes.' },
  annotationId: Type.Optional({ ...ThreadId, description: 'The thread. Absent: a new thread.' }),
  text: Type.Optional(Type.String({ minLength: 1, maxLength: LIMITS.commentTextCharactersMax })),
  mention: Type.Optional(
    Type.Array(UserId, { description: 'Users whom the text mentions as {{userId}}.', maxItems: MENTIONED_MAX }),
  ),
  notify: Type.Optional(Type.Boolean({ description: 'True: notifies the people concerned.' })),
  resolve: Type.Optional(Type.Boolean({ description: 'True: resolves the thread.' })),
})
type ThreadWriting = Type.Static<typeof ThreadWriting>

function callsOf({
  organizationId,
  documentId,
  userId,
  annotationId,
  text,
  mention,
  notify,
  resolve,
}: ThreadWriting): PlannedCall[] {
  const place = { organizationId, documentId }
  const comment = {
    commentText: text,
    from: { userId },
    ...(mention && {
      taggedUserContacts: mention.map((id) => ({ userId: id, contact: { userId: id }, text: `@${id}` })),
    }),
    ...(notify && { triggerNotification: true }),
  }
  if (annotationId === undefined)
    return [{ operation: addThreads, data: { ...place, commentAnnotations: [{ commentData: [comment] }] } }]
  const updatedData = { status: RESOLVED, resolvedByUserId: userId, statusUpdatedByUserId: userId }
  return [
    ...(text === undefined
      ? []
      : [{ operation: addComments, data: { ...place, annotationId, commentData: [comment] } }]),
    ...(resolve ? [{ operation: updateThreads, data: { ...place, annotationIds: [annotationId], updatedData } }] : []),
  ]
}

/** Returns the current state: the thread, and which of the users whom it names can open the document. */
async function stateOf(writing: ThreadWriting, { call }: Calls) {
  const { organizationId, documentId, userId, annotationId, mention = [] } = writing
  const named = [...new Set([userId, ...mention])]
  const resource = { type: 'document', id: documentId, organizationId } as const
  const asked = { checks: named.map((id) => ({ userId: id, resource })) }
  const { checks } = (await call(checkPermissions, asked)).data as { checks: { allowed: boolean }[] }
  const canOpen = Object.fromEntries(named.map((id, index) => [id, checks[index]?.allowed === true]))
  if (annotationId === undefined) return { canOpen }
  const { data } = await call(getThreads, { organizationId, documentId, annotationIds: [annotationId] })
  const [thread] = data as (ThreadRecord | null)[]
  if (!thread)
    throw new Failure('refused', 'The thread does not exist.', 'read_operation with threads.get lists threads.')
  return { canOpen, thread }
}

const previewThread = tool({
  name: 'preview_thread',
  title: 'Preview a comment',
  description:
    'Previews a new thread on a document (`text`), a reply (`annotationId` and `text`) or a resolution (`resolve`), in the name of a user. Nothing is written. Returns the thread as it is, who can open the document, and a previewToken for apply_change.',
  input: ThreadWriting,
  annotations: READS,
  async run(writing, context) {
    const { annotationId, text, resolve = false } = writing
    if (text === undefined && !resolve) throw wrongUsage('text is required, or resolve')
    if (annotationId === undefined && (text === undefined || resolve))
      throw wrongUsage('annotationId is required to resolve a thread')
    const outcomeNow = (now: Calls) => stateOf(writing, now)
    const outcome = await outcomeNow(context)
    return {
      data: outcome,
      own: previewed(context, writing, { calls: callsOf(writing), outcome, outcomeNow }, whyReadOnly(context)),
    }
  },
})

export const THREAD_TOOLS: readonly Tool[] = [previewThread]
