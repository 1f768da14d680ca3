/**
 * Counts the people whose access each alternative of an explanation would change, and puts the alternatives with the
 * fewest people first.
 */
import { changeOf } from '#contract/access/alternative-changes.ts'
import type { AffectedPeople, Alternative, Explanation } from '#contract/access/explanations.ts'
import { addPermissions, type ResourceName, removePermissions } from '#contract/access/permissions.ts'
import type { Simulation, simulatePermissions } from '#contract/access/simulations.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { disableDocuments } from '#contract/resources/documents.ts'
import { disableOrganizations } from '#contract/resources/organizations.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { deleteUserGroupUsers } from '#contract/users/user-groups.ts'
import { owningOrganization } from '#tenancy/callers/keys.ts'

/**
 * Counts the users who would gain and lose access by changes, with which `enabled` and its organization are enabled too.
 * `complete`: these are all.
 */
export type CountUsers = (
  data: DataOf<typeof simulatePermissions>,
  enabled?: ResourceName,
) => Promise<Pick<Simulation, 'users' | 'everyone'> & { complete: boolean }>

const named = (...operations: { name: string }[]) => {
  const names = operations.map(({ name }) => name)
  return ({ operation }: Alternative['calls'][number]): boolean => names.includes(operation)
}

/** Calls that change the access of the user in question alone. */
const isOfOneUser = named(addPermissions, removePermissions, deleteUserGroupUsers, disableUsers)
const enablesUser = named(disableUsers)
const enablesResource = named(disableDocuments, disableOrganizations)

/**
 * Returns the alternatives with their counts, sorted by the number of people affected in any way, exact counts first.
 * Equal ones keep their order.
 */
export async function withPeople(
  { decision, alternatives }: Explanation,
  resource: ResourceName,
  countUsers: CountUsers,
): Promise<Alternative[]> {
  const effect = decision.allowed ? 'lost' : 'gained'
  const counted: (Alternative & { people: AffectedPeople })[] = []
  for (const alternative of alternatives)
    counted.push({ ...alternative, people: await peopleOf(alternative, resource, effect, countUsers) })
  return counted.sort(({ people: one }, { people: other }) => rank(one) - rank(other) || total(one) - total(other))
}

const total = ({ count, others = 0 }: AffectedPeople): number => count + others

const rank = ({ exact, everyone }: AffectedPeople): number => (everyone ? 2 : exact ? 0 : 1)

async function peopleOf(
  { calls }: Alternative,
  resource: ResourceName,
  effect: 'lost' | 'gained',
  countUsers: CountUsers,
): Promise<AffectedPeople> {
  if (calls.every(isOfOneUser)) return { count: 1, exact: true, everyone: false }
  const enabled = calls.some(enablesResource) ? resource : undefined
  const changes = calls.filter((call) => !enablesResource(call) && !enablesUser(call))
  const change = changes.length === 0 ? { organizationId: owningOrganization(resource) } : changeOf(changes)
  // The default of the API key would change: it is in force in all its organizations.
  if (change === undefined) return { count: 1, exact: false, everyone: true }
  const { users, everyone: anybody, complete } = await countUsers({ ...change, includeInside: false }, enabled)
  const everyone = anybody[effect] > 0
  // A disabled user is denied in simulations, so the one who is enabled is counted beside them.
  const count = users[effect] + calls.filter(enablesUser).length
  const others = users[effect === 'gained' ? 'lost' : 'gained']
  return {
    count: Math.max(1, count),
    exact: complete && !everyone,
    everyone,
    ...(others > 0 && { others }),
  }
}
