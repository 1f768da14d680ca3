/** Which events are shown: part of the address, so that it can be sent to a colleague. */
import type { EventFilter, ResourceType } from '#sdk/generated/operations.ts'
import type { EventQuery } from '../../queries/events.ts'
import { idIn } from '../../search-params.ts'

export interface EventSearch {
  types?: EventFilter[]
  organizationId?: string
  userId?: string
  resourceType?: ResourceType
  resourceId?: string
  /** The name of the auth token that caused it. */
  by?: string
  /** Milliseconds. */
  from?: number
  to?: number
}

const RESOURCE_TYPES: readonly ResourceType[] = ['organization', 'folder', 'document']
/** The server says which of them there are. */
const isFilter = (type: unknown): type is EventFilter =>
  typeof type === 'string' && /^[a-z_]+(\.[a-z_]+)*(\.\*)?$/.test(type)

const moment = (value: unknown): number | undefined => (Number.isSafeInteger(value) ? Number(value) : undefined)

/** What of an address is a filter; the rest of it is left out. */
export function eventSearch(search: Record<string, unknown>): EventSearch {
  const types = Array.isArray(search.types) ? search.types.filter(isFilter) : []
  const known = {
    types: types.length === 0 ? undefined : types,
    organizationId: idIn(search.organizationId),
    userId: idIn(search.userId),
    resourceType: RESOURCE_TYPES.find((type) => type === search.resourceType),
    resourceId: idIn(search.resourceId),
    by: idIn(search.by),
    from: moment(search.from),
    to: moment(search.to),
  }
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))
}

export function eventQuery(search: EventSearch): EventQuery {
  const { types, organizationId, userId, resourceType, resourceId, by, from, to } = search
  const resource =
    resourceType === undefined || resourceId === undefined
      ? {}
      : {
          resource: { type: resourceType, id: resourceId, ...(organizationId === undefined ? {} : { organizationId }) },
        }
  return {
    ...(types === undefined ? {} : { types }),
    ...(organizationId === undefined || 'resource' in resource ? {} : { organizationId }),
    ...resource,
    ...(userId === undefined ? {} : { userId }),
    ...(by === undefined ? {} : { actor: { token: by } }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  }
}
