/** Says the effect of a change in words, counted by the server: “3 people lose access, 12 become editors”. */
import type { EffectGroup, Simulation } from '#sdk/generated/operations.ts'
import type { AccessEffect } from '../../../queries/access/simulation.ts'

const people = (count: number): string => (count === 1 ? '1 person' : `${count.toLocaleString('en')} people`)

const counted = (count: number, noun: string): string[] =>
  count === 0 ? [] : [`${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`]

export const TOO_LARGE = 'This change affects too many people to preview.'
export const NO_EFFECT = 'Nobody gains or loses anything.'

/** The effect on one group as a verb: the first for one person, the second for several. */
function verbsOf({ effect, accessRole }: EffectGroup): [one: string, many: string] {
  switch (effect) {
    case 'lost':
      return ['loses access', 'lose access']
    case 'gained':
      return [`gains access as ${accessRole}`, `gain access as ${accessRole}s`]
    case 'role':
      return [`becomes ${accessRole}`, `become ${accessRole}s`]
    case 'expiry':
      return [`keeps ${accessRole} with another expiry`, `keep ${accessRole} with another expiry`]
    case 'kept':
      return [`keeps ${accessRole}`, `keep ${accessRole}`]
  }
}

/** Returns the effect on a group of people as a sentence without a period: “12 people become editors”. */
export function headline(group: EffectGroup, atLeast: boolean): string {
  const [one, many] = verbsOf(group)
  const count = `${people(group.users)} ${group.users === 1 ? one : many}`
  return atLeast ? `At least ${count}` : count
}

/** Returns what the people of a group lose or get access to: “1 folder and 12 documents”. */
export function resourcesOf({ organizations, folders, documents }: EffectGroup): string {
  const parts = [
    ...(organizations === 0 ? [] : ['the organization']),
    ...counted(folders, 'folder'),
    ...counted(documents, 'document'),
  ]
  return parts.length < 3 ? parts.join(' and ') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

/** Returns what opens to everybody without a grant, and what closes for them, as sentences without a period. */
export function effectOnEveryone({ everyone: { gained, lost } }: Simulation): { text: string; isLoss: boolean }[] {
  const resources = (count: number) => counted(count, 'resource')
  return [
    ...resources(lost).map((some) => ({
      text: `${some} ${lost === 1 ? 'closes' : 'close'} for everybody else`,
      isLoss: true,
    })),
    ...resources(gained).map((some) => ({
      text: `${some} ${gained === 1 ? 'opens' : 'open'} to everybody else`,
      isLoss: false,
    })),
  ]
}

/** How a change is marked: it takes access away, it opens something to everybody, or neither. */
export function toneOf({ simulation }: AccessEffect): 'danger' | 'caution' | undefined {
  if (simulation === undefined) return 'caution'
  const { users, everyone } = simulation
  if (users.lost > 0 || everyone.lost > 0) return 'danger'
  return everyone.gained > 0 ? 'caution' : undefined
}

/** Returns the whole effect as one sentence. */
export function summary({ simulation, atLeast }: AccessEffect): string {
  if (simulation === undefined) return TOO_LARGE
  const changed = simulation.groups.filter(({ effect }) => effect !== 'kept').map((group) => headline(group, false))
  const parts = [...changed, ...effectOnEveryone(simulation).map(({ text }) => text)].map((part, index) =>
    index === 0 ? part : part.replace(/^([\d,]+) (?:person|people) /, '$1 '),
  )
  return parts.length === 0 ? NO_EFFECT : `${atLeast ? 'At least ' : ''}${parts.join(', ')}.`
}
