/** `commentannotations/data/*`: exports and imports of threads, notifications and activities (rules/comments.md#moving). */
import Type from 'typebox'
import { ItemCode } from '../core/envelope.ts'
import { ClosedObject } from '../core/fields.ts'
import { Items, OrganizationId, PAGING } from '../core/ids.ts'
import { operation } from '../core/operation.ts'
import {
  ActivityData,
  CommentData,
  NotificationData,
  NotificationPreferenceData,
  NotificationRecipientData,
  ThreadData,
  ThreadUserData,
} from './stored-data.ts'

/** The lists of stored data, in the order in which they depend on each other. */
export const STORED_LISTS = {
  threads: Items(ThreadData, 'Threads, each with its first comment.'),
  comments: Items(CommentData, 'Further comments.'),
  threadUsers: Items(ThreadUserData, 'Who follows threads, and has seen which comments.'),
  notifications: Items(NotificationData, 'Notifications.'),
  notificationRecipients: Items(NotificationRecipientData, 'Their state for users.'),
  notificationPreferences: Items(NotificationPreferenceData, 'Levels of channels.'),
  activities: Items(ActivityData, 'Activities.'),
}
export type StoredList = keyof typeof STORED_LISTS
export const LISTS_IN_ORDER = Object.keys(STORED_LISTS) as StoredList[]

export const StoredListName = Type.Enum(LISTS_IN_ORDER)

/** The lists that can be read. `threads` include their comments and users. */
export const StoredDataKind = Type.Enum([
  'threads',
  'notifications',
  'notificationRecipients',
  'notificationPreferences',
  'activities',
])
export type StoredDataKind = Type.Static<typeof StoredDataKind>

const found = <Item extends Type.TSchema>({ items }: Type.TArray<Item>) => Type.Optional(Type.Array(items))

export const listCommentData = operation({
  name: 'comment-data.list',
  path: '/v2/commentannotations/data/list',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'List threads, notifications or activities as they are stored',
  description:
    'Returns a page of one kind of data of an organization, in the form that `comment-data.set` takes and in an order that is the same in every copy. Threads come with all their comments and users. Data on documents that were never added and hold no grants is left out.',
  data: ClosedObject({
    organizationId: OrganizationId,
    kind: StoredDataKind,
    ...PAGING,
  }),
  result: Type.Object({
    threads: found(STORED_LISTS.threads),
    comments: found(STORED_LISTS.comments),
    threadUsers: found(STORED_LISTS.threadUsers),
    notifications: found(STORED_LISTS.notifications),
    notificationRecipients: found(STORED_LISTS.notificationRecipients),
    notificationPreferences: found(STORED_LISTS.notificationPreferences),
    activities: found(STORED_LISTS.activities),
  }),
  success: 'Stored data listed successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', kind: 'threads' },
})

export const setCommentData = operation({
  name: 'comment-data.set',
  path: '/v2/commentannotations/data/set',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Write threads, notifications or activities as they were stored',
  description:
    'Adds missing records and makes existing ones equal to the given data, with ids, times, authors and states; it deletes nothing. It notifies nobody: new threads and comments only have their events. Records that cannot be written are listed in the result, and all others are written.',
  data: ClosedObject({
    organizationId: OrganizationId,
    threads: Type.Optional(STORED_LISTS.threads),
    comments: Type.Optional(STORED_LISTS.comments),
    threadUsers: Type.Optional(STORED_LISTS.threadUsers),
    notifications: Type.Optional(STORED_LISTS.notifications),
    notificationRecipients: Type.Optional(STORED_LISTS.notificationRecipients),
    notificationPreferences: Type.Optional(STORED_LISTS.notificationPreferences),
    activities: Type.Optional(STORED_LISTS.activities),
  }),
  result: Type.Array(
    Type.Object({
      list: StoredListName,
      index: Type.Integer({ description: 'The place of the record in its list, from 0.' }),
      code: ItemCode,
      message: Type.String(),
    }),
    { description: 'The records that were not written, none if all were.' },
  ),
  success: 'Stored data set successfully.',
  reasons: ['organization_does_not_exist'],
  example: {
    organizationId: 'acme',
    threads: [
      {
        documentId: 'roadmap',
        annotationId: 'moved-1',
        type: 'comment',
        from: { userId: 'ada' },
        status: { id: 'OPEN', name: 'Open', type: 'default', color: '#625DF5', lightColor: '#E7E8FA' },
        createdAt: 1_788_000_000_000,
        lastUpdated: 1_788_000_060_000,
        comment: {
          commentId: 100001,
          position: 1,
          from: { userId: 'ada' },
          commentText: 'Is this the price of 2027?',
          createdAt: 1_788_000_000_000,
          lastUpdated: 1_788_000_060_000,
        },
      },
    ],
    threadUsers: [
      {
        documentId: 'roadmap',
        annotationId: 'moved-1',
        userId: 'ada',
        subscription: 'subscribed',
        seenThrough: 1,
        seenAt: 1_788_000_030_000,
      },
    ],
  },
})

export const COMMENT_DATA_OPERATIONS = [listCommentData, setCommentData]
