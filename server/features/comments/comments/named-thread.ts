/** The thread that a call names: its row in statements, and the refusal if it cannot be changed. */
import { LIMITS } from '#contract/core/limits.ts'
import { StatusError } from '#platform/status-error.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import type { AnyCaller } from '#tenancy/callers/own-user.ts'
import { documentDoesNotExist, organizationDoesNotExist } from '#tenancy/refusals.ts'
import { threadDoesNotExist } from '../users/access.ts'
import type { MissingThread } from './named.ts'

export interface NamedThread {
  organizationId: string
  documentId: string
  annotationId: string
}

export const threadRow = (caller: AnyCaller, { organizationId, documentId, annotationId }: NamedThread) => ({
  organizationKey: organizationKey(caller, organizationId),
  apiKeyId: caller.apiKeyId,
  organizationId,
  createOrganization: false,
  documentId,
  annotationId,
  actor: caller.actor,
})

export function refusalOf(outcome: MissingThread | 'thread_full', migratedTo: string | null = null): StatusError {
  if (outcome === 'organization_does_not_exist') return organizationDoesNotExist()
  if (outcome === 'document_does_not_exist') return documentDoesNotExist(migratedTo)
  if (outcome === 'thread_does_not_exist') return threadDoesNotExist()
  const { commentsPerThreadMax, threadBytesMax } = LIMITS
  const bounds = `${commentsPerThreadMax.toLocaleString('en')} comments and ${threadBytesMax / 2 ** 20} MiB`
  return new StatusError('RESOURCE_EXHAUSTED', 'thread_full', `A thread has at most ${bounds}.`)
}
