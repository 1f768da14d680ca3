/** Simulates a change of access types, and the revocation of the grants of a user group. */
import { queryOptions } from '@tanstack/react-query'
import { CommonholdError } from '#sdk/errors.ts'
import type { ResourceType, SimulatePermissionsData, Simulation } from '#sdk/generated/operations.ts'
import type { Key } from '../session/session.ts'
import { ITEMS_MAX } from './batch.ts'
import { queryKeyOf } from './keys.ts'
import { firstPage } from './pages.ts'
import type { OwnAccessType, Resources } from './resources.ts'

export interface AccessEffect {
  /** Undefined when the change is too large to simulate. */
  simulation: Simulation | undefined
  /** There are more effects than listed. */
  more: boolean
}

export const accessEffectQuery = (key: Key, resources: Resources, accessType: OwnAccessType) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'preview', 'access-type', resources, accessType),
    queryFn: async ({ signal }): Promise<AccessEffect> => {
      const { organizationId, folderIds, documentIds } = resources
      if (folderIds.length + documentIds.length > ITEMS_MAX) return { simulation: undefined, more: true }
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
        ? { simulation: undefined, more: true }
        : simulated(key, { organizationId, remove: resources.map((resource) => ({ groupId, resource })) }, signal),
    // Always current, never cached.
    staleTime: 0,
    gcTime: 0,
  })

async function simulated(key: Key, data: SimulatePermissionsData, signal: AbortSignal): Promise<AccessEffect> {
  try {
    const page = await firstPage(key.client.permissions.simulate.pages(data, { signal }))
    return { simulation: page.data, more: page.nextPageToken !== undefined }
  } catch (error) {
    if (!(error instanceof CommonholdError) || error.reason !== 'too_many_pairs') throw error
    return { simulation: undefined, more: true }
  }
}
