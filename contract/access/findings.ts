/** `workspace/findings/list` and `workspace/account/findings/list`: what an administrator should look at (rules/access.md#findings). */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { OrganizationId } from '../core/ids.ts'
import { LIMITS, thousands } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { AccessRole, ResourceName } from './permissions.ts'

/** The kinds of findings of an API key, in the order of the list: access for too many people comes first. */
export const FINDING_KINDS = [
  'public_by_default',
  'public_in_restricted',
  'public_private_name',
  'left_with_access',
  'trainee_edits_everything',
  'guest_without_end',
  'grant_not_added',
  'expired_lately',
  'closed_inside',
  'disabled_with_grants',
  'weaker_inside',
  'webhook_failing',
  'token_unused',
] as const
export type FindingKind = (typeof FINDING_KINDS)[number]

/** The kinds of findings of a workspace. */
export const ACCOUNT_FINDING_KINDS = [
  'no_second_factor',
  'settings_differ',
  'workspace_token_unused',
  'api_key_unused',
] as const

/** A call that would fix the finding. */
export const FindingFix = Type.Object({
  operation: Type.String({ description: 'Such as `permissions.remove`.' }),
  data: Type.Record(Type.String(), Type.Unknown(), { description: 'The `data` of the call.' }),
})

const finding = <Kind extends string>(kinds: readonly Kind[], description: string) => ({
  kind: Type.Enum([...kinds], { description }),
  sentence: Type.String({ description: 'The finding, in a sentence that names its subject.' }),
  since: Type.Optional(
    Type.Integer({ description: 'The time since when it is so, in milliseconds, if that is known.' }),
  ),
  calls: Type.Array(FindingFix, {
    description: 'The calls that would fix it; empty where a person has to decide first.',
  }),
})

export const Finding = Type.Object({
  ...finding(
    FINDING_KINDS,
    '`public_by_default`: the default access type is public; `public_in_restricted`: something public in a restricted folder; `public_private_name`: something public whose name sounds private; `left_with_access`: grants of a user who has left according to the profile, or, for an operator of the workspace, who is disabled in another of its API keys; `trainee_edits_everything`: a trainee edits a whole organization; `guest_without_end`: a guest has a standing grant; `grant_not_added`: a grant on something that was never added, or in an organization with a misspelt id; `expired_lately`: a grant expired within 7 days; `closed_inside`: something restricted that people with grants on the folder cannot open; `disabled_with_grants`: something disabled to which people have grants; `weaker_inside`: a grant that is weaker than the one above it that would count without it; `webhook_failing`; `token_unused`: not used for 90 days.',
  ),
  resource: Type.Optional(ResourceName),
  resourceName: Type.Optional(Type.String()),
  userId: Type.Optional(Type.String()),
  userName: Type.Optional(Type.String({ description: 'The name in the profile of the user.' })),
  accessRole: Type.Optional(AccessRole),
  tokenId: Type.Optional(Type.String()),
  endpointId: Type.Optional(Type.String()),
})
export type Finding = Type.Static<typeof Finding>

export const AccountFinding = Type.Object({
  ...finding(
    ACCOUNT_FINDING_KINDS,
    '`no_second_factor`: an owner or admin without a passkey and without single sign-on; `settings_differ`: documents are public by default in this API key and not in others; `workspace_token_unused` and `api_key_unused`: not used for 90 days.',
  ),
  operatorId: Type.Optional(Type.String()),
  tokenId: Type.Optional(Type.String()),
  apiKey: Type.Optional(Type.String()),
})
export type AccountFinding = Type.Static<typeof AccountFinding>

export const listFindings = operation({
  name: 'findings.list',
  path: '/v2/workspace/findings/list',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'List what is worth a look',
  description: `Lists what an administrator of the API key should look at, each with the calls that would fix it. Of each kind at most ${LIMITS.findingsPerKindMax} are listed, from the first ${thousands(LIMITS.findingsExaminedMax)} grants, folders and documents; \`isComplete\` says whether that was everything. Nothing is written.`,
  data: ClosedObject({
    organizationId: Type.Optional({ ...OrganizationId, description: 'The organization to examine; absent: all.' }),
    kinds: Type.Optional(
      Type.Array(Type.Enum([...FINDING_KINDS]), {
        description: 'The kinds of findings to list; absent: all.',
        minItems: 1,
        maxItems: FINDING_KINDS.length,
      }),
    ),
  }),
  result: Type.Object({ findings: Type.Array(Finding), isComplete: Type.Boolean() }),
  success: 'Findings listed successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme' },
})

export const listAccountFindings = operation({
  name: 'account-findings.list',
  path: '/v2/workspace/account/findings/list',
  credentials: 'workspace',
  summary: 'List what is worth a look in the workspace',
  description:
    'Lists what an administrator of the workspace should look at: operators without a second factor, tokens and API keys that nobody uses, and API keys whose documents are public by default. Nothing is written.',
  data: ClosedObject({}),
  result: Type.Object({ findings: Type.Array(AccountFinding) }),
  success: 'Findings listed successfully.',
  warns: true,
  example: {},
})

export const FINDING_OPERATIONS = [listFindings, listAccountFindings]
