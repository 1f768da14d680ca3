/** Finds changes that would reverse a decision (rules/access.md#alternatives). */
import type { Alternative, ExplainedResource } from '#contract/access/explanations.ts'
import { type AccessType, addPermissions, type ResourceName, removePermissions } from '#contract/access/permissions.ts'
import type { DataOf, Operation } from '#contract/core/operation.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { disableDocuments, setDocumentAccess } from '#contract/resources/documents.ts'
import { setFolderAccess } from '#contract/resources/folders.ts'
import { disableOrganizations } from '#contract/resources/organizations.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { deleteUserGroupUsers } from '#contract/users/user-groups.ts'
import { owningOrganization } from '#tenancy/callers/keys.ts'
import { type Explained, label } from './sentences.ts'

interface Step {
  /** Completes a sentence: “Revoke …”. */
  words: string
  call: Alternative['calls'][number]
}

// biome-ignore lint/suspicious/noExplicitAny: an operation of whatever schemas
const step = <Op extends Operation<any, any>>(words: string, { name }: Op, data: DataOf<Op>): Step => ({
  words,
  call: { operation: name, data: data as Record<string, unknown> },
})

const together = (steps: readonly Step[]): Alternative => {
  const words = new Intl.ListFormat('en').format(steps.map((one) => one.words))
  return { sentence: `${words.charAt(0).toUpperCase()}${words.slice(1)}.`, calls: steps.map(({ call }) => call) }
}

/** Returns the alternatives, ordered by the number of other users that they affect; none for a resource that does not exist. */
export function alternativesOf(explained: Explained): Alternative[] {
  if (explained.chain.length === 0) return []
  return explained.decision.allowed ? waysToDeny(explained) : waysToAllow(explained)
}

const grantOn = ({ userId, resource }: Explained, on = resource): Step =>
  step(`grant user "${userId}" the role of viewer on ${label(on)}`, addPermissions, {
    user: { userId },
    permissions: { resources: [{ ...on, accessRole: 'viewer' }] },
  })

function waysToAllow(explained: Explained): Alternative[] {
  const { resource, decision, chain } = explained
  const [asked, organization] = [chain[0], chain.at(-1)] as [ExplainedResource, ExplainedResource]
  const enabling = [...[organization, asked].flatMap(enable(explained)), ...enableUser(explained)]
  if (enabling.length > 0 && isOpen(explained)) return [together(enabling)]
  const isMember = organization.grants.some(({ groupId, live }) => groupId === undefined && live)
  const ways = [[grantOn(explained)]]
  if (resource.type !== 'organization') {
    if (decision.accessType === 'organizationPrivate' && !isMember)
      ways.push([grantOn(explained, { type: 'organization', id: organization.id })])
    const opening = isMember ? 'organizationPrivate' : 'public'
    if (asked.added) ways.push([setAccess(explained, asked, opening)])
  }
  return ways.map((steps) => together([...enabling, ...steps]))
}

/** Whether access would be allowed if nothing were disabled. */
const isOpen = ({ decision, chain }: Explained): boolean =>
  decision.accessType === 'public' || chain.some(({ grants }) => grants.some(({ live, reaches }) => live && reaches))

const enable =
  ({ resource }: Explained) =>
  ({ type, id, disabled }: ExplainedResource, index: number): Step[] => {
    if (!disabled || (index === 1 && type === 'organization')) return []
    const words = `enable ${label({ type, id })}`
    return type === 'organization'
      ? [step(words, disableOrganizations, { organizationIds: [id], disabled: false })]
      : [
          step(words, disableDocuments, {
            organizationId: owningOrganization(resource),
            documentIds: [id],
            disabled: false,
          }),
        ]
  }

const enableUser = ({ userId, userDisabled }: Explained): Step[] =>
  userDisabled ? [step(`enable user "${userId}"`, disableUsers, { userIds: [userId], disabled: false })] : []

const setAccess = ({ resource }: Explained, { type, id }: ExplainedResource, accessType: AccessType): Step => {
  const words = `set the access type of ${label({ type, id })} to ${accessType}`
  const organizationId = owningOrganization(resource)
  return type === 'folder'
    ? step(words, setFolderAccess, { organizationId, folderIds: [id], accessType })
    : step(words, setDocumentAccess, { organizationId, documentIds: [id], accessType })
}

function waysToDeny(explained: Explained): Alternative[] {
  const { decision, chain } = explained
  const [asked] = chain as [ExplainedResource]
  const isPublic = decision.accessType === 'public'
  const revoking = revoke(
    explained,
    chain.filter(({ grants }) => grants.some(({ live, reaches }) => live && reaches)),
  )
  const ways = isPublic ? [] : [revoking]
  if (asked.type !== 'organization' && asked.added)
    ways.push([
      ...(asked.accessType === 'restricted' ? [] : [setAccess(explained, asked, 'restricted')]),
      ...revoke(explained, [asked]),
    ])
  else if (isPublic) ways.push([closeBoundary(explained), ...revoking])
  const names = ways.map((steps) => JSON.stringify(steps))
  return ways.filter((_, index) => names.indexOf(names[index] ?? '') === index).map(together)
}

/** Restricts what makes a declared resource public: a folder above it, or the default of the API key. */
function closeBoundary(explained: Explained): Step {
  const boundary = explained.chain.find((entry) => entry.boundary)
  return boundary === undefined || boundary.type === 'organization'
    ? step('set the default access type of the API key to restricted', updateKeyConfig, {
        defaultDocumentAccessType: 'restricted',
      })
    : setAccess(explained, boundary, 'restricted')
}

/** Ends the user's live grants on the given resources: revokes the user's own, and ends the memberships in groups that hold others. */
function revoke({ userId, resource }: Explained, places: readonly ExplainedResource[]): Step[] {
  const organizationId = owningOrganization(resource)
  const live = places.flatMap((place) => place.grants.filter((grant) => grant.live).map((grant) => ({ place, grant })))
  const own = [...new Set(live.filter(({ grant }) => grant.groupId === undefined).map(({ place }) => place))]
  const resources = own.map(
    ({ type, id }): ResourceName => (type === 'organization' ? { type, id } : { type, id, organizationId }),
  )
  const revoking =
    resources.length === 0
      ? []
      : [
          step(
            `revoke the grants of user "${userId}" on ${new Intl.ListFormat('en').format(own.map(label))}`,
            removePermissions,
            { userId, permissions: { resources } },
          ),
        ]
  // Without a membership the grants of groups do not count.
  if (own.some(({ type }) => type === 'organization')) return revoking
  const groupIds = [...new Set(live.flatMap(({ grant: { groupId } }) => groupId ?? []))]
  const leaving = groupIds.map((groupId) =>
    step(`remove user "${userId}" from user group "${groupId}"`, deleteUserGroupUsers, {
      organizationId,
      organizationUserGroupId: groupId,
      userIds: [userId],
    }),
  )
  return [...revoking, ...leaving]
}
