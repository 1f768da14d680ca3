/**
 * Computes keys from the authenticated caller, never from input alone: a request cannot name another tenant's rows
 * (rules/data.md#tenant-keys).
 */
import { hash } from 'node:crypto'
import { organizationFault, type ResourceName } from '#contract/access/permissions.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from './caller.ts'

/** Returns the first 128 bits of the SHA-256 of `text` as a uuid. */
function uuidOf(text: string): string {
  const digits = hash('sha256', text)
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20, 32)}`
}

/** Returns whether a text is a uuid in the form that we issue: lower case, with hyphens. */
export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

/** Returns the first 128 bits of SHA-256(api key id, 0x00, organizationId) as a uuid. */
export function organizationKey({ apiKeyId }: Pick<Caller, 'apiKeyId'>, organizationId: string): OrganizationKey {
  return uuidOf(`${apiKeyId}\0${organizationId}`) as OrganizationKey
}

/** Returns a caching `organizationKey`, for calls that name few organizations many times. */
export function organizationKeys(caller: Pick<Caller, 'apiKeyId'>): (organizationId: string) => OrganizationKey {
  const keys = new Map<string, OrganizationKey>()
  return (organizationId) => {
    const key = keys.get(organizationId) ?? organizationKey(caller, organizationId)
    keys.set(organizationId, key)
    return key
  }
}

/** Returns the `id` of an organization in the API: its key as 32 lower-case hex digits. */
export const organizationServiceId = (key: OrganizationKey): string => key.replaceAll('-', '')

/** Returns the organization that a resource belongs to. `organizationFault` has checked that the body names it. */
export const owningOrganization = ({ type, id, organizationId }: ResourceName): string =>
  type === 'organization' ? id : (organizationId ?? '')

/** Returns the key of the event stream of a workspace or API key, for events outside organizations. */
export const streamKey = (kind: 'workspace' | 'api key', id: string): string => uuidOf(`${kind}\0${id}`)

/** Returns the key of the stream of a workspace in the home database, or of its events about API keys in a bucket: each numbers its own. */
export const workspaceStream = (workspaceId: string, bucket: string | undefined): string =>
  streamKey('workspace', bucket === undefined ? workspaceId : `${workspaceId}\0${bucket}`)

/** Returns the `id` of a user in the API: 32 lower-case hex digits, always the same for one user of one API key. */
export const userServiceId = ({ apiKeyId }: Pick<Caller, 'apiKeyId'>, userId: string): string =>
  hash('sha256', `user\0${apiKeyId}\0${userId}`).slice(0, 32)

/** Returns the `id` of a user group in the API: 32 lower-case hex digits, always the same for one group of one organization. */
export const userGroupServiceId = (key: OrganizationKey, groupId: string): string =>
  hash('sha256', `user group\0${key}\0${groupId}`).slice(0, 32)

/**
 * Checks the fields of each resource; returns it with its field, and a name that it shares with other entries of the
 * same resource and `part`.
 */
export function named<R extends ResourceName>(
  resources: readonly R[],
  list: string,
  part: (resource: R) => string = () => '',
): { name: string; resource: R; field: string }[] {
  const path = (index: number) => `${list}[${index}]`
  const faults = resources.flatMap((resource, index) => organizationFault(resource, path(index)) ?? [])
  if (faults.length > 0) throw invalidArgument(faults.slice(0, LIMITS.faultsMax))
  return resources.map((resource, index) => ({
    // An id cannot contain NUL.
    name: [owningOrganization(resource), resource.type, resource.id, part(resource)].join('\0'),
    resource,
    field: path(index),
  }))
}
