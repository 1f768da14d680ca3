/** `auth/permissions/explain`: everything that was looked at for a decision, and the rule that made it (rules/access.md#decision, rules/access.md#questions). */
import Type from 'typebox'
import { Decision } from './decisions.ts'
import { UserId } from './ids.ts'
import { operation } from './operation.ts'
import { AccessRole, ResourceName, ResourceType } from './permissions.ts'

/** The rules of a decision by their number: the first that applies decides. */
export const RULES = {
  1: 'The resource does not exist.',
  2: 'The organization is disabled, or the document is.',
  3: 'The user has a live grant on the resource or above it, up to and including its boundary.',
  4: 'The access type is public.',
  5: 'The access type is organizationPrivate, and the user has a live grant on the organization.',
  6: 'No rule before this one applies.',
} as const
export type RuleNumber = keyof typeof RULES

const ExplainedGrant = Type.Object(
  {
    accessRole: AccessRole,
    expiresAt: Type.Optional(Type.Integer({ description: 'Unix seconds; absent: it does not expire.' })),
    live: Type.Boolean({ description: 'False when it has expired: it is then as if it were not there.' }),
    reaches: Type.Boolean({
      description:
        'Whether a grant that stands here can open the resource asked about: up to and including the boundary, and on the organization where the access type is `organizationPrivate`. What is live and reaches opens; the role is that of the first live one in the chain, whether it reaches or not.',
    }),
  },
  { description: 'The grant of the user on this resource; absent: there is none.' },
)

const accessType = (description: string) => Type.Enum(['public', 'organizationPrivate', 'restricted'], { description })

export const ExplainedResource = Type.Object({
  type: ResourceType,
  id: Type.String(),
  name: Type.Optional(Type.String()),
  accessType: Type.Optional(accessType('Of its own; absent: it follows what is above it.')),
  defaultAccessType: Type.Optional(
    accessType('Of the API key; on the organization, where that is the boundary of a folder or document.'),
  ),
  disabled: Type.Boolean({ description: 'Folders cannot be.' }),
  boundary: Type.Boolean({
    description:
      'True for one resource of the chain: the first with an access type of its own, or else the organization. Its access type is in force, and grants above it do not open.',
  }),
  grant: Type.Optional(ExplainedGrant),
})
export type ExplainedResource = Type.Static<typeof ExplainedResource>

export const Explanation = Type.Object({
  decision: Decision,
  chain: Type.Array(ExplainedResource, {
    description:
      'The resource asked about, its folder, the folders above that from the nearest on, the organization. Empty when it does not exist.',
  }),
  rule: Type.Object(
    {
      number: Type.Integer({ description: '1 to 6, in the order in which the rules are tried.' }),
      condition: Type.String({ description: 'The rule itself, the same in every answer with this number.' }),
      sentence: Type.String({ description: 'What it comes to here, in words for a person that name the resources.' }),
    },
    { description: 'The rule that decided: the first that applies.' },
  ),
})
export type Explanation = Type.Static<typeof Explanation>

export const explainPermissions = operation({
  name: 'permissions.explain',
  path: '/v2/auth/permissions/explain',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Explain permissions',
  description: `Why a user may do with a resource what \`permissions/check\` answers: the decision itself, every resource from the one asked about up to the organization with its access type and the user's grant on it, and the rule that decided. Everything is of one moment. A resource that does not exist is an answer (\`does_not_exist\`), not an error.\n\nThe rules, of which the first that applies decides:\n\n${Object.entries(
    RULES,
  )
    .map(([number, condition]) => `${number}. ${condition}`)
    .join(
      '\n',
    )}\n\nRules 3, 4 and 5 allow. For an organization, which has no access type and is its own boundary, 4 and 5 never apply.`,
  data: Type.Object({ userId: UserId, resource: ResourceName }, { additionalProperties: false }),
  result: Explanation,
  success: 'Permissions explained successfully.',
  example: { userId: 'ada', resource: { type: 'document', id: 'roadmap', organizationId: 'acme' } },
})
