/** The event filters in the URL, so that a link shows a colleague the same events. */
import type { EventFilter, ResourceType } from '#sdk/generated/operations.ts'
import { idIn } from '../../links/search-params.ts'
import type { EventQuery } from '../../queries/keys/events.ts'
import { PERIODS, type Period, rangeOf } from './days.ts'

export interface EventSearch {
  types?: EventFilter[]
  organizationId?: string
  userId?: string
  resourceType?: ResourceType
  resourceId?: string
  /** The name of the auth token that caused it. */
  by?: string
  /** The person of the workspace who caused it. */
  operatorId?: string
  /** Instead of `from` and `to`. */
  period?: Period
  /** Unix milliseconds. */
  from?: number
  to?: number
}

/** The event whose details are open. Events are listed by their times, so its own finds it. */
export interface OpenEvent {
  event?: string
  at?: number
}

export function openEvent(search: Record<string, unknown>): OpenEvent {
  const [event, at] = [idIn(search.event), moment(search.at)]
  return event === undefined || at === undefined ? {} : { event, at }
}

/** The parameters in the address of the events. */
export const eventAddress = (search: Record<string, unknown>): EventSearch & OpenEvent => ({
  ...eventSearch(search),
  ...openEvent(search),
})

const RESOURCE_TYPES: readonly ResourceType[] = ['organization', 'folder', 'document']
/** Accepts any well-formed type: the server knows which ones exist. */
const isFilter = (type: unknown): type is EventFilter =>
  typeof type === 'string' && /^[a-z_]+(\.[a-z_]+)*(\.\*)?$/.test(type)

const moment = (value: unknown): number | undefined => (Number.isSafeInteger(value) ? Number(value) : undefined)

/** Keeps the valid filters of a URL and drops everything else. */
export function eventSearch(search: Record<string, unknown>): EventSearch {
  const types = Array.isArray(search.types) ? search.types.filter(isFilter) : []
  const period = PERIODS.find((one) => one === search.period)
  const known = {
    types: types.length === 0 ? undefined : types,
    organizationId: idIn(search.organizationId),
    userId: idIn(search.userId),
    resourceType: RESOURCE_TYPES.find((type) => type === search.resourceType),
    resourceId: idIn(search.resourceId),
    by: idIn(search.by),
    operatorId: idIn(search.operatorId),
    period,
    from: period === undefined ? moment(search.from) : undefined,
    to: period === undefined ? moment(search.to) : undefined,
  }
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))
}

/** Returns the filters of the call. Periods are those of the day that contains `now`. */
export function eventQuery(search: EventSearch, now: number): EventQuery {
  const { types, organizationId, userId, resourceType, resourceId, by, operatorId, period } = search
  const { from, to } = period === undefined ? search : rangeOf(period, now)
  const actor = { ...(by !== undefined && { token: by }), ...(operatorId !== undefined && { operatorId }) }
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
    ...(Object.keys(actor).length === 0 ? {} : { actor }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  }
}
