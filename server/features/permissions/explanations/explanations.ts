/** Explains access decisions (rules/access.md#questions). */
import type { Decision } from '#contract/access/decisions.ts'
import {
  type ExplainedGrant,
  type ExplainedResource,
  type Explanation,
  type explainPermissions,
  type NearGrant,
  RULES,
  type RuleNumber,
} from '#contract/access/explanations.ts'
import { isNearId } from '#contract/access/near-ids.ts'
import { PERMISSION_PROVIDER } from '#contract/access/permission-provider.ts'
import { organizationFault, type ResourceName } from '#contract/access/permissions.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey, owningOrganization } from '#tenancy/callers/keys.ts'
import type { Found } from '#tenancy/public-access.ts'
import { decisionOf } from '../decision/forms.ts'
import { type CountUsers, withPeople } from './affected-people.ts'
import { alternativesOf } from './alternatives.ts'
import { type Explained, sentenceOf } from './sentences.ts'
import { EXPLAIN, type ExplanationRow, type GroupGrants, type UndeclaredGrant } from './statements.ts'
import { explainThread } from './threads.ts'

export function createExplanations(
  db: Db,
  countUsers: (caller: Caller, ...changes: Parameters<CountUsers>) => ReturnType<CountUsers>,
) {
  return {
    async explain(caller: Caller, data: DataOf<typeof explainPermissions>): Promise<Explanation> {
      const explanation = await (data.annotationId === undefined
        ? explain(db, caller, data)
        : db.transaction((session) => explain(session, caller, data), { snapshot: true }))
      if (data.countPeople !== true) return explanation
      const count: CountUsers = (...changes) => countUsers(caller, ...changes)
      return { ...explanation, alternatives: await withPeople(explanation, data.resource, count) }
    },
  }

  async function explain(
    session: Session,
    caller: Caller,
    { userId, resource, annotationId }: DataOf<typeof explainPermissions>,
  ): Promise<Explanation> {
    const fault = organizationFault(resource, 'resource')
    if (annotationId !== undefined && resource.type !== 'document')
      throw invalidArgument([{ field: 'annotationId', message: 'annotationId must be given with a document' }])
    if (fault !== undefined) throw invalidArgument([fault])
    const { defaultAccessType, defaultAccessRole } = caller
    const question = {
      organizationKey: organizationKey(caller, owningOrganization(resource)),
      kind: resource.type,
      resourceId: resource.id,
      userId,
      defaultAccessType,
      defaultAccessRole,
      atLeast: null,
    }
    const rows = await session.runSet(EXPLAIN, [question])
    const [first] = rows as [ExplanationRow]
    const decision = decisionOf(first)
    const afterwards = first.afterwards === null ? {} : { afterwards: decisionOf(first.afterwards) }
    const chain = rows.flatMap((row) => entryOf(row, resource, caller))
    const { userDisabled } = first
    const explained = { userId, resource, decision, userDisabled, chain }
    const number = RULE_OF[decision.reason]
    const rule = { number, condition: RULES[number], sentence: sentenceOf(explained) }
    const asked = {
      organizationKey: question.organizationKey,
      documentId: resource.id,
      userId,
      isOpen: decision.allowed,
    }
    const thread = annotationId === undefined ? undefined : await explainThread(session, { ...asked, annotationId })
    const alternatives = alternativesOf(explained)
    const near = [...nearGrantsOf(explained, first.undeclared), ...grantsElsewhere(resource, first)].slice(0, SHOWN_MAX)
    return {
      ...{ decision, ...afterwards, userDisabled, chain, rule, alternatives },
      ...(near.length > 0 && { nearGrants: near }),
      ...(thread && { thread }),
    }
  }
}

/** Returns the resource of an explanation if it is public, and why. */
export function publicIn({ decision, chain }: Explanation, resource: ResourceName): Found[] {
  const { type, id } = resource
  if (type === 'organization' || decision.accessType !== 'public') return []
  const boundary = chain.find((entry) => entry.boundary)
  const isOfFolder = boundary?.type === 'folder' && !(type === 'folder' && boundary.id === id)
  return [
    {
      resource,
      access: boundary?.type === 'organization' ? null : isOfFolder ? `public ${boundary.id}` : 'public',
    },
  ]
}

const RULE_OF: Record<Decision['reason'], RuleNumber> = {
  does_not_exist: 1,
  disabled: 2,
  user_disabled: 2,
  grant: 3,
  access_type: 4,
  membership: 5,
  no_grant: 6,
  grant_expired: 6,
}

function entryOf(row: ExplanationRow, asked: ResourceName, caller: Caller): ExplainedResource[] {
  const { type, id, name, ownAccessType, added, disabled, boundary } = row
  if (type === null) return []
  const { defaultAccessType, defaultAccessRole } = caller
  const followsDefault = boundary && type === 'organization' && asked.type !== 'organization'
  return [
    {
      type,
      id,
      ...(name === null ? {} : { name }),
      ...(ownAccessType === null ? {} : { accessType: ownAccessType }),
      ...(followsDefault ? { defaultAccessType } : {}),
      ...(boundary && row.accessType === 'public' ? { defaultAccessRole } : {}),
      added,
      disabled,
      boundary,
      grants: grantsOf(row),
    },
  ]
}

/** Returns the user's own grants, then the grants of the user's groups. */
function grantsOf(row: ExplanationRow): ExplainedGrant[] {
  const { reaches, groupGrants } = row
  return [
    ...eachGrant(row, { reaches }),
    ...groupGrants.flatMap(({ groupId, member, ...grants }) =>
      eachGrant(grants, { groupId, reaches }).map((grant) => ({ ...grant, live: grant.live && member })),
    ),
  ]
}

const eachGrant = (
  {
    standingRole,
    temporaryRole,
    grantExpiresAt,
    live,
    isProvided = false,
  }: Omit<GroupGrants, 'groupId' | 'member'> & { isProvided?: boolean },
  common: Pick<ExplainedGrant, 'groupId' | 'reaches'>,
): ExplainedGrant[] => [
  ...(standingRole === null ? [] : [{ ...common, accessRole: standingRole, live: true }]),
  ...(temporaryRole === null || grantExpiresAt === null
    ? []
    : [
        {
          ...common,
          accessRole: temporaryRole,
          expiresAt: grantExpiresAt,
          ...(isProvided ? { source: PERMISSION_PROVIDER } : {}),
          live,
        },
      ]),
]

const SHOWN_MAX = 10

/**
 * Returns grants that were probably meant for the resource in question: they are on nearly equal ids that were never
 * added. Grants near the id of the resource come first, then those near the ids of the folders above it, from the
 * nearest up.
 */
function nearGrantsOf({ resource, chain }: Explained, undeclared: readonly UndeclaredGrant[]): NearGrant[] {
  const places = (chain.length === 0 ? [resource] : chain).filter(({ type }) => type !== 'organization')
  const misspelt = undeclared.filter((grant) => !places.some(({ type, id }) => type === grant.type && id === grant.id))
  const found = misspelt.map((grant) => ({ grant, at: places.findIndex(({ id }) => isNearId(id, grant.id)) }))
  return found
    .sort((one, other) => one.at - other.at)
    .flatMap(({ grant: { groupId, ...grant }, at }): NearGrant[] => {
      const place = places[at]
      if (place === undefined) return []
      return [{ ...grant, ...(groupId === null ? {} : { groupId }), near: { type: place.type, id: place.id } }]
    })
}

/** Returns grants in nearly equal organizations that only grants have named; those on the resource in question come first. */
function grantsElsewhere({ type, id }: ResourceName, { organizationId, elsewhere }: ExplanationRow): NearGrant[] {
  if (organizationId === null) return []
  const found = elsewhere.filter((grant) => isNearId(grant.organizationId, organizationId))
  const onResource = found.filter((grant) => grant.type !== 'organization')
  const onOrganizations = found.filter((grant) => grant.type === 'organization')
  return [
    ...onResource.map((grant): NearGrant => ({ ...grant, near: { type, id } })),
    ...onOrganizations.map(
      ({ organizationId: _, ...grant }): NearGrant => ({
        ...grant,
        near: { type: 'organization', id: organizationId },
      }),
    ),
  ]
}
