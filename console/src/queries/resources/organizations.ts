/** Queries and mutations of organizations. */
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type {
  AddOrganizationsData,
  DisableOrganizationsData,
  OrderBy,
  OrganizationRecord,
  UpdateOrganizationsData,
} from '#sdk/generated/operations.ts'
import { isFound } from '#sdk/items.ts'
import type { CallOptions } from '#sdk/options.ts'
import type { Key } from '../../session/session.ts'
import { shownName } from '../../shown-name.ts'
import { queryKeyOf, refetchingAll } from '../keys/keys.ts'
import { Refused, throwIfRefused } from '../pages/batch.ts'
import { deleteOne } from '../pages/deletion.ts'
import { pagesQuery } from '../pages/pages.ts'

const ORGANIZATIONS = 'organizations'

type NewOrganization = AddOrganizationsData['organizations'][number]

export const organizationsQuery = (key: Key, orderBy: OrderBy = 'name') =>
  pagesQuery({
    queryKey: queryKeyOf(key, ORGANIZATIONS, 'list', orderBy),
    method: key.client.organizations.get,
    data: { orderBy, pageSize: 100 },
    // A call without ids returns only organizations.
    rowsOf: (found) => found as OrganizationRecord[],
  })

async function findOrganization(key: Key, id: string, options?: CallOptions): Promise<OrganizationRecord | null> {
  const [found] = await key.client.organizations.get({ organizationIds: [id] }, options)
  return found !== undefined && isFound(found) ? found : null
}

/** Null when no organization has this id. */
export const organizationQuery = (key: Key, id: string) =>
  queryOptions({
    queryKey: queryKeyOf(key, ORGANIZATIONS, 'one', id),
    queryFn: ({ signal }) => findOrganization(key, id, { signal }),
  })

/** Refuses an id that is taken: the call would rename that organization. */
export const addOrganization = (key: Key) =>
  mutationOptions({
    mutationFn: async (organization: NewOrganization) => {
      const taken = await findOrganization(key, organization.organizationId)
      if (taken === null) return throwIfRefused(await key.client.organizations.add({ organizations: [organization] }))
      throw new Refused(
        `${shownName(taken.organizationName, 'An organization without a name')} has this id. Enter another one, or rename that organization in the list.`,
        'already-exists',
      )
    },
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

export const deleteOrganization = (key: Key) =>
  mutationOptions({
    mutationFn: ({ id }: OrganizationRecord) =>
      deleteOne(async () => throwIfRefused(await key.client.organizations.delete({ organizationIds: [id] }))),
    meta: refetchingAll(key),
  })
