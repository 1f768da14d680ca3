/** Writes threads, notifications and activities as they were stored; nobody is notified. */
import type { StoredList } from '#contract/comments/comment-data.ts'
import type { Client } from '#sdk/client.ts'
import type { SetCommentDataData } from '#sdk/generated/operations.ts'
import type { DataKind } from '../files/records.ts'
import { type Batch, batchesOf, type Item, type ItemOf, type Options } from './batches.ts'

/** The lists of the call, by the kinds of records, in the order in which they depend on each other. */
export const STORED_KINDS = {
  thread: 'threads',
  comment: 'comments',
  threadUser: 'threadUsers',
  notification: 'notifications',
  notificationRecipient: 'notificationRecipients',
  notificationPreference: 'notificationPreferences',
  activity: 'activities',
} as const satisfies Partial<Record<DataKind, StoredList>>
export type StoredKind = keyof typeof STORED_KINDS

/** Makes one chain of batches for each organization, because concurrent changes of one organization would only wait for each other. */
export const commentDataChains = (
  client: Client,
  kind: StoredKind,
  items: readonly ItemOf<StoredKind>[],
  options: Options,
): Batch<ItemOf<StoredKind>>[][] =>
  [...Map.groupBy(items, ({ record }) => record.organizationId)].map(([organizationId, ofOne]) =>
    batchesOf(ofOne, async (portion) => {
      const records = portion.map(({ record: { record: _, organizationId: _of, ...data } }) => data)
      const call = { organizationId, [STORED_KINDS[kind]]: records } as SetCommentDataData
      const notWritten = await client.commentData.set(call, options)
      return notWritten.map(({ index, code, message }) => ({
        item: portion[index] as Item,
        fault: { reason: code, message },
      }))
    }),
  )
