/** `auth/permissions/simulate`: what grants, removals and access types would change, before they are made. */
import Type from 'typebox'
import { Decision } from './decisions.ts'
import { callerId, Items, OrganizationId, PageSize, PageToken, UserId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { operation } from './operation.ts'
import { AccessRole, AccessType, ExpiresAt, ResourceName, ResourceType } from './permissions.ts'

const resourceFields = {
  id: callerId("The caller's id of the resource."),
  organizationId: Type.Optional(callerId('That of the call, if given at all.')),
}

/** A resource of the organization of the call. */
const ResourceInside = Type.Object({ type: ResourceType, ...resourceFields }, { additionalProperties: false })

const FolderOrDocument = Type.Object(
  { type: Type.Enum(['folder', 'document']), ...resourceFields },
  { additionalProperties: false },
)

const count = (description: string) => Type.Integer({ description })

export const SimulatedChange = Type.Object({
  userId: Type.String(),
  resource: ResourceName,
  before: Decision,
  after: Decision,
})
export type SimulatedChange = Type.Static<typeof SimulatedChange>

export const Simulation = Type.Object({
  counts: Type.Object(
    {
      gained: count('Denied before and allowed after.'),
      lost: count('Allowed before and denied after.'),
      changed: count('Allowed before and after, with another role or another expiry.'),
    },
    { description: 'Pairs of a user and a resource, of all pages.' },
  ),
  users: Type.Object(
    { gained: Type.Integer(), lost: Type.Integer(), changed: Type.Integer() },
    { description: 'Users with at least one such pair.' },
  ),
  everyone: Type.Object(
    { gained: Type.Integer(), lost: Type.Integer() },
    {
      description:
        'Resources that open to, or close for, users who hold no grant in the organization: who is not named.',
    },
  ),
  changes: Type.Array(SimulatedChange, { description: 'In the order of user id, type and id.' }),
})
export type Simulation = Type.Static<typeof Simulation>

export const simulatePermissions = operation({
  name: 'permissions.simulate',
  path: '/v2/auth/permissions/simulate',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Simulate permissions',
  description: `Who would gain or lose access to what, if these changes were made now: grants as \`permissions/add\` makes them, removals as \`permissions/remove\`, access types as \`access/update\` of folders and documents. Nothing is written, and nobody waits. At least one of the three lists is required. Removals come first, then grants; the same thing twice in a list: the last wins.

Answered are the pairs of a user and a resource for which \`permissions/check\` would say something else: allowed or not, the role, or the expiry. Looked at are, for a grant or a removal, its user with the resource and everything inside; for an access type, and for a folder or document that a grant would declare, every user who has a grant anywhere in the organization, live or expired, or is named in the call. Users without any grant are nobody that could be named: \`everyone\` counts the resources that open to them or close.

What would be refused is refused, with the same reasons: a grant on an unknown resource when the API key has \`requireKnownResources\`, or on a document that was migrated; an access type of a resource that has not been added. Removing a grant that is not there changes nothing.

At most ${LIMITS.simulatedPairsMax} pairs are looked at, otherwise the call is RESOURCE_EXHAUSTED: simulate fewer changes at once. Each page is computed anew, so it is of the moment in which it is asked for, and so are its counts. Simulations of one API key run one after the other.`,
  data: Type.Object(
    {
      organizationId: OrganizationId,
      add: Type.Optional(
        Items(
          Type.Object(
            {
              userId: UserId,
              resource: ResourceInside,
              accessRole: Type.Optional(AccessRole),
              expiresAt: Type.Optional(ExpiresAt),
            },
            { additionalProperties: false },
          ),
          'Grants to make; an absent `accessRole` is `editor`.',
        ),
      ),
      remove: Type.Optional(
        Items(
          Type.Object({ userId: UserId, resource: ResourceInside }, { additionalProperties: false }),
          'Grants to take away.',
        ),
      ),
      accessTypes: Type.Optional(
        Items(
          Type.Object(
            {
              resource: FolderOrDocument,
              accessType: Type.Optional(AccessType),
              inheritFromParent: Type.Optional(Type.Boolean({ default: false })),
            },
            { additionalProperties: false },
          ),
          'Access types to set, or with `inheritFromParent` to take away.',
        ),
      ),
      pageSize: Type.Optional(PageSize),
      pageToken: Type.Optional(PageToken),
    },
    { additionalProperties: false },
  ),
  result: Simulation,
  success: 'Permissions simulated successfully.',
  reasons: ['resource_does_not_exist', 'document_was_migrated', 'too_many_pairs'],
  example: {
    organizationId: 'acme',
    add: [{ userId: 'ada', resource: { type: 'document', id: 'roadmap' }, accessRole: 'viewer' }],
    remove: [{ userId: 'ada', resource: { type: 'folder', id: 'plans' } }],
    accessTypes: [{ resource: { type: 'folder', id: 'plans' }, accessType: 'restricted' }],
  },
})
