/** Adds names to users: lists of access contain only ids. */
import { queryOptions } from '@tanstack/react-query'
import type { ListPermittedUsersResult, ResourceName, UserRecord } from '#sdk/generated/operations.ts'
import type { CallOptions, Page } from '#sdk/options.ts'
import { chunks, ITEMS_MAX } from '#sdk/shared/chunks.ts'
import { targetOf } from '../../resource.ts'
import type { Key } from '../../session/session.ts'
import { queryKeyOf } from '../keys/keys.ts'
import { all, pagesQuery } from '../pages/pages.ts'
import { groupNames } from '../users/groups.ts'

export type Profile = Pick<UserRecord, 'userId' | 'name' | 'email'>

type Grant = NonNullable<UserRecord['liveGrants']>[number]

/** Returns the active grants of a user who was listed with those on one resource. */
export const grantsOf = ({ accessRole, expiresAt, liveGrants }: Partial<UserRecord> = {}): readonly Grant[] =>
  liveGrants ?? (accessRole === undefined ? [] : [{ accessRole, ...(expiresAt === undefined ? {} : { expiresAt }) }])

/** Returns the names and addresses of users by id, whether they have access or not; users without a profile are absent. */
export async function profilesOf(
  key: Key,
  userIds: readonly string[],
  options: CallOptions = {},
): Promise<ReadonlyMap<string, Profile>> {
  const calls = chunks([...new Set(userIds)])
  const found = await Promise.all(calls.map((some) => all(key.client.profiles.list.pages({ userIds: some }, options))))
  return new Map(found.flat().flatMap(({ profiles }) => profiles.map((profile) => [profile.userId, profile])))
}

export const userProfilesQuery = (key: Key, userIds: readonly string[]) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'user-names', userIds),
    queryFn: ({ signal }) => profilesOf(key, userIds, { signal }),
    enabled: userIds.length > 0,
  })

/** Returns the users, of those with these ids, with a grant on a resource, by id. */
export async function holdersAt(
  key: Key,
  organizationId: string,
  resource: Pick<ResourceName, 'type' | 'id'>,
  userIds: readonly string[],
  options: CallOptions = {},
): Promise<ReadonlyMap<string, UserRecord>> {
  if (userIds.length === 0) return new Map()
  const args = { organizationId, userIds: userIds.slice(0, ITEMS_MAX), ...targetOf(resource) }
  const found = await all(key.client.users.get.pages(args, options))
  return new Map(found.flat().map((user) => [user.userId, user as UserRecord]))
}

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
    const ids = users.map(({ userId }) => userId)
    const holders = users.flatMap(({ userId, reason, via }) => (reason === 'grant' && !via?.inherited ? [userId] : []))
    const groupIds = users.flatMap(({ via }) => via?.group ?? [])
    const [profiles, own, groups] = await Promise.all([
      profilesOf(key, ids, options),
      holdersAt(key, organizationId, resource, holders, options),
      groupNames(key, organizationId, groupIds, options),
    ])
    const named = users.map((user) => {
      const held = own.get(user.userId)
      const groupName = groups.get(user.via?.group ?? '')
      const { name, email } = profiles.get(user.userId) ?? {}
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
