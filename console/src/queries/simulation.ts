/** Simulates a change of the access type. */
import { queryOptions } from '@tanstack/react-query'
import { CommonholdError } from '#sdk/errors.ts'
import type { Simulation } from '#sdk/generated/operations.ts'
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
      try {
        const page = await firstPage(key.client.permissions.simulate.pages({ organizationId, accessTypes }, { signal }))
        return { simulation: page.data, more: page.nextPageToken !== undefined }
      } catch (error) {
        if (!(error instanceof CommonholdError) || error.reason !== 'too_many_pairs') throw error
        return { simulation: undefined, more: true }
      }
    },
    // Always current, never cached.
    staleTime: 0,
    gcTime: 0,
  })
