/** A change of access to one resource: its preview, applying it, and undoing it. */
import { queryOptions } from '@tanstack/react-query'
import type { AccessRole, AccessType, ResourceName, SimulatePermissionsData } from '#sdk/generated/operations.ts'
import { groupGrantsAt } from '../../../queries/access/access.ts'
import { grantsOf, holdersAt } from '../../../queries/access/people.ts'
import { type AccessEffect, simulated } from '../../../queries/access/simulation.ts'
import { queryKeyOf } from '../../../queries/keys/keys.ts'
import { throwIfRefused } from '../../../queries/pages/batch.ts'
import { groupNames } from '../../../queries/users/groups.ts'
import type { Key } from '../../../session/session.ts'
import { holderOf, principalOf } from './principal.tsx'

export interface Grant {
  accessRole: AccessRole
  /** Unix seconds. */
  expiresAt?: number
}

export interface GivenGrant extends Grant {
  /** The user or the user group. */
  principal: string
  /** True: it becomes the only grant on the resource. Otherwise a temporary grant can exist beside a standing one. */
  replaceExisting?: boolean
}

export interface Change {
  give?: readonly GivenGrant[]
  /** The users and user groups whose grants on the resource are revoked. */
  revoke?: readonly string[]
  /** Null to inherit. */
  accessType?: AccessType | null
}

/** The resource that a change applies to. */
export interface Place {
  key: Key
  organizationId: string
  resource: ResourceName
  /** The resource and those above it, from the resource up. */
  chain: readonly { type: ResourceName['type']; id: string; name?: string }[]
}

/** The values that a change replaces. */
export interface State {
  /** The active grants by principal: a standing one, a temporary one, both or none. */
  grants: Readonly<Record<string, readonly Grant[]>>
  /** The own access type; absent when the change does not touch it. */
  accessType?: AccessType | null
}

export interface Preview extends AccessEffect {
  state: State
  /** The names of the users and user groups of the change, where they have one. */
  names: ReadonlyMap<string, string>
}

export const previewQuery = (place: Place, change: Change) =>
  queryOptions({
    queryKey: queryKeyOf(place.key, 'preview', place.resource, change),
    queryFn: async (): Promise<Preview> => {
      const [state, effect, names] = await Promise.all([
        readState(place, change),
        simulated(place.key, simulationOf(place, change)),
        namesOfGroups(place, change),
      ])
      const people = effect.simulation?.groups.flatMap((group) => group.people) ?? []
      const namesOfUsers = people.flatMap(({ userId, name }) => (name === undefined ? [] : [[userId, name] as const]))
      return { state, ...effect, names: new Map([...names, ...namesOfUsers]) }
    },
    // Always current, never cached.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

const named = ({ principal, ...grant }: GivenGrant) => ({ ...holderOf(principal), ...grant })

async function namesOfGroups({ key, organizationId }: Place, change: Change): Promise<[string, string][]> {
  const names = await groupNames(
    key,
    organizationId,
    principalsOf(change).flatMap((principal) => holderOf(principal).groupId ?? []),
  )
  return [...names].map(([groupId, name]) => [principalOf({ groupId }), name])
}

/** Returns the users and user groups that a change names. */
const principalsOf = ({ give = [], revoke = [] }: Change): string[] => [
  ...give.map(({ principal }) => principal),
  ...revoke,
]

function simulationOf({ organizationId, resource: { type, id } }: Place, change: Change): SimulatePermissionsData {
  const { give = [], revoke = [], accessType } = change
  const own = accessType === null ? { inheritFromParent: true } : { accessType }
  return {
    organizationId,
    ...(give.length > 0 && { add: give.map((grant) => ({ ...named(grant), resource: { type, id } })) }),
    ...(revoke.length > 0 && {
      remove: revoke.map((principal) => ({ ...holderOf(principal), resource: { type, id } })),
    }),
    ...(accessType !== undefined &&
      type !== 'organization' && { accessTypes: [{ resource: { type, id }, ...own } as const] }),
  }
}

export async function readState({ key, organizationId, resource }: Place, change: Change): Promise<State> {
  const holders = principalsOf(change).map((principal) => ({ principal, ...holderOf(principal) }))
  const userIds = holders.flatMap(({ userId }) => userId ?? [])
  const groupIds = holders.flatMap(({ groupId }) => groupId ?? [])
  const [ofUsers, ofGroups, explained] = await Promise.all([
    holdersAt(key, organizationId, resource, userIds),
    groupGrantsAt(key, organizationId, resource, groupIds),
    change.accessType === undefined ? undefined : key.client.permissions.explain({ userId: 'anybody', resource }),
  ])
  return {
    grants: Object.fromEntries(
      holders.map(({ principal, userId = '', groupId }) => [
        principal,
        groupId === undefined ? grantsOf(ofUsers.get(userId)) : (ofGroups.get(groupId) ?? []),
      ]),
    ),
    ...(explained && { accessType: explained.chain[0]?.accessType ?? null }),
  }
}

/** The operations that apply a change. */
export const neededFor = ({ resource: { type } }: Place, { give = [], revoke = [], accessType }: Change) => [
  ...(accessType === undefined || type === 'organization' ? [] : [`${type}-access.set` as const]),
  ...(give.length === 0 ? [] : ['grants.add' as const]),
  ...(revoke.length === 0 ? [] : ['permissions.remove' as const]),
]

const CALLS_AT_ONCE = 8

/** Applies a change. Grants are added in one call, but revoked one by one. */
export async function apply({ key, organizationId, resource }: Place, change: Change): Promise<void> {
  const { give = [], revoke = [], accessType } = change
  const { type, id } = resource
  if (accessType !== undefined) {
    const own = { organizationId, ...(accessType === null ? { inheritFromParent: true } : { accessType }) }
    if (type === 'folder') throwIfRefused(await key.client.folderAccess.set({ ...own, folderIds: [id] }))
    else throwIfRefused(await key.client.documentAccess.set({ ...own, documentIds: [id] }))
  }
  if (give.length > 0) await key.client.grants.add({ grants: give.map((grant) => ({ ...named(grant), ...resource })) })
  for (let start = 0; start < revoke.length; start += CALLS_AT_ONCE)
    await Promise.all(
      revoke
        .slice(start, start + CALLS_AT_ONCE)
        .map(holderOf)
        .map(({ userId, groupId }) =>
          key.client.permissions.remove({
            ...(groupId === undefined ? { userId } : { group: { organizationId, groupId } }),
            permissions: { resources: [resource] },
          }),
        ),
    )
}
