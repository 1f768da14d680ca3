/** Compares the lists of who has access to something inside a folder or organization with the interpreter. */
import assert from 'node:assert/strict'
import { type ListedUser, listPermittedUsers } from '#contract/access/access-lists.ts'
import type { AccessRole } from '#contract/access/permissions.ts'
import { pagesOf } from '#testing/client.ts'
import type { World } from './build.ts'
import { chainOf, decide, insideOf, type Key, type Resource } from './interpreter.ts'
import { USERS, type UserId } from './worlds.ts'

/** Compares who has access to something inside a folder or the organization, and returns their ids. */
export async function compareInside(
  world: World,
  place: Resource,
  { now, key, ...filters }: { now: number; key: Key; atLeast: AccessRole | undefined; pageSize: number },
): Promise<UserId[]> {
  const { organization, folders, documents } = world
  const { atLeast } = filters
  const resources = [organization, ...folders.values(), ...documents.values()]
  const users = USERS.flatMap((userId) => {
    const inside = insideOf(place, resources, userId, now, key, atLeast)
    return inside === undefined ? [] : [{ userId, ...decide(place, userId, now, key, atLeast), inside }]
  })
  const isPublicInside = (resource: Resource) =>
    resource !== place && chainOf(resource).includes(place) && decide(resource, 'nobody', now, key, atLeast).allowed
  const open = resources.filter(isPublicInside).length
  const everyone = decide(place, 'nobody', now, key, atLeast).allowed
  assert.deepEqual(
    await listInside(world, place, filters),
    {
      users,
      everyone,
      ...(everyone && { everyoneRole: key.accessRole }),
      everyoneInside: { resources: open, ...(open > 0 && { accessRole: key.accessRole }) },
    },
    `inside ${place.type} ${place.id} at ${now} s, ${atLeast}`,
  )
  return users.map(({ userId }) => userId)
}

/** Reads all pages. */
async function listInside({ client, organization }: World, { type, id }: Resource, filters: object) {
  const resource = { type, id, organizationId: organization.id }
  const users: ListedUser[] = []
  const all: object = {}
  const question = { resource, inside: true, ...filters }
  for await (const { data } of pagesOf((pageToken) =>
    client.post(listPermittedUsers.path, { ...question, pageToken }),
  )) {
    const { users: listed, ...more } = data
    users.push(...listed)
    Object.assign(all, more)
  }
  return { users, ...all }
}
