/**
 * Counts the people whose access each alternative of an explanation would change, and puts the alternatives with the
 * fewest people first.
 */
import { changeOf } from '#contract/access/alternative-changes.ts'
import type { Decision } from '#contract/access/decisions.ts'
import type { AffectedPeople, Alternative, Explanation } from '#contract/access/explanations.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import type { Simulation, simulatePermissions } from '#contract/access/simulations.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { deleteUserGroupUsers } from '#contract/users/user-groups.ts'
import type { Caller } from '#tenancy/callers/caller.ts'

/** Counts the users who would gain and lose access. `complete`: these are all. */
export type CountUsers = (
  caller: Caller,
  data: DataOf<typeof simulatePermissions>,
) => Promise<Pick<Simulation, 'users' | 'everyone'> & { complete: boolean }>

/** Calls that change the access of the user in question alone. */
const OF_ONE_USER: readonly string[] = [addPermissions, removePermissions, deleteUserGroupUsers, disableUsers].map(
  ({ name }) => name,
)

/**
 * Returns the alternatives with their counts, sorted by the number of people affected in any way, exact counts first.
 * Equal ones keep their order.
 */
export async function withPeople(
  { decision, alternatives }: Explanation,
  countUsers: (change: DataOf<typeof simulatePermissions>) => ReturnType<CountUsers>,
): Promise<Alternative[]> {
  const effect = decision.allowed ? 'lost' : 'gained'
  const counted: (Alternative & { people: AffectedPeople })[] = []
  for (const alternative of alternatives)
    counted.push({ ...alternative, people: await peopleOf(alternative, decision, effect, countUsers) })
  return counted.sort(({ people: one }, { people: other }) => rank(one) - rank(other) || total(one) - total(other))
}

const total = ({ count, others = 0 }: AffectedPeople): number => count + others

const rank = ({ exact, everyone }: AffectedPeople): number => (everyone ? 2 : exact ? 0 : 1)

async function peopleOf(
  { calls }: Alternative,
  decision: Decision,
  effect: 'lost' | 'gained',
  countUsers: (change: DataOf<typeof simulatePermissions>) => ReturnType<CountUsers>,
): Promise<AffectedPeople> {
  if (calls.every(({ operation }) => OF_ONE_USER.includes(operation))) return { count: 1, exact: true, everyone: false }
  // A disabled user is denied in simulations, so it is counted beside them.
  const simulated = calls.filter(({ operation }) => operation !== disableUsers.name)
  const change = changeOf(simulated)
  // The user is always affected; more than this one is not known.
  if (change === undefined) return { count: 1, exact: false, everyone: concernsEveryone(decision, calls) }
  const { users, everyone: anybody, complete } = await countUsers({ ...change, includeInside: false })
  const everyone = anybody[effect] > 0
  const count = users[effect] + calls.length - simulated.length
  const others = users[effect === 'gained' ? 'lost' : 'gained']
  return {
    count: Math.max(1, count),
    exact: complete && !everyone,
    everyone,
    ...(others > 0 && { others }),
  }
}

/**
 * Returns whether calls that a simulation does not cover affect users without a grant: they restrict what the API key
 * makes public by default, or they enable what is public, or becomes so.
 */
function concernsEveryone({ allowed, accessType }: Decision, calls: Alternative['calls']): boolean {
  const set = calls.find(({ data }) => 'accessType' in data)
  return allowed || (set?.data.accessType ?? accessType) === 'public'
}
