/** Tells pages which notifications are new in the inboxes that they show. */
import { newInInboxes } from '#features/notifications/shared.ts'
import type { Db } from '#platform/db/db.ts'
import type { LiveStream } from './stream.ts'
import { slices } from './updates.ts'

/** How many users' inboxes are read in one statement. */
const ASKED_MAX = 1_000

export async function sendInboxes(db: Db, streams: Iterable<LiveStream>): Promise<void> {
  const reading = [...streams].filter(({ request, isOver }) => request.hasInbox && !isOver)
  for (const some of slices(reading, ASKED_MAX)) {
    const inboxes = some.map(({ caller, request, inboxPosition: after }) => ({ ...request, caller, after }))
    const outcomes = await newInInboxes(db, inboxes)
    for (const [index, stream] of some.entries()) {
      const { at, id, notificationIds } = outcomes[index] ?? { at: '-infinity', id: '', notificationIds: [] }
      stream.inboxPosition = [at, id]
      const unsent = notificationIds.filter((notificationId) => !stream.sentInbox.has(notificationId))
      stream.sentInbox = new Set(notificationIds)
      if (unsent.length === 0) continue
      stream.send('inbox', { organizationId: stream.request.organizationId, notificationIds: unsent })
      stream.sendPosition()
    }
  }
}
