/**
 * Reads all access in a folder or organization from the lists of access, as rows of cells. For the command line and the
 * console; not part of the published package.
 */
import type { Client } from '../client.ts'
import { CommonholdError } from '../errors.ts'
import type { AccessRole, ListPermittedResourcesResult } from '../generated/operations.ts'
import type { CallOptions } from '../options.ts'

type ListedResource = ListPermittedResourcesResult['resources'][number]

/** The access of one user, or of everyone, to one resource. */
export type AccessRow = ({ userId: string } | { everyone: true }) & ListedResource

export interface Place {
  type: 'organization' | 'folder'
  id: string
  organizationId: string
  atLeast?: AccessRole
}

/**
 * Yields a row for each user and each resource, the folder or organization included, in the order of user ids. The rows
 * of everyone, for public resources, come first. Users have rows for public resources only if their role is different.
 * Each list is read page by page, so access that changes in the meantime may be missing.
 */
export async function* accessRows(client: Client, place: Place, options?: CallOptions): AsyncGenerator<AccessRow[]> {
  let everyoneRole: AccessRole | undefined
  for await (const resources of resourcesOf(client, place, nobody(), options)) {
    everyoneRole ??= resources[0]?.accessRole
    yield resources.map((resource) => ({ everyone: true, ...resource }))
  }
  const isOwn = ({ reason, accessRole }: ListedResource) => reason !== 'access_type' || accessRole !== everyoneRole
  const userIds = new Set<string>()
  for await (const ids of possibleUsers(client, place, everyoneRole !== undefined, options))
    for (const userId of ids) userIds.add(userId)
  for (const userId of [...userIds].sort(byBytes))
    for await (const resources of resourcesOf(client, place, userId, options))
      yield resources.filter(isOwn).map((resource) => ({ userId, ...resource }))
}

/**
 * Yields the ids of all users who may have access to the place or to something inside it, page by page, some of them
 * more than once. If something is public (`isOpen`), a grant above the place may give less than everyone has, and the
 * lists of the place do not have such users. If too much is inside, there is no list of the users with access to
 * something inside. In both cases the result is all users with any grant in the organization.
 */
export async function* possibleUsers(
  client: Client,
  place: Place,
  isOpen: boolean,
  options?: CallOptions,
): AsyncGenerator<string[]> {
  const { type, id, organizationId, atLeast } = place
  const data = { resource: { type, id, organizationId }, ...(atLeast && { atLeast }) }
  if (!isOpen)
    try {
      for (const inside of [true, false])
        for await (const page of client.permittedUsers.list.pages({ ...data, inside }, options))
          yield page.data.users.map(({ userId }) => userId)
      return
    } catch (error) {
      if (!isTooMuchInside(error)) throw error
    }
  for await (const page of client.grants.list.pages({ organizationId }, options))
    yield page.data.grants.flatMap(({ userId }) => userId ?? [])
}

/** Whether a list of who has access to something inside was refused, because more is inside than it examines. */
export const isTooMuchInside = (error: unknown): boolean =>
  error instanceof CommonholdError && error.reason === 'too_much_inside'

/** Returns an id that no user has. */
const nobody = (): string => `nobody-${crypto.getRandomValues(new BigUint64Array(2)).join('-')}`

/** Returns whether everyone has access to the place or to something inside it. */
export async function isOpenInside(client: Client, place: Place, options?: CallOptions): Promise<boolean> {
  for await (const resources of resourcesOf(client, place, nobody(), options)) if (resources.length > 0) return true
  return false
}

async function* resourcesOf(
  client: Client,
  { type, id, organizationId, atLeast }: Place,
  userId: string,
  options?: CallOptions,
): AsyncGenerator<ListedResource[]> {
  const within = type === 'folder' ? { folderId: id } : {}
  const data = { organizationId, userId, ...within, ...(atLeast && { atLeast }) }
  for await (const page of client.permittedResources.list.pages(data, options)) yield page.data.resources
}

const encoder = new TextEncoder()

/** Compares ids by the bytes of UTF-8, as the server does. */
function byBytes(one: string, other: string): number {
  const [left, right] = [encoder.encode(one), encoder.encode(other)]
  const at = left.findIndex((byte, index) => byte !== right[index])
  return at < 0 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1)
}

const COLUMNS: Readonly<Record<string, (row: AccessRow) => string | undefined>> = {
  everyone: (row) => ('everyone' in row ? 'true' : ''),
  userId: (row) => ('userId' in row ? row.userId : ''),
  type: ({ type }) => type,
  id: ({ id }) => id,
  organizationId: ({ type, id, organizationId }) => (type === 'organization' ? id : organizationId),
  accessRole: ({ accessRole }) => accessRole,
  accessType: ({ accessType }) => accessType,
  reason: ({ reason }) => reason,
  viaType: ({ via }) => via?.type,
  viaId: ({ via }) => via?.id,
  group: ({ via }) => via?.group,
  expiresAt: ({ expiresAt }) =>
    expiresAt === undefined ? '' : new Date(expiresAt * 1000).toISOString().replace('.000', ''),
}

export const ACCESS_COLUMNS: readonly string[] = Object.keys(COLUMNS)

/** Returns the cells of a row, in the order of `ACCESS_COLUMNS`. */
export const accessCells = (row: AccessRow): string[] => Object.values(COLUMNS).map((of) => of(row) ?? '')
