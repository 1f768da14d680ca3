/**
 * Finds who has access to what in a folder or organization, by the lists of access, as rows of cells. For
 * the command line and the console; not part of the published package.
 */
import type { Client } from '../client.ts'
import type { AccessRole, ListPermittedResourcesResult, ListPermittedUsersData } from '../generated/operations.ts'
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
 * Yields a row for each user and each resource, the folder or organization included, in the order of user ids, and before
 * them those of everyone: what is public. Users have rows of public resources only where their role is another one. Each
 * list is read a page at a time. What changes meanwhile may be missing.
 */
export async function* accessRows(client: Client, place: Place, options?: CallOptions): AsyncGenerator<AccessRow[]> {
  let everyoneRole: AccessRole | undefined
  for await (const resources of resourcesOf(client, place, nobody(), options)) {
    everyoneRole ??= resources[0]?.accessRole
    yield resources.map((resource) => ({ everyone: true, ...resource }))
  }
  const isOwn = ({ reason, accessRole }: ListedResource) => reason !== 'access_type' || accessRole !== everyoneRole
  // Whom a grant above the place gives less than everyone is listed for the organization alone.
  const among = everyoneRole === undefined ? place : organizationOf(place)
  const lists = [usersOf(client, among, false, options), usersOf(client, among, true, options)] as const
  for await (const userId of merged(...lists))
    for await (const resources of resourcesOf(client, place, userId, options))
      yield resources.filter(isOwn).map((resource) => ({ userId, ...resource }))
}

/** Returns an id that no user has. */
const nobody = (): string => `nobody-${crypto.getRandomValues(new BigUint64Array(2)).join('-')}`

const organizationOf = ({ organizationId, atLeast }: Place): Place => ({
  type: 'organization',
  id: organizationId,
  organizationId,
  ...(atLeast && { atLeast }),
})

/** Returns whether everyone has access to the place or to something inside it. */
export async function isOpenInside(client: Client, place: Place, options?: CallOptions): Promise<boolean> {
  for await (const resources of resourcesOf(client, place, nobody(), options)) if (resources.length > 0) return true
  return false
}

const questionOf = ({ type, id, organizationId, atLeast }: Place): ListPermittedUsersData => ({
  resource: { type, id, organizationId },
  ...(atLeast && { atLeast }),
})

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

/** Yields who has access to the folder or organization, or to something inside it, in the order of ids. */
async function* usersOf(client: Client, place: Place, inside: boolean, options?: CallOptions): AsyncGenerator<string> {
  for await (const page of client.permittedUsers.list.pages({ ...questionOf(place), inside }, options))
    for (const { userId } of page.data.users) yield userId
}

const encoder = new TextEncoder()

/** The order of ids: by the bytes of UTF-8. */
function isBefore(one: string, other: string): boolean {
  const [left, right] = [encoder.encode(one), encoder.encode(other)]
  const at = left.findIndex((byte, index) => byte !== right[index])
  return at < 0 ? left.length < right.length : (left[at] ?? 0) < (right[at] ?? 0)
}

/** Merges two lists of ids in order; an id that is in both is yielded once. */
async function* merged(one: AsyncGenerator<string>, other: AsyncGenerator<string>): AsyncGenerator<string> {
  let [first, second] = [await one.next(), await other.next()]
  while (!first.done || !second.done) {
    const isFirst = !first.done && (second.done || !isBefore(second.value, first.value))
    const userId = String(isFirst ? first.value : second.value)
    yield userId
    if (first.value === userId) first = await one.next()
    if (second.value === userId) second = await other.next()
  }
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
