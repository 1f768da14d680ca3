/** Queries and mutations of the data about a user: showing, exporting and erasing it. */
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { DeleteUserDataData, GetUserDataResult } from '#sdk/generated/operations.ts'
import type { CallOptions } from '#sdk/options.ts'
import type { Key } from '../../session/session.ts'
import { queryKeyOf } from '../keys/keys.ts'
import { pagesQuery } from '../pages/pages.ts'

/** Pages of every organization with data about the user. */
export const userDataQuery = (key: Key, userId: string) =>
  pagesQuery({
    queryKey: queryKeyOf(key, 'user-data', userId),
    method: key.client.userData.get,
    data: { userId },
    rowsOf: (found) => [found],
  })

export interface UserAccess {
  grants: GetUserDataResult['grants']
  groupIds: string[]
  /** Both lists are complete. */
  isComplete: boolean
}

/** Pages contain events as well: with very many events the lists stay incomplete. */
const PAGES_MAX = 20

/** Reads the grants and groups of a user in one organization. */
export async function readUserAccess(
  key: Key,
  organizationId: string,
  userId: string,
  options: CallOptions = {},
): Promise<UserAccess> {
  const access: UserAccess = { grants: [], groupIds: [], isComplete: false }
  let pages = 0
  for await (const { data } of key.client.userData.get.pages({ organizationId, userId }, options)) {
    access.grants.push(...data.grants)
    access.groupIds.push(...data.userGroups.map(({ groupId }) => groupId))
    if (++pages === PAGES_MAX) return access
  }
  return { ...access, isComplete: true }
}

export const userAccessQuery = (key: Key, organizationId: string, userId: string) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'user-data', userId, 'in', organizationId),
    queryFn: ({ signal }) => readUserAccess(key, organizationId, userId, { signal }),
    staleTime: 0,
  })

interface Export {
  userId: string
  exportedAt: string
  profile: GetUserDataResult['profile']
  organizations: Pick<GetUserDataResult, 'organizationId' | 'grants' | 'userGroups' | 'events'>[]
}

/** Collects all data in one document; `onPage` reports the number of pages read. */
export const exportUserData = (key: Key, onPage: (pages: number) => void) =>
  mutationOptions({
    mutationFn: async (userId: string): Promise<Export> => {
      const found: Export = { userId, exportedAt: new Date().toISOString(), profile: null, organizations: [] }
      let pages = 0
      for await (const { data } of key.client.userData.get.pages({ userId })) {
        const { profile, organizationId, grants, userGroups, events } = data
        found.profile = profile
        const last = found.organizations.at(-1)
        if (last !== undefined && last.organizationId === organizationId) {
          last.grants.push(...grants)
          last.userGroups.push(...userGroups)
          last.events.push(...events)
        } else if (organizationId !== undefined || events.length > 0)
          found.organizations.push({
            ...(organizationId !== undefined && { organizationId }),
            grants,
            userGroups,
            events,
          })
        onPage(++pages)
      }
      return found
    },
  })

/** Starts the erasure; `erasureQuery` reports its progress. */
export const eraseUsers = (key: Key) =>
  mutationOptions({ mutationFn: (data: DeleteUserDataData) => key.client.userData.delete(data) })

/** How often the progress of a job is read. */
export const POLL_MS = 500

export const erasureQuery = (key: Key, jobId: string) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'erasures', jobId),
    queryFn: ({ signal }) => key.client.userDataDeletions.get({ jobId }, { signal }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.isDeleteCompleted ? false : POLL_MS),
  })
