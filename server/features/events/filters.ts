/** The filters of a list of events, as values of its statements and as the scope of its page tokens. */
import { organizationFault } from '#contract/access/permissions.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { typesOf } from '#contract/events/event-types.ts'
import type { listAccountEvents, listEvents } from '#contract/events/events.ts'
import { invalidArgument } from '#platform/status-error.ts'
import { owningOrganization } from '#tenancy/callers/keys.ts'

export type Filters = DataOf<typeof listEvents> & DataOf<typeof listAccountEvents>

/** Returns the organization of the query, if it is limited to one. */
export function organizationOf({ organizationId, resource }: Filters): string | undefined {
  if (resource === undefined) return organizationId
  const fault = organizationFault(resource, 'resource')
  if (fault !== undefined) throw invalidArgument([fault])
  const owner = owningOrganization(resource)
  if (organizationId !== undefined && organizationId !== owner) {
    const field = 'organizationId'
    throw invalidArgument([{ field, message: `${field} must be equal to that of the resource, or be omitted` }])
  }
  return owner
}

/**
 * Returns all parameters of the query except the page size, in the form in which earlier versions signed page tokens.
 */
export function queryOf(filters: Filters): unknown[] {
  const { order = 'newestFirst', organizationId = null, actor: { token = null, operatorId } = {} } = filters
  const values = valuesOf(filters).toSpliced(CAUSED_BY, 1, token)
  return [order, organizationId, ...values, ...(operatorId === undefined ? [] : [operatorId])]
}

export const timeOf = (milliseconds: number | undefined): Date | null =>
  milliseconds === undefined ? null : new Date(milliseconds)

/** The place of `$5` among the values of the filters. */
const CAUSED_BY = 4

/** Returns the values of the filters, `$1` to `$9`. */
export function valuesOf({ types, userId, resource, actor, from, to, apiKey }: Filters): unknown[] {
  const wantedTypes = types === undefined ? null : typesOf(types)
  const { token, operatorId, system = null } = actor ?? {}
  const subject = [userId ?? null, resource?.type ?? null, resource?.id ?? null]
  return [wantedTypes, ...subject, causedBy({ token, operatorId }), system, timeOf(from), timeOf(to), apiKey ?? null]
}

/** Returns the JSON that the actor of an event must contain, or null to match any actor. */
function causedBy({
  token,
  operatorId,
}: {
  token?: string | undefined
  operatorId?: string | undefined
}): string | null {
  if (token === undefined && operatorId === undefined) return null
  return JSON.stringify({ token, ...(operatorId === undefined ? {} : { operator: { id: operatorId } }) })
}
