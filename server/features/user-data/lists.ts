/** The lists of the data held about a user: where each begins, and how its rows are read and named (rules/resources.md#erasure). */
import type { InvitationRow } from '#features/invitations/shared.ts'
import type { Db } from '#platform/db/db.ts'
import {
  LIST_ACTIVITIES,
  LIST_COMMENTS,
  LIST_MENTIONS,
  LIST_NOTIFICATIONS,
  LIST_PREFERENCES,
  LIST_THREADS,
  type UserActivityRow,
  type UserCommentRow,
  type UserMentionRow,
  type UserNotificationRow,
  type UserPreferenceRow,
  type UserThreadRow,
} from './comment-statements.ts'
import {
  LIST_EVENTS,
  LIST_GRANTS,
  LIST_INVITATIONS,
  LIST_USER_GROUPS,
  type UserEventRow,
  type UserGrantRow,
  type UserGroupRow,
} from './reading-statements.ts'

/** A user, and how invitations to the user's address name them: null without an address. */
export interface Person {
  userId: string
  invitee: string | null
}

const NIL = '00000000-0000-0000-0000-000000000000'

export interface List<Row> {
  first: string
  read(db: Db, stream: string, person: Person, after: string, count: number): Promise<Row[]>
  at(row: Row): string
}
const listOf = <Row>(list: List<Row>) => list
const partsOf = (cursor: string): unknown[] => JSON.parse(cursor)

export const LISTS = {
  grants: listOf<UserGrantRow>({
    first: `organization/${NIL}/false`,
    read(db, key, { userId }, after, count) {
      const [type, resourceKey, isTemporary = 'true'] = after.split('/')
      return db.run(LIST_GRANTS, [key, userId, type, resourceKey, count, isTemporary])
    },
    at: ({ type, resourceKey, isTemporary }) => `${type}/${resourceKey}/${isTemporary}`,
  }),
  userGroups: listOf<UserGroupRow>({
    first: '',
    read: (db, key, { userId }, after, count) => db.run(LIST_USER_GROUPS, [key, userId, after, count]),
    at: ({ groupId }) => groupId,
  }),
  invitations: listOf<InvitationRow>({
    first: NIL,
    read: (db, key, { userId, invitee }, after, count) =>
      db.run(LIST_INVITATIONS, [key, userId, invitee, after, count]),
    at: ({ invitationId }) => invitationId,
  }),
  events: listOf<UserEventRow>({
    first: '0',
    read: (db, stream, { userId }, after, count) => db.run(LIST_EVENTS, [stream, userId, after, count]),
    at: ({ sequence }) => sequence,
  }),
  comments: listOf<UserCommentRow>({
    first: JSON.stringify([NIL, '', '0']),
    read: (db, key, { userId }, after, count) => db.run(LIST_COMMENTS, [key, userId, ...partsOf(after), count]),
    at: ({ resourceKey, annotationId, commentId }) => JSON.stringify([resourceKey, annotationId, commentId]),
  }),
  mentions: listOf<UserMentionRow>({
    first: JSON.stringify([NIL, '', '0']),
    read: (db, key, { userId }, after, count) => db.run(LIST_MENTIONS, [key, userId, ...partsOf(after), count]),
    at: ({ resourceKey, annotationId, commentId }) => JSON.stringify([resourceKey, annotationId, commentId]),
  }),
  threads: listOf<UserThreadRow>({
    first: JSON.stringify([NIL, '']),
    read: (db, key, { userId }, after, count) => db.run(LIST_THREADS, [key, userId, ...partsOf(after), count]),
    at: ({ resourceKey, annotationId }) => JSON.stringify([resourceKey, annotationId]),
  }),
  notifications: listOf<UserNotificationRow>({
    first: '',
    read: (db, key, { userId }, after, count) => db.run(LIST_NOTIFICATIONS, [key, userId, after, count]),
    at: ({ id }) => id,
  }),
  notificationPreferences: listOf<UserPreferenceRow>({
    first: NIL,
    read: (db, key, { userId }, after, count) => db.run(LIST_PREFERENCES, [key, userId, after, count]),
    at: ({ resourceKey }) => resourceKey,
  }),
  activities: listOf<UserActivityRow>({
    first: JSON.stringify([0, '']),
    read: (db, key, { userId }, after, count) => db.run(LIST_ACTIVITIES, [key, userId, ...partsOf(after), count]),
    at: ({ timestamp, id }) => JSON.stringify([timestamp, id]),
  }),
}
