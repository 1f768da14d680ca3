/**
 * The headers by which mail programs group and filter mails about comments (RFC 5322 3.6.4, RFC 2919). Their ids are
 * made with the master key: they reveal nothing, nobody can compute them, and no two recipients have the same id for a
 * thread.
 */
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { Sealer } from '#platform/secrets/seal.ts'

interface Conversation {
  organizationKey: OrganizationKey
  userId: string
  /** The thread of each comment in the mail. */
  threads: readonly { resourceKey: string; thread: { annotationId: string } }[]
}

export type ConversationHeaders = (conversation: Conversation) => Record<string, string>

const THREAD = { column: 'mails.thread', row: '' }
const LIST = { column: 'mails.list', row: '' }

/** `domain`: of the sender. */
export function createConversationHeaders(sealer: Sealer, domain: string): ConversationHeaders {
  return ({ organizationKey, userId, threads }) => {
    const ids = new Set(
      threads.map(({ resourceKey, thread }) => JSON.stringify([userId, resourceKey, thread.annotationId])),
    )
    const [only = ''] = ids.size === 1 ? ids : []
    // No mail has this id: it stands for the thread, as if all mails about it were replies to one.
    const root = `<${sealer.nameOf(only, THREAD)}.thread@${domain}>`
    return {
      'List-Id': `<${sealer.nameOf(organizationKey, LIST)}.comments.${domain}>`,
      ...(only !== '' && { 'In-Reply-To': root, References: root }),
    }
  }
}
