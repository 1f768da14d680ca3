/** Adds names to users: lists of access contain only ids. Profiles are found by the grants of their users. */
import { queryOptions } from '@tanstack/react-query'
import type { ListPermittedUsersResult, ResourceName, ResourceType, UserRecord } from '#sdk/generated/operations.ts'
import type { CallOptions, Page } from '#sdk/options.ts'
import { givingResource, isSame, targetOf } from '../../resource.ts'
import type { Key } from '../../session/session.ts'
import { queryKeyOf } from '../keys/keys.ts'
import { all, pagesQuery } from '../pages/pages.ts'
import { groupNames } from '../users/groups.ts'

export type Profile = Pick<UserRecord, 'userId' | 'name' | 'email'>

type Grant = NonNullable<UserRecord['liveGrants']>[number]

/** Returns the active grants of a user who was listed with those on one resource. */
export const grantsOf = ({ accessRole, expiresAt, liveGrants }: Partial<UserRecord> = {}): readonly Grant[] =>
  liveGrants ?? (accessRole === undefined ? [] : [{ accessRole, ...(expiresAt === undefined ? {} : { expiresAt }) }])

interface Place {
  type: ResourceType
  id: string
}

const IDS_MAX = 1_000

/** Returns the profiles of those `userIds` that have a grant on one of the places, by id. */
export async function profilesAt(
  key: Key,
  organizationId: string,
  places: readonly Place[],
  userIds: readonly string[],
  options: CallOptions = {},
): Promise<Map<string, UserRecord>> {
  if (userIds.length === 0) return new Map()
  const distinct = places.filter((place, index) => places.findIndex((other) => isSame(place, other)) === index)
  const args = { organizationId, userIds: userIds.slice(0, IDS_MAX) }
  const found = await Promise.all(
    distinct.map((place) => all(key.client.users.get.pages({ ...args, ...targetOf(place) }, options))),
  )
  return new Map(found.flat(2).map((user) => [user.userId, user]))
}

export const profilesQueryAt = (
  key: Key,
  organizationId: string,
  places: readonly Place[],
  userIds: readonly string[],
) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'users', organizationId, 'named', places, userIds),
    queryFn: ({ signal }) => profilesAt(key, organizationId, places, userIds, { signal }),
    enabled: userIds.length > 0,
  })

/** With the user's own active grants on the resource itself, and the name of the group that gives the access. */
export type PermittedUser = ListPermittedUsersResult['users'][number] &
  Partial<Profile> & { grants?: readonly Grant[]; groupName?: string }

/** The users with access to a resource, with their names. */
export const peopleQuery = (key: Key, organizationId: string, resource: ResourceName) =>
  pagesQuery({
    queryKey: queryKeyOf(key, 'permitted-users', 'named', resource),
    method: {
      pages: (data: { pageToken?: string } = {}, options) => namedPages(key, organizationId, resource, data, options),
    },
    data: {},
    rowsOf: ({ users }) => users,
  })

interface People {
  users: PermittedUser[]
  everyone: boolean
}

export async function* namedPages(
  key: Key,
  organizationId: string,
  resource: ResourceName,
  { pageToken }: { pageToken?: string },
  options?: CallOptions,
): AsyncGenerator<Page<People>, void, undefined> {
  const args = { resource, ...(pageToken === undefined ? {} : { pageToken }) }
  for await (const page of key.client.permittedUsers.list.pages(args, options)) {
    const { users, everyone } = page.data
    const above: Place[] = [
      { type: 'organization', id: organizationId },
      ...users.flatMap(({ via }) => givingResource(via) ?? []),
    ]
    const places = above.filter((place) => !isSame(place, resource))
    const ids = users.map(({ userId }) => userId)
    const holders = users.flatMap(({ userId, reason, via }) => (reason === 'grant' && !via?.inherited ? [userId] : []))
    const groupIds = users.flatMap(({ via }) => via?.group ?? [])
    const [profiles, own, groups] = await Promise.all([
      profilesAt(key, organizationId, places, ids, options),
      profilesAt(key, organizationId, [resource], holders, options),
      groupNames(key, organizationId, groupIds, options),
    ])
    const named = users.map((user) => {
      const held = own.get(user.userId)
      const groupName = groups.get(user.via?.group ?? '')
      const { name, email } = profiles.get(user.userId) ?? held ?? {}
      return {
        ...user,
        ...(name === undefined ? {} : { name }),
        ...(email === undefined ? {} : { email }),
        ...(groupName === undefined ? {} : { groupName }),
        ...(held && { grants: grantsOf(held) }),
      }
    })
    yield { ...page, data: { users: named, everyone } }
  }
}

const FOUND_MAX = 20

/** More ids than these are shown without a name: each is searched. */
const NAMED_MAX = 50

/** Returns the names of users by id, whether they have access or not; users without a name are absent. */
export const userNamesQuery = (key: Key, userIds: readonly string[]) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'user-names', userIds),
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
      const found = await Promise.all(
        userIds
          .slice(0, NAMED_MAX)
          .map((query) => key.client.search.find({ query, kinds: ['user'], pageSize: 5 }, { signal })),
      )
      // Other users may have such an id as their name.
      const exact = found.flatMap((some, nth) => some.filter(({ id }) => id === userIds[nth]))
      return new Map(exact.flatMap(({ id, name }) => (name === undefined ? [] : [[id, name] as const])))
    },
    enabled: userIds.length > 0,
  })

/** Searches members, and users with a grant on a document, by a part of the id, name or address. */
export const searchUsersQuery = (key: Key, organizationId: string, text: string) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'users', organizationId, 'search', text),
    queryFn: async ({ signal }): Promise<Profile[]> => {
      const args = { organizationId, pageSize: FOUND_MAX, ...(text === '' ? {} : { searchKey: text }) }
      const [members, others] = await Promise.all([
        key.client.users.get(args, { signal }),
        key.client.users.get({ ...args, allDocuments: true }, { signal }),
      ])
      return [...new Map([...members, ...others].map((user) => [user.userId, user])).values()]
    },
  })
