/** Makes the records of threads, notifications and activities of an organization for an export, as the server has stored them. */
import type { StoredDataKind } from '#contract/comments/comment-data.ts'
import type { Client } from '#sdk/client.ts'
import type { ListCommentDataResult } from '#sdk/generated/operations.ts'
import type { CallOptions } from '#sdk/options.ts'
import type { DataKind, DataRecord } from '../files/records.ts'
import { type Portions, portions, prefetch } from './pages.ts'

type Page = ListCommentDataResult

const threadOf = ({ documentId, annotationId }: { documentId: string; annotationId: string }): string =>
  JSON.stringify([annotationId, documentId])

const recordOf = (record: DataKind, organizationId: string, fields: object): DataRecord =>
  ({ record, organizationId, ...fields }) as DataRecord

/** Each thread is followed by its further comments and by its users, wherever a page ends. */
function threadRecords(organizationId: string, { threads = [], comments = [], threadUsers = [] }: Page): DataRecord[] {
  const commentsOf = Map.groupBy(comments, threadOf)
  const usersOf = Map.groupBy(threadUsers, threadOf)
  return threads.flatMap((thread) => [
    recordOf('thread', organizationId, thread),
    ...(commentsOf.get(threadOf(thread)) ?? []).map((comment) => recordOf('comment', organizationId, comment)),
    ...(usersOf.get(threadOf(thread)) ?? []).map((user) => recordOf('threadUser', organizationId, user)),
  ])
}

const records =
  (record: DataKind, list: keyof Page) =>
  (organizationId: string, page: Page): DataRecord[] =>
    (page[list] ?? []).map((fields) => recordOf(record, organizationId, fields))

/** Threads come first: notifications are about their comments. */
const RECORDS: Record<StoredDataKind, (organizationId: string, page: Page) => DataRecord[]> = {
  threads: threadRecords,
  notifications: records('notification', 'notifications'),
  notificationRecipients: records('notificationRecipient', 'notificationRecipients'),
  notificationPreferences: records('notificationPreference', 'notificationPreferences'),
  activities: records('activity', 'activities'),
}

/** Starts reading the lists, which are independent of each other, and yields their records. */
export function commentRecords(client: Client, organizationId: string, options: CallOptions): Portions<DataRecord> {
  const lists = (Object.keys(RECORDS) as StoredDataKind[]).map((kind) =>
    prefetch(
      portions(client.commentData.list.pages({ organizationId, kind }, options), (page) =>
        RECORDS[kind](organizationId, page),
      ),
    ),
  )
  async function* inOrder(): Portions<DataRecord> {
    for (const list of lists) yield* list
  }
  return inOrder()
}
