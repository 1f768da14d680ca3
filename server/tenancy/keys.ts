/** Keys computed from the authenticated caller, never taken from input: a request cannot name another tenant's rows (data-model 1). */
import { createHash } from 'node:crypto'
import type { OrganizationKey } from '#contract/ids.ts'
import type { ResourceName } from '#contract/permissions.ts'
import type { Caller } from './caller.ts'

const uuidOf = (digest: Buffer): string =>
  digest.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** The first 128 bits of SHA-256(api key id, 0x00, organizationId), as PostgreSQL writes a uuid. */
export function organizationKey({ apiKeyId }: Pick<Caller, 'apiKeyId'>, organizationId: string): OrganizationKey {
  return uuidOf(createHash('sha256').update(`${apiKeyId}\0${organizationId}`).digest()) as OrganizationKey
}

/** The `id` that the API returns for an organization: its key as 32 lower-case hex digits. */
export const organizationServiceId = (key: OrganizationKey): string => key.replaceAll('-', '')

/** The organization that a resource belongs to; the body was checked to name it (`organizationFault`). */
export const owningOrganization = ({ type, id, organizationId }: ResourceName): string =>
  type === 'organization' ? id : (organizationId ?? '')

/** The stream of events of a workspace or API key that happen outside organizations. */
export const streamKey = (kind: 'workspace' | 'api key', id: string): string =>
  uuidOf(createHash('sha256').update(`${kind}\0${id}`).digest())

/** The `id` that the API returns for a user: 32 lower-case hex digits, the same for one user of one API key. */
export const userServiceId = ({ apiKeyId }: Pick<Caller, 'apiKeyId'>, userId: string): string =>
  createHash('sha256').update(`user\0${apiKeyId}\0${userId}`).digest('hex').slice(0, 32)
