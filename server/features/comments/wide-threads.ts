/** Remembers the threads that many follow, so that comments which notify them do not delay the comments of other tenants (ADR 0059). */
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { WideThread } from '#features/notifications/shared.ts'

/** The threads that are remembered: 10 MB at most. The one that was noted longest ago is forgotten. */
const REMEMBERED_MAX = 10_000

/** A recipient takes PostgreSQL a tenth of the time of a comment. */
const RECIPIENTS_PER_ROW = 10

interface Addition {
  organizationKey: OrganizationKey
  documentId: string
  annotationId: string
  added: readonly { notify?: true }[]
}

/**
 * The number of recipients of a thread is known once it was notified, in this process. With 10,000 of them a comment counts as
 * 1,001 rows, so it runs alone instead of with others that would wait for it. Nothing depends on what is remembered but the
 * order of the runs.
 */
export class WideThreads {
  readonly #recipients = new Map<string, number>()

  note(threads: readonly WideThread[]): void {
    for (const thread of threads) {
      const name = nameOf(thread)
      this.#recipients.delete(name)
      if (this.#recipients.size >= REMEMBERED_MAX) this.#recipients.delete(this.#recipients.keys().next().value ?? '')
      this.#recipients.set(name, thread.recipients)
    }
  }

  /** Returns for how many rows an addition counts: one for each comment, and one for ten whom it notifies. */
  rowsOf(addition: Addition): number {
    const notifying = addition.added.filter(({ notify }) => notify).length
    const recipients = notifying === 0 ? 0 : (this.#recipients.get(nameOf(addition)) ?? 0)
    return addition.added.length + Math.ceil((notifying * recipients) / RECIPIENTS_PER_ROW)
  }
}

const nameOf = ({ organizationKey, documentId, annotationId }: Omit<Addition, 'added'>): string =>
  JSON.stringify([organizationKey, documentId, annotationId])
