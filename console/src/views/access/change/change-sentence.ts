/** Says in one sentence what a change will do: “Give viewer to Ada Lovelace on the folder Plans.” */
import { ACCESS_TYPES } from '../../../access-types.ts'
import { formatMoment } from '../../../components/values/times.ts'
import { shownName } from '../../../shown-name.ts'
import type { Change, GivenGrant, Place } from './change.ts'
import { holderOf } from './principal.tsx'

const NAMES_MAX = 3

/** Isolates a name, whose letters may run in the other direction. */
const isolated = (name: string): string => `\u2068${name}\u2069`

function listOf(principals: readonly string[], names: ReadonlyMap<string, string>): string {
  const named = principals.slice(0, NAMES_MAX).map((principal) => {
    const { userId, groupId } = holderOf(principal)
    const name = isolated(shownName(names.get(principal), groupId ?? userId ?? ''))
    return groupId === undefined ? name : `the group ${name}`
  })
  const rest = principals.length - named.length
  const parts = rest === 0 ? named : [...named, `${rest.toLocaleString('en')} more`]
  return parts.length === 1 ? parts.join() : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

function gift(give: readonly GivenGrant[], names: ReadonlyMap<string, string>, target: string): string {
  const [{ accessRole, expiresAt } = { accessRole: 'viewer', expiresAt: undefined }] = give
  const until = expiresAt === undefined ? '' : ` until ${formatMoment(expiresAt * 1_000)}`
  const principals = give.map(({ principal }) => principal)
  return `Give ${accessRole} to ${listOf(principals, names)} on ${target}${until}.`
}

export function sentenceOf(
  { resource: { type, id }, chain }: Place,
  { give = [], revoke = [], accessType }: Change,
  names: ReadonlyMap<string, string>,
): string {
  const target = `the ${type} ${isolated(shownName(chain[0]?.name, id))}`
  const sentences = [
    ...(give.length === 0 ? [] : [gift(give, names, target)]),
    ...(revoke.length === 0 ? [] : [`Revoke the grants of ${listOf(revoke, names)} on ${target}.`]),
    ...(accessType === undefined
      ? []
      : [
          accessType === null
            ? `Let ${target} inherit its access type.`
            : `Make ${target} ${ACCESS_TYPES[accessType].label.toLowerCase()}.`,
        ]),
  ]
  return sentences.join(' ')
}
