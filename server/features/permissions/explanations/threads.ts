/** Explains whether a user sees a thread of a document (rules/comments.md#visibility). */
import type { ThreadExplanation } from '#contract/access/explanations.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { Session } from '#platform/db/db.ts'
import { EXPLAIN_THREAD, type ExplainedThreadRow } from './thread-statements.ts'

export interface AskedThread {
  organizationKey: OrganizationKey
  documentId: string
  annotationId: string
  userId: string
  /** Whether the document is open to the user. */
  isOpen: boolean
}

/** Returns whether the user sees the thread: the document is open to them, and the visibility includes them. */
export async function explainThread(session: Session, asked: AskedThread): Promise<ThreadExplanation> {
  const { organizationKey, documentId, annotationId, userId, isOpen } = asked
  const [thread] = await session.run(EXPLAIN_THREAD, [organizationKey, documentId, annotationId, userId])
  const reason = reasonOf(thread, isOpen)
  const visible = isOpen && thread?.includes === true
  return { annotationId, visible, reason, sentence: sentenceOf(reason, asked, thread) }
}

type Reason = ThreadExplanation['reason']

function reasonOf(thread: ExplainedThreadRow | undefined, isOpen: boolean): Reason {
  if (thread === undefined) return 'does_not_exist'
  if (!isOpen) return 'document_not_open'
  if (thread.hasContext) return 'access_context'
  if (thread.visibility === 'public') return 'public'
  if (thread.isAuthor) return 'author'
  if (thread.isNamed) return 'named'
  if (thread.visibility === 'restricted') return 'not_named'
  return thread.memberOf.length > 0 ? 'member' : 'not_member'
}

const listed = (ids: readonly string[]): string =>
  new Intl.ListFormat('en', { type: 'disjunction' }).format(ids.map((id) => `"${id}"`))

function sentenceOf(
  reason: Reason,
  { userId, annotationId, documentId }: AskedThread,
  thread: ExplainedThreadRow | undefined,
): string {
  const sees = `User "${userId}" sees thread "${annotationId}"`
  const seesNot = `User "${userId}" does not see thread "${annotationId}"`
  const { organizationIds = [], memberOf = [] } = thread ?? {}
  const sentences: Record<Reason, string> = {
    does_not_exist: `There is no thread "${annotationId}" on document "${documentId}".`,
    document_not_open: `${seesNot}: the user has no access to the document.`,
    access_context: `${seesNot}: it has an access context, which calls have no context of the user to compare with.`,
    public: `${sees}: it is public, so everybody with access to the document sees it.`,
    author: `${sees}: the user is its author.`,
    named: `${sees}: its visibility names the user.`,
    member: `${sees}: it is for members of organization ${listed(memberOf)}, and the user has a live grant on it.`,
    not_named: `${seesNot}: it is restricted to its author and the users whom its visibility names.`,
    not_member: `${seesNot}: it is for members of organization ${listed(organizationIds)}, and the user has no live grant on it.`,
  }
  return sentences[reason]
}
