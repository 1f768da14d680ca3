/** Remembers the threads with many followers, so that comments in them do not delay the comments of other tenants (ADR 0059). */
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
 * This process knows the number of recipients of a thread once a comment in it has notified them. With 10,000
 * recipients a comment counts as 1,001 rows, so it runs alone instead of with others that would wait for it. Only the
 * order of the runs depends on the remembered numbers.
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
