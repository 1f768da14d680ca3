/** The things that the sentences of an explanation name by id, with their names. */
import { useQuery } from '@tanstack/react-query'
import type { Explanation, ResourceType } from '#sdk/generated/operations.ts'
import type { WhySearch } from '../../links/searches.ts'
import { placeKey, resourceNamesQuery } from '../../queries/resources/resource-names.ts'
import { groupNamesQuery } from '../../queries/users/groups.ts'
import { useKey } from '../../session/use-session.ts'

/** `kind` is the word that sentences put before the id. */
export interface Thing {
  kind: 'user' | 'user group' | ResourceType
  id: string
  /** Undefined while it is loaded, and for a thing without a name. */
  name?: string | undefined
}

/** Returns the ids of the user groups whose grants are on the chain, each once. */
export const groupIdsOf = (chain: Explanation['chain']): string[] => [
  ...new Set(chain.flatMap(({ grants }) => grants.flatMap(({ groupId }) => groupId ?? []))),
]

export function useThings(question: WhySearch, userName: string | undefined, explanation: Explanation): Thing[] {
  const { userId, organizationId, type, id } = question
  const { chain, decision } = explanation
  const key = useKey()
  const groupIds = groupIdsOf(chain)
  const { data: groupNames } = useQuery(groupNamesQuery(key, organizationId, groupIds))
  // The chain has the names, and is empty for a resource that does not exist.
  const organization = { type: 'organization' as const, id: organizationId }
  const { data: names } = useQuery(resourceNamesQuery(key, organizationId, chain.length === 0 ? [organization] : []))
  return [
    { kind: 'user', id: userId, name: userName },
    ...chain.map((entry) => ({ kind: entry.type, id: entry.id, name: entry.name })),
    ...groupIds.map((groupId): Thing => ({ kind: 'user group', id: groupId, name: groupNames?.get(groupId) })),
    { kind: 'organization', id: organizationId, name: names?.get(placeKey(organization)) },
    { kind: type, id },
    { kind: 'document', id: decision.migratedTo ?? '' },
  ]
}
