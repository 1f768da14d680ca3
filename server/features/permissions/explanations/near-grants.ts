/** Finds grants that were probably meant for the resource in question: on ids nearly the same that were never added. */
import type { NearGrant } from '#contract/access/explanations.ts'
import { isNearId } from '#contract/access/near-ids.ts'
import type { Explained } from './explained.ts'
import type { UndeclaredGrant } from './statements.ts'

const SHOWN_MAX = 10

/** Those that are near the resource in question come first, then those near the folders above it, from the nearest up. */
export function nearGrantsOf({ resource, chain }: Explained, undeclared: readonly UndeclaredGrant[]): NearGrant[] {
  const places = (chain.length === 0 ? [resource] : chain).filter(({ type }) => type !== 'organization')
  const misspelt = undeclared.filter((grant) => !places.some(({ type, id }) => type === grant.type && id === grant.id))
  const found = misspelt.map((grant) => ({ grant, at: places.findIndex(({ id }) => isNearId(id, grant.id)) }))
  return found
    .sort((one, other) => one.at - other.at)
    .flatMap(({ grant: { groupId, ...grant }, at }): NearGrant[] => {
      const place = places[at]
      if (place === undefined) return []
      return [{ ...grant, ...(groupId === null ? {} : { groupId }), near: { type: place.type, id: place.id } }]
    })
    .slice(0, SHOWN_MAX)
}
