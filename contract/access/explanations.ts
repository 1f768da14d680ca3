/** `auth/permissions/explain`: the evaluation path of a decision, and the rule that decided (rules/access.md#decision). */
import Type from 'typebox'
import { ThreadId } from '../comments/parts.ts'
import { ClosedObject } from '../core/fields.ts'
import { UserId } from '../core/ids.ts'
import { LIMITS, thousands } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { Decision } from './decisions.ts'
import { GrantSource } from './permission-provider.ts'
import { AccessRole, ResourceName, ResourceType } from './permissions.ts'

/** The rules of a decision by their number: the first that applies decides. */
export const RULES = {
  1: 'The resource does not exist.',
  2: 'The organization is disabled, or the document is, or the user is.',
  3: 'The user has a live grant on the resource or above it, up to and including its boundary.',
  4: 'The access type is public.',
  5: 'The access type is organizationPrivate, and the user has a live grant on the organization.',
  6: 'Neither a grant nor the access type gives the user access.',
} as const
export type RuleNumber = keyof typeof RULES

export const ExplainedGrant = Type.Object(
  {
    accessRole: AccessRole,
    groupId: Type.Optional(
      Type.String({ description: "The user group that holds the grant; absent on the user's own grants." }),
    ),
    expiresAt: Type.Optional(Type.Integer({ description: 'Unix seconds; absent on the standing grant.' })),
    source: Type.Optional(GrantSource),
    live: Type.Boolean({
      description:
        "False when it has no effect: it has expired, or it is a group's and the user is no longer a member of the organization.",
    }),
    reaches: Type.Boolean({
      description:
        'Whether a grant here can give access to the resource in question: up to and including the boundary, and on the organization where the access type is `organizationPrivate`. A live grant that reaches gives access. The role is the strongest of the live grants on the first resource of the chain that has one, whether they reach or not.',
    }),
  },
  { description: "A grant on this resource: the user's own, or one of a user group that the user is in." },
)

export type ExplainedGrant = Type.Static<typeof ExplainedGrant>

const accessType = (description: string) => Type.Enum(['public', 'organizationPrivate', 'restricted'], { description })

export const ExplainedResource = Type.Object({
  type: ResourceType,
  id: Type.String(),
  name: Type.Optional(Type.String()),
  accessType: Type.Optional(accessType('Its own access type; absent: it follows the resource above it.')),
  defaultAccessType: Type.Optional(
    accessType(
      'The default of the API key; present on the organization when that is the boundary of a folder or document.',
    ),
  ),
  defaultAccessRole: Type.Optional({
    ...AccessRole,
    description:
      'The default of the API key: the role of users without a grant on the chain; present on the boundary when the resource is public.',
  }),
  added: Type.Boolean({ description: 'False for a folder or document that only grants name so far.' }),
  disabled: Type.Boolean({ description: 'Always false for folders, which cannot be disabled.' }),
  boundary: Type.Boolean({
    description:
      'True for one resource of the chain: the first with an access type of its own, or else the organization. Its access type applies, and grants above it give no access.',
  }),
  grants: Type.Array(ExplainedGrant, {
    description:
      "The grants on this resource: the user's own, then the grants of the user's groups; for each holder the standing grant, then the temporary one.",
  }),
})
export type ExplainedResource = Type.Static<typeof ExplainedResource>

/** The number of people who gain or lose access to the resource by the calls of an alternative. */
export const AffectedPeople = Type.Object(
  {
    count: Type.Integer({ minimum: 1 }),
    exact: Type.Boolean({
      description: `False: \`count\` is a lower bound, because everyone would be affected, or more than ${thousands(LIMITS.countedUsersMax)} users have grants in the organization.`,
    }),
    everyone: Type.Boolean({ description: 'Whether users without any grant are affected too.' }),
    others: Type.Optional(
      Type.Integer({
        description:
          'How many people are affected the other way: an access type that lets members in also ends the access of guests who have it by a grant above the resource. A lower bound as `count` is. Absent: nobody.',
        minimum: 1,
      }),
    ),
  },
  {
    description:
      'With `countPeople`: who would gain access to the resource by the calls, or lose it if the user has it, the user included.',
  },
)
export type AffectedPeople = Type.Static<typeof AffectedPeople>

export const Alternative = Type.Object(
  {
    sentence: Type.String({ description: 'What the calls do, in a sentence that names the resources.' }),
    calls: Type.Array(
      Type.Object({
        operation: Type.String({ description: 'Such as `permissions.add`.' }),
        data: Type.Record(Type.String(), Type.Unknown(), { description: 'The `data` of the call.' }),
      }),
    ),
    people: Type.Optional(AffectedPeople),
  },
  { description: 'Calls that together reverse the answer.' },
)

export type Alternative = Type.Static<typeof Alternative>

export const NearGrant = Type.Object(
  {
    type: ResourceType,
    id: Type.String(),
    accessRole: AccessRole,
    organizationId: Type.Optional(
      Type.String({
        description: 'The organization of the folder or document, if it is another one: only grants have named it.',
      }),
    ),
    groupId: Type.Optional(Type.String({ description: 'The user group that holds the grant.' })),
    near: Type.Object(
      { type: ResourceType, id: Type.String() },
      { description: 'The resource whose id is nearly the same.' },
    ),
  },
  {
    description:
      'A live grant on a folder or document that was never added, or in an organization that only grants have named.',
  },
)
export type NearGrant = Type.Static<typeof NearGrant>

export const ThreadExplanation = Type.Object(
  {
    annotationId: Type.String(),
    visible: Type.Boolean({ description: 'Whether the user sees the thread.' }),
    reason: Type.Enum(
      [
        ...['public', 'author', 'named', 'member'],
        ...['does_not_exist', 'document_not_open', 'access_context', 'not_named', 'not_member'],
      ] as const,
      { description: 'The first four show it; the others hide it.' },
    ),
    sentence: Type.String(),
  },
  { description: 'Present if the call names a thread: whether the user sees it, and why.' },
)
export type ThreadExplanation = Type.Static<typeof ThreadExplanation>

export const Explanation = Type.Object({
  decision: Decision,
  afterwards: Type.Optional(
    Type.Object(Decision.properties, {
      description:
        'The decision when the current one expires, if nothing changes until then; absent if the current decision has no `expiresAt`.',
    }),
  ),
  userDisabled: Type.Boolean({
    description: 'Whether the user is disabled. Always false when the resource does not exist.',
  }),
  chain: Type.Array(ExplainedResource, {
    description:
      'The resource in question, its folder, the folders above from the nearest up, the organization. Empty when the resource does not exist.',
  }),
  rule: Type.Object(
    {
      number: Type.Integer({ description: '1 to 6, in the order in which the rules are applied.' }),
      condition: Type.String({ description: 'The rule itself, the same in every response with this number.' }),
      sentence: Type.String({
        description: 'What the rule means in this case, in a sentence that names the resources.',
      }),
    },
    { description: 'The rule that decided: the first that applies.' },
  ),
  alternatives: Type.Array(Alternative, {
    description:
      'Changes that would reverse the answer, each by itself; with `countPeople`, those that affect the fewest people first. Empty for a resource that does not exist.',
  }),
  nearGrants: Type.Optional(
    Type.Array(NearGrant, {
      description:
        'Present if the user has grants on folders or documents that were never added, and whose ids nearly equal the id of the resource or of a folder above it, or grants in an organization with nearly this id and without a name, folders and documents: these are probably misspelt. For each holder, 1,000 grants are compared, and the 1,000 organizations with the next ids.',
    }),
  ),
  thread: Type.Optional(ThreadExplanation),
})
export type Explanation = Type.Static<typeof Explanation>

export const explainPermissions = operation({
  name: 'permissions.explain',
  path: '/v2/auth/permissions/explain',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Explain permissions',
  description:
    "Explains the decision of `permissions/check` for a user and a resource: the decision, every resource from the one in question up to the organization with its access type and the user's grants on it, the rule that decided, and changes that would reverse the answer. All of it is from one moment. A resource that does not exist is a result (`does_not_exist`), not an error.",
  data: ClosedObject({
    userId: UserId,
    resource: ResourceName,
    annotationId: Type.Optional({
      ...ThreadId,
      description: 'A thread of the document; the response then also explains whether the user sees it.',
    }),
    countPeople: Type.Optional(
      Type.Boolean({ description: 'Whether to count whose access each alternative would change.', default: false }),
    ),
  }),
  result: Explanation,
  success: 'Permissions explained successfully.',
  warns: true,
  example: { userId: 'ada', resource: { type: 'document', id: 'roadmap', organizationId: 'acme' } },
})

export const EXPLANATION_OPERATIONS = [explainPermissions]
