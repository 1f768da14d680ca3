/** Removes the grants that a review has decided to remove: its preview, and the calls. */
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { chunks, ITEMS_MAX } from '#sdk/shared/chunks.ts'
import { plural } from '../../plural.ts'
import type { Key } from '../../session/session.ts'
import { queryKeyOf } from '../keys/keys.ts'
import { nameOfDecided, nameOfReviewed, type ReviewedAccess } from './access-review.ts'
import { type AccessEffect, simulated } from './simulation.ts'

const holderOf = ({ userId = '', groupId }: ReviewedAccess) => (groupId === undefined ? { userId } : { groupId })

export const removalEffectQuery = (key: Key, organizationId: string, rows: readonly ReviewedAccess[]) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'preview', 'review', organizationId, rows.map(nameOfReviewed)),
    queryFn: async ({ signal }): Promise<AccessEffect> => {
      if (rows.length > ITEMS_MAX) return { simulation: undefined, atLeast: true }
      const remove = rows.map((row) => ({ ...holderOf(row), resource: { type: row.type, id: row.id } }))
      return simulated(key, { organizationId, remove }, signal)
    },
    // Always current, never cached.
    staleTime: 0,
    gcTime: 0,
  })

/** Refuses if one of the grants is not as it was decided about: somebody else has changed it since it was read. */
async function requireUnchanged(key: Key, organizationId: string, rows: readonly ReviewedAccess[]): Promise<void> {
  const read = new Map(rows.map((row) => [nameOfReviewed(row), { ...row, grants: [] as ReviewedAccess['grants'] }]))
  for await (const { data } of key.client.grants.list.pages({ organizationId, pageSize: ITEMS_MAX }))
    for (const grant of data.grants) read.get(nameOfReviewed(grant))?.grants.push(grant)
  const changed = rows.filter((row) => {
    const now = read.get(nameOfReviewed(row))
    return now !== undefined && now.grants.length > 0 && nameOfDecided(now) !== nameOfDecided(row)
  })
  if (changed.length > 0)
    throw new Error(
      `${plural(changed.length, 'grant')} changed since this page has read them, so nothing was removed. Close this dialog, refresh the page, and decide again.`,
    )
}

/**
 * Removes the grants of one holder after the other, if all are as they were decided about. `onRemoved` gets the rows of
 * each call that has succeeded.
 */
export const removeReviewed = (
  key: Key,
  organizationId: string,
  onRemoved: (rows: readonly ReviewedAccess[]) => void,
) =>
  mutationOptions({
    mutationFn: async (rows: readonly ReviewedAccess[]) => {
      await requireUnchanged(key, organizationId, rows)
      const byHolder = Map.groupBy(rows, ({ userId, groupId }) => JSON.stringify([userId ?? null, groupId ?? null]))
      for (const held of byHolder.values())
        for (const some of chunks(held)) {
          const { userId = '', groupId } = some[0] as ReviewedAccess
          await key.client.permissions.remove({
            ...(groupId === undefined ? { userId } : { group: { organizationId, groupId } }),
            permissions: { resources: some.map(({ type, id }) => ({ type, id, organizationId })) },
          })
          onRemoved(some)
        }
    },
    meta: { invalidates: [queryKeyOf(key)] },
  })
