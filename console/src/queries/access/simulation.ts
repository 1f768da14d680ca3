/** Simulates changes of access: who loses, gains and keeps access, counted by the server. */
import { queryOptions } from '@tanstack/react-query'
import { CommonholdError } from '#sdk/errors.ts'
import type { ResourceType, SimulatePermissionsData, Simulation } from '#sdk/generated/operations.ts'
import { ITEMS_MAX } from '#sdk/shared/chunks.ts'
import type { Key } from '../../session/session.ts'
import { queryKeyOf } from '../keys/keys.ts'
import type { OwnAccessType, Resources } from '../resources/resources.ts'

export interface AccessEffect {
  /** Undefined when the change is too large to simulate. */
  simulation: Simulation | undefined
  /** The contents of the changed resources were too much to compare, so all counts are lower bounds. */
  atLeast: boolean
}

const TOO_LARGE: AccessEffect = { simulation: undefined, atLeast: true }

export const accessEffectQuery = (key: Key, resources: Resources, accessType: OwnAccessType) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'preview', 'access-type', resources, accessType),
    queryFn: async ({ signal }): Promise<AccessEffect> => {
      const { organizationId, folderIds, documentIds } = resources
      if (folderIds.length + documentIds.length > ITEMS_MAX) return TOO_LARGE
      const own = accessType === null ? { inheritFromParent: true } : { accessType }
      const accessTypes = [
        ...folderIds.map((id) => ({ resource: { type: 'folder' as const, id }, ...own })),
        ...documentIds.map((id) => ({ resource: { type: 'document' as const, id }, ...own })),
      ]
      return simulated(key, { organizationId, accessTypes }, signal)
    },
    // Always current, never cached.
    staleTime: 0,
    gcTime: 0,
  })

/** The effect of revoking the grants of a user group on these resources. */
export const revocationEffectQuery = (
  key: Key,
  organizationId: string,
  groupId: string,
  resources: readonly { type: ResourceType; id: string }[],
) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'preview', 'revocation', organizationId, groupId, resources),
    queryFn: async ({ signal }): Promise<AccessEffect> =>
      resources.length > ITEMS_MAX
        ? TOO_LARGE
        : simulated(key, { organizationId, remove: resources.map((resource) => ({ groupId, resource })) }, signal),
    // Always current, never cached.
    staleTime: 0,
    gcTime: 0,
  })

/** Simulates a change. If that is too much to compare, simulates its effect on the changed resources alone. */
export async function simulated(key: Key, data: SimulatePermissionsData, signal?: AbortSignal): Promise<AccessEffect> {
  for (const includeInside of [true, false])
    try {
      // The groups say everything: they count all pages, and name the people.
      const simulation = await key.client.permissions.simulate(
        { ...data, includeInside, pageSize: 1 },
        signal === undefined ? {} : { signal },
      )
      return { simulation, atLeast: !includeInside }
    } catch (error) {
      if (!(error instanceof CommonholdError) || error.reason !== 'too_many_pairs') throw error
    }
  return TOO_LARGE
}
