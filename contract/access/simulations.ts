/** `auth/permissions/simulate`: what adding grants, revoking grants and setting access types would change. */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { callerId, Items, OrganizationId, PAGING, UserGroupId, UserId } from '../core/ids.ts'
import { LIMITS, thousands } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { Decision, Via } from './decisions.ts'
import {
  AccessRole,
  AccessType,
  ExpiresAt,
  ReplaceExisting,
  ResourceName,
  ResourceType,
  TemporaryOnly,
} from './permissions.ts'

const resourceFields = {
  id: callerId("The caller's id of the resource."),
  organizationId: Type.Optional(callerId('The organization of the call, or nothing.')),
}

/** A resource of the organization of the call. */
export const ResourceInside = ClosedObject({ type: ResourceType, ...resourceFields })

const FolderOrDocument = ClosedObject({ type: Type.Enum(['folder', 'document']), ...resourceFields })

/** Exactly one of the two fields is given. */
const Principal = { userId: Type.Optional(UserId), groupId: Type.Optional(UserGroupId) }

export const Membership = ClosedObject({ groupId: UserGroupId, userId: UserId })

const count = (description: string) => Type.Integer({ description })

export const SimulatedChange = Type.Object({
  userId: Type.String(),
  resource: ResourceName,
  before: Decision,
  after: Decision,
})
export type SimulatedChange = Type.Static<typeof SimulatedChange>

export const AffectedUser = Type.Object({
  userId: Type.String(),
  name: Type.Optional(Type.String({ description: 'The name in the profile of the user.' })),
  resource: ResourceName,
  before: Decision,
  after: Decision,
  resources: count('The resources on which the user is in this group, of which `resource` is the first.'),
})

export const EFFECTS = ['lost', 'role', 'expiry', 'gained', 'kept'] as const

export const EffectGroup = Type.Object({
  effect: Type.Enum([...EFFECTS], {
    description:
      '`lost`: denied afterwards; `role`: another role; `expiry`: the same role with another expiry; `gained`: denied before; `kept`: the same access to a resource that the changes are about.',
  }),
  accessRole: Type.Optional(AccessRole),
  via: Type.Optional(Via),
  groupName: Type.Optional(Type.String({ description: 'The name of the user group in `via`.' })),
  users: count('Users in this group, each counted once.'),
  organizations: count('1 when the organization is among the resources of this group.'),
  folders: count('Folders of this group, each counted once.'),
  documents: count('Documents of this group, each counted once.'),
  people: Type.Array(AffectedUser, {
    description: `The first ${LIMITS.effectGroupUsersShownMax} users in the order of ids.`,
  }),
})
export type EffectGroup = Type.Static<typeof EffectGroup>

export const Simulation = Type.Object({
  counts: Type.Object(
    {
      gained: count('Denied before and allowed after.'),
      lost: count('Allowed before and denied after.'),
      changed: count('Allowed before and after, with another role or another expiry.'),
    },
    { description: 'Pairs of a user and a resource, over all pages.' },
  ),
  users: Type.Object(
    { gained: Type.Integer(), lost: Type.Integer(), changed: Type.Integer() },
    { description: 'Users with at least one such pair.' },
  ),
  everyone: Type.Object(
    { gained: Type.Integer(), lost: Type.Integer() },
    {
      description:
        'Resources that users without any grant in the organization would gain or lose; such users are not listed.',
    },
  ),
  groups: Type.Array(EffectGroup, {
    description: `Users by effect and role afterwards, over all pages, losses first. Users who keep their access are also grouped by its source, the largest ${LIMITS.keptGroupsMax} groups.`,
  }),
  changes: Type.Array(SimulatedChange, {
    description: 'The changes, sorted by user id, resource type and resource id.',
  }),
})
export type Simulation = Type.Static<typeof Simulation>

export const simulatePermissions = operation({
  name: 'permissions.simulate',
  path: '/v2/auth/permissions/simulate',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Simulate permissions',
  description: `Reports who would gain or lose access to which resources if these changes were made now, in the order removals, grants, leaving groups, joining groups; at least one of the lists is required. Nothing is written and nothing is locked; a change that would be refused is refused with the same reason. At most ${thousands(LIMITS.simulatedPairsMax)} pairs of a user and a resource are compared: a larger simulation fails with RESOURCE_EXHAUSTED.`,
  data: ClosedObject({
    organizationId: OrganizationId,
    add: Type.Optional(
      Items(
        ClosedObject({
          ...Principal,
          resource: ResourceInside,
          accessRole: Type.Optional(AccessRole),
          expiresAt: Type.Optional(ExpiresAt),
          replaceExisting: Type.Optional(ReplaceExisting),
        }),
        'Grants to add, as in `permissions/add`.',
      ),
    ),
    remove: Type.Optional(
      Items(
        ClosedObject({ ...Principal, resource: ResourceInside, temporaryOnly: Type.Optional(TemporaryOnly) }),
        'Grants to revoke, as in `permissions/remove`.',
      ),
    ),
    accessTypes: Type.Optional(
      Items(
        ClosedObject({
          resource: FolderOrDocument,
          accessType: Type.Optional(AccessType),
          inheritFromParent: Type.Optional(Type.Boolean({ default: false })),
        }),
        'Access types to set, or to remove with `inheritFromParent`.',
      ),
    ),
    join: Type.Optional(
      Items(
        Membership,
        'Users to add to user groups. A user who is not a member of the organization after `add` and `remove` is not added.',
      ),
    ),
    leave: Type.Optional(Items(Membership, 'Users to remove from user groups.')),
    includeInside: Type.Optional(
      Type.Boolean({
        description:
          'False: compare access only to the resources that the call names, not to resources inside them. This is for changes with too many pairs.',
        default: true,
      }),
    ),
    ...PAGING,
  }),
  result: Simulation,
  success: 'Permissions simulated successfully.',
  warns: true,
  reasons: ['resource_does_not_exist', 'document_was_migrated', 'user_group_does_not_exist', 'too_many_pairs'],
  example: {
    organizationId: 'acme',
    add: [{ userId: 'ada', resource: { type: 'document', id: 'roadmap' }, accessRole: 'viewer' }],
    remove: [{ userId: 'ada', resource: { type: 'folder', id: 'plans' } }],
    accessTypes: [{ resource: { type: 'folder', id: 'plans' }, accessType: 'restricted' }],
  },
})

export const SIMULATION_OPERATIONS = [simulatePermissions]
