/** Summarizes the effect of a change: “3 people lose access, 1 becomes viewer”. */
import type { SimulatedChange, Simulation } from '#sdk/generated/operations.ts'
import type { AccessEffect } from '../../queries/simulation.ts'

const people = (count: number): string => (count === 1 ? '1 person' : `${count.toLocaleString('en')} people`)

const resources = (count: number): string =>
  count === 1 ? '1 folder or document' : `${count.toLocaleString('en')} folders and documents`

type Effect = 'lost' | 'gained' | 'becomes editor' | 'becomes viewer' | 'expiry'

function effectOf({ before, after }: SimulatedChange): Effect {
  if (!after.allowed) return 'lost'
  if (!before.allowed) return 'gained'
  if (before.accessRole === after.accessRole) return 'expiry'
  return after.accessRole === 'viewer' ? 'becomes viewer' : 'becomes editor'
}

export function summary({ simulation, more }: AccessEffect): string {
  if (simulation === undefined) return 'This change affects too many people, folders and documents to preview.'
  const { users, changes } = simulation
  const parts = more ? byEffect(users) : byRole(changes)
  const everyone = forEveryone(simulation)
  const phrase = [...parts, ...everyone].map((part, index) =>
    index === 0 ? part : part.replace(/^([\d,]+) (?:person|people) /, '$1 '),
  )
  return phrase.length === 0 ? 'Nobody gains or loses anything.' : `${phrase.join(', ')}.`
}

function byRole(changes: readonly SimulatedChange[]): string[] {
  const users = (effect: Effect) =>
    new Set(changes.flatMap((change) => (effectOf(change) === effect ? [change.userId] : []))).size
  const gainedAs = (role: string) =>
    new Set(
      changes.flatMap((change) =>
        effectOf(change) === 'gained' && change.after.accessRole === role ? [change.userId] : [],
      ),
    ).size
  return [
    phrase(users('lost'), 'loses access', 'lose access'),
    phrase(gainedAs('editor'), 'gains access as editor', 'gain access as editors'),
    phrase(gainedAs('viewer'), 'gains access as viewer', 'gain access as viewers'),
    phrase(users('becomes editor'), 'becomes editor', 'become editors'),
    phrase(users('becomes viewer'), 'becomes viewer', 'become viewers'),
    phrase(users('expiry'), 'keeps the role with another expiry', 'keep their role with another expiry'),
  ].flat()
}

/** The summary without roles, for when not all changes are loaded. */
const byEffect = ({ lost, gained, changed }: Simulation['users']): string[] =>
  [
    phrase(lost, 'loses access', 'lose access'),
    phrase(gained, 'gains access', 'gain access'),
    phrase(changed, 'gets another role or expiry', 'get another role or expiry'),
  ].flat()

const phrase = (count: number, one: string, many: string): string[] =>
  count === 0 ? [] : [`${people(count)} ${count === 1 ? one : many}`]

function forEveryone({ everyone: { gained, lost } }: Simulation): string[] {
  return [
    ...(gained === 0 ? [] : [`${resources(gained)} ${gained === 1 ? 'opens' : 'open'} to everybody else`]),
    ...(lost === 0 ? [] : [`${resources(lost)} ${lost === 1 ? 'closes' : 'close'} for everybody else`]),
  ]
}

/** How a change is marked: it takes access away, it opens something to everybody, or neither. */
export function toneOf({ simulation }: AccessEffect): 'danger' | 'caution' | undefined {
  if (simulation === undefined) return 'caution'
  const { users, everyone } = simulation
  if (users.lost > 0 || everyone.lost > 0) return 'danger'
  return everyone.gained > 0 ? 'caution' : undefined
}

export interface Affected {
  userId: string
  effect: Effect
  /** The change to show: that of the resource itself, if there is one. */
  change: SimulatedChange
  /** The number of affected resources. */
  count: number
}

/** Groups the changes into one line per user and effect, however many folders and documents are affected. */
export function affected(changes: readonly SimulatedChange[]): Affected[] {
  const groups = Map.groupBy(changes, (change) =>
    JSON.stringify([change.userId, effectOf(change), change.before.accessRole, change.after.accessRole]),
  )
  return [...groups.values()].flatMap((group) => {
    const [change] = group
    return change === undefined
      ? []
      : [{ userId: change.userId, effect: effectOf(change), change, count: group.length }]
  })
}
