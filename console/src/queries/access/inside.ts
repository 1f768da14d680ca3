/** Queries about the users who have access to something inside a folder or organization, but not to it itself. */
import { queryOptions } from '@tanstack/react-query'
import type { ListPermittedUsersResult, ResourceName } from '#sdk/generated/operations.ts'
import type { CallOptions, Page } from '#sdk/options.ts'
import { isTooMuchInside } from '#sdk/shared/access-rows.ts'
import type { Key } from '../../session/session.ts'
import { queryKeyOf } from '../keys/keys.ts'
import { all, pagesQuery } from '../pages/pages.ts'
import type { Profile } from './people.ts'

export type InsideUser = ListPermittedUsersResult['users'][number] & Partial<Profile>

/** The maximum number of users that are counted. */
const COUNTED_MAX = 100

interface InsideCount {
  /** Everyone has access to the folder itself, so users with grants inside are not counted. */
  isPublic: boolean
  users: number
  /** There may be more users than were counted. */
  moreUsers: boolean
  /** The contents to which everyone has access, because they are public. */
  everyone: NonNullable<ListPermittedUsersResult['everyoneInside']>
}

/** Null: too much is inside to say who has access to some of it. */
export const insideCountQuery = (key: Key, resource: ResourceName) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'permitted-users', 'inside', 'count', resource),
    queryFn: async ({ signal }): Promise<InsideCount | null> => {
      try {
        const list = key.client.permittedUsers.list.pages({ resource, inside: true, pageSize: COUNTED_MAX }, { signal })
        const { value } = await list.next()
        const { users = [], everyone = false, everyoneInside = { resources: 0 } } = value?.data ?? {}
        return {
          isPublic: everyone,
          users: users.length,
          moreUsers: value?.nextPageToken !== undefined,
          everyone: everyoneInside,
        }
      } catch (error) {
        if (isTooMuchInside(error)) return null
        throw error
      }
    },
  })

export const insideUsersQuery = (key: Key, organizationId: string, resource: ResourceName) =>
  pagesQuery({
    queryKey: queryKeyOf(key, 'permitted-users', 'inside', 'named', resource),
    method: {
      pages: (data: { pageToken?: string } = {}, options) => insidePages(key, organizationId, resource, data, options),
    },
    data: {},
    rowsOf: (users) => users,
  })

async function* insidePages(
  key: Key,
  organizationId: string,
  resource: ResourceName,
  { pageToken }: { pageToken?: string },
  options?: CallOptions,
): AsyncGenerator<Page<InsideUser[]>, void, undefined> {
  const args = { resource, inside: true, ...(pageToken === undefined ? {} : { pageToken }) }
  for await (const page of key.client.permittedUsers.list.pages(args, options)) {
    const { users } = page.data
    const userIds = users.map(({ userId }) => userId)
    const profiles = await profilesInside(key, organizationId, userIds, options)
    yield { ...page, data: users.map((user) => ({ ...profiles.get(user.userId), ...user })) }
  }
}

/** Finds the names of members and of users with a grant on a document. */
export async function profilesInside(
  key: Key,
  organizationId: string,
  userIds: readonly string[],
  options?: CallOptions,
): Promise<Map<string, Partial<Profile>>> {
  if (userIds.length === 0) return new Map()
  const args = { organizationId, userIds: [...userIds] }
  const found = await Promise.all([
    all(key.client.users.get.pages(args, options)),
    all(key.client.users.get.pages({ ...args, allDocuments: true }, options)),
  ])
  return new Map(found.flat(2).map(({ userId, name }) => [userId, name === undefined ? {} : { name }]))
}
