/** Queries and mutations that revoke all access of users who leave. */
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { RevokeUserAccessData } from '#sdk/generated/operations.ts'
import { type HeldAccess, type RevocationPreview, sumOfPages } from '#sdk/shared/revocation-preview.ts'
import type { Key } from '../../session/session.ts'
import { queryKeyOf } from '../keys/keys.ts'
import { POLL_MS } from './user-data.ts'

/** The maximum number of items of each kind that are named. */
const NAMED_MAX = 10

export interface LeaverPreview {
  held: HeldAccess
  public: RevocationPreview['public']
}

/**
 * The grants and groups that a revocation would remove from a user in all organizations, and the resources that stay public.
 * After a job, with its id.
 */
export const revocationPreviewQuery = (key: Key, userId: string, afterJob?: string) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'user-data', userId, 'revocation-preview', afterJob),
    queryFn: async ({ signal }): Promise<LeaverPreview> => {
      const pages: RevocationPreview[] = []
      for await (const { data } of key.client.userAccess.revoke.pages({ userIds: [userId], dryRun: true }, { signal }))
        if (data.preview !== undefined) pages.push(data.preview)
      const total = sumOfPages(pages, NAMED_MAX)
      const [held] = total.users
      if (held === undefined) throw new Error('a dry run without its user')
      return { held, public: total.public }
    },
    staleTime: 0,
    // A count from before must not be shown as the present one.
    gcTime: 0,
  })

/** Starts the revocation; `revocationQuery` reports its progress. */
export const revokeUserAccess = (key: Key) =>
  mutationOptions({
    mutationFn: async (data: RevokeUserAccessData) => {
      const { jobId = '' } = await key.client.userAccess.revoke(data)
      return jobId
    },
    meta: { invalidates: [queryKeyOf(key)] },
  })

export const revocationQuery = (key: Key, jobId: string) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'revocations', jobId),
    queryFn: ({ signal }) => key.client.userAccessRevocations.get({ jobId }, { signal }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.status === 'completed' ? false : POLL_MS),
  })
