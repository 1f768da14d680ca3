/** The event filters in the URL, so that a link shows a colleague the same events. */
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
  /** Unix milliseconds. */
  from?: number
  to?: number
}

const RESOURCE_TYPES: readonly ResourceType[] = ['organization', 'folder', 'document']
/** Accepts any well-formed type: the server knows which ones exist. */
const isFilter = (type: unknown): type is EventFilter =>
  typeof type === 'string' && /^[a-z_]+(\.[a-z_]+)*(\.\*)?$/.test(type)

const moment = (value: unknown): number | undefined => (Number.isSafeInteger(value) ? Number(value) : undefined)

/** Keeps the valid filters of a URL and drops everything else. */
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
