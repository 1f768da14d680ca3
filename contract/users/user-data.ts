/** `users/data/*`: the data stored about a user: to export them, and to erase them (rules/resources.md#erasure). */
import Type from 'typebox'
import { AccessRole, ResourceType } from '../access/permissions.ts'
import { TaggedUser } from '../comments/parts.ts'
import { CommentRecord } from '../comments/records.ts'
import { ActivityData, NotificationPreferenceData, ThreadUserData } from '../comments/stored-data.ts'
import { ClosedObject } from '../core/fields.ts'
import { Items, ItemsOrNone, OrganizationId, PageToken, UserId } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { EventResource } from '../events/events.ts'
import { Invitation } from '../resources/invitations.ts'
import { User } from './user-refs.ts'

const Milliseconds = Type.Integer({ description: 'Milliseconds.' })
const MillisecondsOrNull = Type.Union([Milliseconds, Type.Null()])

export const deleteUserData = operation({
  name: 'user-data.delete',
  path: '/v2/users/data/delete',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Erase users',
  description:
    'Revokes the tokens of users and starts a durable job that erases them: it removes their grants, group memberships, invitations, comments and mentions in every organization of the key, replaces their ids in events with pseudonyms, and deletes their profiles; `users/data/delete/status` reports its progress. Until the job is completed, calls that would store something about the users are refused with `user_being_erased`. With `organizationIds` all this applies to these organizations only, and profiles and tokens are kept.',
  data: ClosedObject(
    {
      userIds: Items(UserId, 'The users.'),
      organizationIds: Type.Optional(
        ItemsOrNone(
          OrganizationId,
          'Only in these organizations; each must exist. Empty: in none, so nothing is erased.',
        ),
      ),
    },
    { narrowing: ['organizationIds'] },
  ),
  result: Type.Object({
    jobId: Type.String(),
    tasksCount: Type.Integer({
      description: 'One for each organization, and one for the profiles unless `organizationIds` is given.',
    }),
  }),
  success: 'User data deletion started.',
  reasons: ['organization_does_not_exist'],
  example: { userIds: ['ada'] },
})

export const UserDataDeletion = Type.Object({
  jobId: Type.String(),
  isDeleteCompleted: Type.Boolean(),
  tasksLeft: Type.Integer({
    description: 'The tasks of `tasksCount` that are not done; 0 exactly when the job is complete.',
  }),
  lastTaskCompletedTime: MillisecondsOrNull,
  status: Type.Enum(['pending', 'in_progress', 'completed']),
  tasksCount: Type.Integer(),
  percent: Type.Integer({ minimum: 0, maximum: 100 }),
  createdAt: Milliseconds,
  finishedAt: MillisecondsOrNull,
})
export type UserDataDeletion = Type.Static<typeof UserDataDeletion>

export const getUserDataDeletion = operation({
  name: 'user-data-deletions.get',
  path: '/v2/users/data/delete/status',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Get the status of an erasure',
  description:
    'Returns the progress of the job. A job does not fail: tasks are retried until all are done, and completed tasks stay completed if a server crashes. The record of the job is kept, without the ids of its users.',
  data: ClosedObject({ jobId: Type.String({ minLength: 1, maxLength: 64 }) }),
  result: UserDataDeletion,
  success: 'User data deletion status retrieved successfully.',
  reasons: ['user_data_deletion_does_not_exist'],
  example: { jobId: 'b1946ac9-2b5c-4f3e-9a55-6c4f0d0f9a11' },
})

const NotHeld = Type.Array(ClosedObject({}), {
  description: 'Always empty: Commonhold stores none. Present for clients that expect it.',
})

export const UserGrant = Type.Object({
  type: ResourceType,
  id: Type.String(),
  accessRole: AccessRole,
  expiresAt: Type.Optional(Type.Integer({ description: 'Unix seconds; present on temporary grants.' })),
})

export const UserEvent = Type.Object({
  type: Type.String(),
  changedAt: Milliseconds,
  organizationId: Type.Optional(
    Type.String({ description: 'Absent on events outside organizations, such as sign-ins.' }),
  ),
  resource: Type.Optional(EventResource),
  groupId: Type.Optional(Type.String({ description: 'The user group of the event, if it is about one.' })),
  isShared: Type.Optional(
    Type.Literal(true, { description: 'The user shared a document with somebody else, whom the event is about.' }),
  ),
  before: Type.Optional(Type.Object({}, { additionalProperties: true })),
  after: Type.Optional(Type.Object({}, { additionalProperties: true })),
})

/** A notification of a comment has no text: the user may not open the thread any more. */
export const UserNotification = Type.Object({
  id: Type.String(),
  documentId: Type.String(),
  notificationSource: Type.String(),
  timestamp: Milliseconds,
  actionUser: User,
  displayHeadlineMessageTemplate: Type.Optional(Type.String()),
  displayBodyMessage: Type.Optional(Type.String({ description: 'Absent for notifications of comments.' })),
  targetAnnotationId: Type.Optional(Type.String()),
  isNamed: Type.Boolean({ description: 'The notification names the user.' }),
  readAt: Type.Optional(Type.Integer({ description: 'Milliseconds; present if the user has read it.' })),
})

const { userId: _ofThread, ...ofThreadUser } = ThreadUserData.properties

/** The data of a thread about a user, except comments and mentions. */
const UserThread = Type.Object({
  ...ofThreadUser,
  namedAs: Type.Array(
    Type.Enum(['author', 'assignee', 'mentioned', 'visibility', 'statusUpdatedBy', 'resolvedBy'], {
      description: 'Where the thread names the user; `visibility`: among the users who may see it.',
    }),
  ),
})

/** A comment of somebody else that mentions a user. It has no text: the user may not open the thread any more. */
const UserMention = Type.Object({
  documentId: Type.String(),
  annotationId: Type.String(),
  commentId: Type.Integer(),
  createdAt: Milliseconds,
  contact: Type.Optional({
    ...TaggedUser.properties.contact,
    description: 'The user with the fields that the comment has.',
  }),
  text: TaggedUser.properties.text,
})

const { userId: _ofPreference, ...ofPreference } = NotificationPreferenceData.properties

const UserNotificationPreference = Type.Object({
  ...ofPreference,
  isUnsubscribed: Type.Optional(
    Type.Boolean({ description: 'The user has ended all mails about comments by a link in a mail.' }),
  ),
})

export const getUserData = operation({
  name: 'user-data.get',
  path: '/v2/users/data/get',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Get the data of a user',
  description: `Returns the data stored about a user: the profile, and the grants, user groups, invitations, comments, mentions, threads, notifications and their preferences, activities and events in one organization, at most ${LIMITS.userDataPageSize} of each on a page. Without \`organizationId\` the pages cover every organization with data about the user; \`organizationId\` in the response names the one that a page is about. A page may be empty; only a page without \`nextPageToken\` is the last one.`,
  data: ClosedObject({
    organizationId: Type.Optional(OrganizationId),
    userId: UserId,
    serviceAllOrganizations: Type.Optional(
      Type.Boolean({
        description:
          'True: every organization, as without `organizationId`. With another `HEADER_PREFIX` the field begins with that word.',
        default: false,
      }),
    ),
    uniqueId: Type.Optional(Type.String({ description: 'Returned as it is.', maxLength: LIMITS.idCharactersMax })),
    pageToken: Type.Optional(PageToken),
  }),
  result: Type.Object({
    uniqueId: Type.Optional(Type.String({ description: 'The `uniqueId` of the call.' })),
    organizationId: Type.Optional(
      Type.String({ description: 'The organization of this page. Absent on pages with data outside organizations.' }),
    ),
    profile: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
      description: 'The stored profile, which is the same in every organization; null if there is none.',
    }),
    disabled: Type.Boolean({ description: 'Whether the user is disabled, in every organization.' }),
    grants: Type.Array(UserGrant),
    userGroups: Type.Array(Type.Object({ groupId: Type.String(), groupName: Type.Optional(Type.String()) })),
    invitations: Type.Array(Invitation, {
      description: 'The invitations that the user accepted, and all others of the address in the profile.',
    }),
    events: Type.Array(UserEvent),
    comments: Type.Array(
      Type.Object({ documentId: Type.String(), annotationId: Type.String(), ...CommentRecord.properties }),
      { description: 'The comments that the user wrote.' },
    ),
    mentions: Type.Array(UserMention, { description: 'The comments that mention the user.' }),
    threads: Type.Array(UserThread, {
      description: 'Which threads name the user, whether the user follows them, and what the user has seen of them.',
    }),
    reactions: NotHeld,
    recordings: NotHeld,
    notifications: Type.Array(UserNotification, {
      description: 'The notifications that name the user, and those for every member that the user has read.',
    }),
    notificationPreferences: Type.Array(UserNotificationPreference),
    activities: Type.Array(ActivityData, { description: 'The recorded actions of the user.' }),
  }),
  success: 'User data retrieved successfully.',
  warns: true,
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', userId: 'ada' },
})

export const USER_DATA_OPERATIONS = [deleteUserData, getUserDataDeletion, getUserData]
