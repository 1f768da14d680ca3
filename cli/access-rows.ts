/** Finds who has access to what in a folder or organization, by the lists of access. */
import { randomUUID } from 'node:crypto'
import type { Client } from '#sdk/client.ts'
import type { AccessRole, ListPermittedResourcesResult, ListPermittedUsersData } from '#sdk/generated/operations.ts'

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
export async function* accessRows(client: Client, place: Place): AsyncGenerator<AccessRow[]> {
  let everyoneRole: AccessRole | undefined
  for await (const resources of resourcesOf(client, place, randomUUID())) {
    everyoneRole ??= resources[0]?.accessRole
    yield resources.map((resource) => ({ everyone: true, ...resource }))
  }
  const isOwn = ({ reason, accessRole }: ListedResource) => reason !== 'access_type' || accessRole !== everyoneRole
  const lists = [usersOf(client, place, false), usersOf(client, place, true)] as const
  for await (const userId of merged(...lists))
    for await (const resources of resourcesOf(client, place, userId))
      yield resources.filter(isOwn).map((resource) => ({ userId, ...resource }))
}

async function* resourcesOf(
  client: Client,
  { type, id, organizationId, atLeast }: Place,
  userId: string,
): AsyncGenerator<ListedResource[]> {
  const within = type === 'folder' ? { folderId: id } : {}
  const data = { organizationId, userId, ...within, ...(atLeast && { atLeast }) }
  for await (const page of client.permittedResources.list.pages(data)) yield page.data.resources
}

/** Yields who has access to the folder or organization, or to something inside it, in the order of ids. */
async function* usersOf(client: Client, { atLeast, ...resource }: Place, inside: boolean): AsyncGenerator<string> {
  const data: ListPermittedUsersData = { resource, inside, ...(atLeast && { atLeast }) }
  for await (const page of client.permittedUsers.list.pages(data))
    for (const { userId } of page.data.users) yield userId
}

/** The order of ids: by bytes. */
const isBefore = (one: string, other: string): boolean => Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0

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
