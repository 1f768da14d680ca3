/** Queries and mutations of organizations. */
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type {
  AddOrganizationsData,
  DeleteOrganizationsData,
  DisableOrganizationsData,
  OrderBy,
  OrganizationRecord,
  UpdateOrganizationsData,
} from '#sdk/generated/operations.ts'
import { isFound } from '#sdk/items.ts'
import type { Key } from '../../session/session.ts'
import { queryKeyOf, refetchingAll } from '../keys/keys.ts'
import { throwIfRefused } from '../pages/batch.ts'
import { pagesQuery } from '../pages/pages.ts'

const ORGANIZATIONS = 'organizations'

export const organizationsQuery = (key: Key, orderBy: OrderBy = 'name') =>
  pagesQuery({
    queryKey: queryKeyOf(key, ORGANIZATIONS, 'list', orderBy),
    method: key.client.organizations.get,
    data: { orderBy, pageSize: 100 },
    // A call without ids returns only organizations.
    rowsOf: (found) => found as OrganizationRecord[],
  })

/** Null when no organization has this id. */
export const organizationQuery = (key: Key, id: string) =>
  queryOptions({
    queryKey: queryKeyOf(key, ORGANIZATIONS, 'one', id),
    queryFn: async ({ signal }): Promise<OrganizationRecord | null> => {
      const [found] = await key.client.organizations.get({ organizationIds: [id] }, { signal })
      return found !== undefined && isFound(found) ? found : null
    },
  })

export const addOrganizations = (key: Key) =>
  mutationOptions({
    mutationFn: async (data: AddOrganizationsData) => throwIfRefused(await key.client.organizations.add(data)),
    meta: refetchingAll(key),
  })

export const updateOrganizations = (key: Key) =>
  mutationOptions({
    mutationFn: async (data: UpdateOrganizationsData) => throwIfRefused(await key.client.organizations.update(data)),
    meta: refetchingAll(key),
  })

export const disableOrganizations = (key: Key) =>
  mutationOptions({
    mutationFn: async (data: DisableOrganizationsData) => throwIfRefused(await key.client.organizations.disable(data)),
    meta: refetchingAll(key),
  })

export const deleteOrganizations = (key: Key) =>
  mutationOptions({
    mutationFn: async (data: DeleteOrganizationsData) => throwIfRefused(await key.client.organizations.delete(data)),
    meta: refetchingAll(key),
  })
