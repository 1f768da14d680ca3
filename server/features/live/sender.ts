/** Sends changes of threads to streams: what each user gets is decided when it is sent (rules/comments.md#live). */
import { createThreadReaders, type ReaderOfThread } from '#features/comments/shared.ts'
import type { Kernel } from '#kernel'
import { createPrivateThreads } from './private-threads.ts'
import type { LiveStream } from './stream.ts'
import { slices, threadName, type Update } from './updates.ts'

/** How many items are decided and sent at once: to write them blocks the process. */
const SENT_TOGETHER = 500

export function createSender(kernel: Kernel) {
  const { db } = kernel
  const threads = createThreadReaders(kernel)
  const privately = createPrivateThreads(db, threads, send)
  const { learnThreads } = privately

  /**
   * Sends threads to the users who see them now, and tells other users who could know of a thread that it is gone.
   * Returns the streams to which something was sent: sending only a new position would reveal that a hidden thread has
   * changed. Each part is decided when it is sent, and between two of them the process does other work.
   */
  async function send(updates: readonly Update[]): Promise<Set<LiveStream>> {
    const reached = new Set<LiveStream>()
    for (const some of slices(updates, SENT_TOGETHER)) for (const stream of await sendSome(some)) reached.add(stream)
    return reached
  }

  async function sendSome(updates: readonly Update[]): Promise<Set<LiveStream>> {
    const reached = new Set<LiveStream>()
    const results = await threads.readForReaders(
      updates.map(({ stream, change }): ReaderOfThread => ({ ...change, caller: stream.caller })),
    )
    for (const [index, { stream, change }] of updates.entries()) {
      const { isOpen = false, isVisible = false, isPublic = false, memberships, thread } = results[index] ?? {}
      const { organizationId, documentId, annotationId, wasPublic } = change
      const named = { organizationId, documentId, annotationId }
      const id = threadName(documentId, annotationId)
      const wasOpen = stream.documents.get(documentId) === true && !stream.foundClosed.has(documentId)
      // That a document is closed is said by the next check: said now, it would reveal that something in it has changed.
      if (!isOpen) stream.foundClosed.add(documentId)
      if (isVisible && stream.loads(documentId)) await learnThreads(db, stream, [documentId])
      if (isVisible && stream.setOpen(documentId, true)) reached.add(stream)
      const isGone =
        isOpen &&
        !isVisible &&
        (stream.privateThreads.delete(id) || (wasPublic && wasOpen && !stream.wentBefore.has(id)))
      if (!isVisible && !isGone) continue
      if (isVisible && !isPublic) stream.privateThreads.add(id)
      // A membership that ends before the next check would otherwise leave the thread on the page.
      if (memberships !== undefined) privately.note({ stream, documentId }, memberships)
      const shown = isGone ? { thread: null } : thread && { thread }
      stream.send('thread', { ...named, ...shown })
      reached.add(stream)
    }
    return reached
  }

  return { send, privately }
}
