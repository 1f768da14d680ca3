/** `users/data/*`: what is held about a user, to show it to the user, and to erase it (rules/resources.md#erasure). */
import Type from 'typebox'
import { Items, OrganizationId, PageToken, UserId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { operation } from './operation.ts'
import { AccessRole, ResourceType } from './permissions.ts'

const Milliseconds = Type.Integer({ description: 'Milliseconds.' })
const MillisecondsOrNull = Type.Union([Milliseconds, Type.Null()])

export const deleteUserData = operation({
  name: 'user-data.delete',
  path: '/v2/users/data/delete',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Erase users',
  description:
    'Starts a durable job that erases users, and answers at once; ask `users/data/delete/status` how far it is. In every organization of the key it takes away the grants of the users and their places in user groups; then it deletes their profiles, and with them ends their user tokens. Events keep what happened, but no longer to whom: the user id becomes a pseudonym that leads nowhere, and profiles in events are emptied. With `organizationIds` it does so in these organizations alone, and leaves the profiles. Each organization where something was taken away gets one `user.removed` event for each user, with counts. What is granted or stored after the job has passed its place stays: end the sign-ins of the users in your application first. Erasing users that nothing is held about succeeds.',
  data: Type.Object(
    {
      userIds: Items(UserId, 'The users.'),
      organizationIds: Type.Optional(Items(OrganizationId, 'Only in these; each must be there.')),
    },
    { additionalProperties: false },
  ),
  result: Type.Object({
    jobId: Type.String(),
    tasksCount: Type.Integer({
      description: 'The organizations to go through, and one task for the profiles unless `organizationIds` is given.',
    }),
  }),
  success: 'User data deletion started.',
  reasons: ['organization_does_not_exist'],
  example: { userIds: ['ada'] },
})

export const UserDataDeletion = Type.Object({
  jobId: Type.String(),
  isDeleteCompleted: Type.Boolean(),
  tasksLeft: Type.Integer({ description: 'Of `tasksCount`; 0 exactly when all is done.' }),
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
    'How far the job is. Tasks that are done stay done: a server that dies in the middle of one goes on from there. A job does not fail; what gets in its way is tried again until all is done. The job is remembered, the ids of its users are not.',
  data: Type.Object({ jobId: Type.String({ minLength: 1, maxLength: 64 }) }, { additionalProperties: false }),
  result: UserDataDeletion,
  success: 'User data deletion status retrieved successfully.',
  reasons: ['user_data_deletion_does_not_exist'],
  example: { jobId: 'b1946ac9-2b5c-4f3e-9a55-6c4f0d0f9a11' },
})

const NotHeld = Type.Array(Type.Object({}, { additionalProperties: false }), {
  description: 'Empty: Commonhold holds none. Present for clients that read it.',
})

const UserGrant = Type.Object({
  type: ResourceType,
  id: Type.String(),
  accessRole: AccessRole,
  expiresAt: Type.Optional(Type.Integer({ description: 'Seconds; absent when the grant does not expire.' })),
})

const UserEvent = Type.Object({
  type: Type.String(),
  changedAt: Milliseconds,
  organizationId: Type.Optional(Type.String({ description: 'Absent on events outside organizations, as sign-ins.' })),
  resource: Type.Optional(Type.Object({ type: ResourceType, id: Type.String() })),
  groupId: Type.Optional(Type.String({ description: 'On events of user groups.' })),
  before: Type.Optional(Type.Object({}, { additionalProperties: true })),
  after: Type.Optional(Type.Object({}, { additionalProperties: true })),
})

export const getUserData = operation({
  name: 'user-data.get',
  path: '/v2/users/data/get',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Get the data of a user',
  description: `What is held about a user: the profile, the grants, the user groups, and the events about the user in one organization, at most ${LIMITS.userDataPageSize} of each on a page. Without \`organizationId\` page after page for every organization that knows the user; \`organizationId\` in the answer says which one a page is about, and a page between two of them may be empty. \`nextPageToken\` is absent on the last page. A user that nothing is held about gets empty lists.`,
  data: Type.Object(
    {
      organizationId: Type.Optional(OrganizationId),
      userId: UserId,
      pageToken: Type.Optional(PageToken),
    },
    { additionalProperties: false },
  ),
  result: Type.Object({
    organizationId: Type.Optional(Type.String({ description: 'Absent when no organization knows the user.' })),
    profile: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
      description: 'As stored; null without one. The same in every organization.',
    }),
    grants: Type.Array(UserGrant),
    userGroups: Type.Array(Type.Object({ groupId: Type.String(), groupName: Type.Optional(Type.String()) })),
    events: Type.Array(UserEvent),
    comments: NotHeld,
    reactions: NotHeld,
    recordings: NotHeld,
    notifications: NotHeld,
  }),
  success: 'User data retrieved successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', userId: 'ada' },
})
