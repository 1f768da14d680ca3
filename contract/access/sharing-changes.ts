/** `auth/sharing/update`: users share a document that they can edit, in the limits of their own access (rules/access.md#sharing). */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { UserGroupId, UserId } from '../core/ids.ts'
import { LIMITS, thousands } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { AccessRole, ExpiresAt } from './permissions.ts'
import { ofSharedDocument, SHARING_REASONS, SharedAccess } from './sharing.ts'

const targetFields = { userId: Type.Optional(UserId), groupId: Type.Optional(UserGroupId) }

/** The numbers of members of a user group who gain access, keep it with another role, or lose it. */
export const AffectedMembers = Type.Object({
  gaining: Type.Integer(),
  changing: Type.Integer({ description: 'They keep access with another role or expiry.' }),
  losing: Type.Integer(),
  isExact: Type.Boolean({
    description: `False: the group has more than ${thousands(LIMITS.sharingGroupMembersMax)} users; only that many were examined.`,
  }),
})

export type AffectedMembers = Type.Static<typeof AffectedMembers>

export const SharingChange = Type.Object({
  userId: Type.Optional(Type.String()),
  groupId: Type.Optional(Type.String()),
  effect: Type.Enum(['given', 'changed', 'removed', 'unchanged'], {
    description: 'What happens to the grants on the document.',
  }),
  before: Type.Optional({
    ...SharedAccess,
    description: 'The access before; absent without access. For a user group, its grant.',
  }),
  after: Type.Optional({
    ...SharedAccess,
    description:
      'The access afterwards. After a removal, this is the access that stays, because it comes from elsewhere.',
  }),
  members: Type.Optional(AffectedMembers),
})
export type SharingChange = Type.Static<typeof SharingChange>

export const updateSharing = operation({
  name: 'sharing.update',
  path: '/v2/auth/sharing/update',
  credentials: 'apiKey',
  scope: 'write',
  userToken: true,
  summary: 'Share a document as one of its editors',
  description:
    'Gives users and user groups of the organization a role on a document, or removes their grants on it, all or nothing, for a user who is an editor of it by a grant or membership at that moment. Each given grant becomes the only one of its holder on the document; nobody gives a role above their own, or for longer than their own access lasts, or anything to themselves, also by a user group. With `dryRun` the call only answers what would change.',
  data: ClosedObject(
    {
      ...ofSharedDocument,
      grants: Type.Optional(
        Type.Array(ClosedObject({ ...targetFields, accessRole: AccessRole, expiresAt: Type.Optional(ExpiresAt) }), {
          description: 'The roles to give, each to a user (`userId`) or a user group (`groupId`).',
          maxItems: LIMITS.sharingChangesMax,
        }),
      ),
      removals: Type.Optional(
        Type.Array(ClosedObject(targetFields), {
          description:
            'The users (`userId`) and user groups (`groupId`) whose grants on the document are removed. The effect is `unchanged` for those without a grant.',
          maxItems: LIMITS.sharingChangesMax,
        }),
      ),
      dryRun: Type.Optional(Type.Boolean({ description: 'Changes nothing.', default: false })),
      allowLosingOwnAccess: Type.Optional(
        Type.Boolean({
          description: 'Required for a change after which the user who shares cannot share any more.',
          default: false,
        }),
      ),
    },
    { narrowing: ['dryRun'] },
  ),
  result: Type.Object({
    dryRun: Type.Boolean(),
    changes: Type.Array(SharingChange, { description: 'The grants, then the removals, in the order of the request.' }),
    user: Type.Object(
      {
        before: SharedAccess,
        after: Type.Optional({ ...SharedAccess, description: 'Absent: the user has no access any more.' }),
        canShare: Type.Boolean({ description: 'Whether the user can share the document afterwards.' }),
      },
      { description: 'The user who shares.' },
    ),
  }),
  success: 'Sharing updated successfully.',
  warns: true,
  reasons: [
    ...SHARING_REASONS,
    'sharing_target_unknown',
    'sharing_exceeds_own_access',
    'sharing_would_lower',
    'sharing_with_oneself',
    'own_access_would_end',
    'too_many_group_users',
  ],
  example: {
    organizationId: 'acme',
    documentId: 'roadmap',
    userId: 'ada',
    grants: [{ groupId: 'design', accessRole: 'viewer', expiresAt: 1_900_000_000 }],
  },
})

export const SHARING_CHANGE_OPERATIONS = [updateSharing]
