/** The state of access before and after a change, and whether it is still the same. */
import type { Change, Grant, Preview, State } from './change.ts'

const isTemporary = ({ expiresAt }: Grant): boolean => expiresAt !== undefined

/** Returns the state that a change leads to. */
export function stateAfter({ give = [], revoke = [], accessType }: Change, before: State): State {
  const after = new Map<string, readonly Grant[]>(revoke.map((principal) => [principal, []]))
  for (const { principal, replaceExisting, ...grant } of give) {
    const held = after.get(principal) ?? before.grants[principal] ?? []
    const beside = replaceExisting ? [] : held.filter((other) => isTemporary(other) !== isTemporary(grant))
    after.set(
      principal,
      [...beside, grant].sort((one, other) => Number(isTemporary(one)) - Number(isTemporary(other))),
    )
  }
  return { grants: Object.fromEntries(after), ...(accessType === undefined ? {} : { accessType }) }
}

/** Returns the change that restores a state. */
export function changeTo({ grants, accessType }: State): Change {
  const entries = Object.entries(grants)
  return {
    give: entries.flatMap(([principal, held]) =>
      held.map((grant, nth) => ({ principal, ...grant, replaceExisting: nth === 0 })),
    ),
    revoke: entries.flatMap(([principal, held]) => (held.length === 0 ? [principal] : [])),
    ...(accessType === undefined ? {} : { accessType }),
  }
}

/** Returns a state without the grants that have expired since. */
export const aliveAt = (now: number, { grants, ...rest }: State): State => ({
  ...rest,
  grants: Object.fromEntries(
    Object.entries(grants).map(([principal, held]) => [
      principal,
      held.filter(({ expiresAt }) => expiresAt === undefined || expiresAt * 1_000 > now),
    ]),
  ),
})

/** Returns whether nothing remains of what a change gave, because it has expired. */
export const hasExpired = ({ give = [], revoke = [], accessType }: Change, now: number): boolean =>
  revoke.length === 0 &&
  accessType === undefined &&
  give.length > 0 &&
  give.every(({ expiresAt }) => expiresAt !== undefined && expiresAt * 1_000 <= now)

export const isSameState = (left: State, right: State): boolean =>
  left.accessType === right.accessType &&
  Object.keys(left.grants).every((principal) => areSameGrants(left.grants[principal], right.grants[principal]))

export const areSameGrants = (left: readonly Grant[] = [], right: readonly Grant[] = []): boolean =>
  left.length === right.length &&
  left.every(
    ({ accessRole, expiresAt }, nth) => accessRole === right[nth]?.accessRole && expiresAt === right[nth]?.expiresAt,
  )

export const isSamePreview = (left: Preview, right: Preview): boolean =>
  isSameState(left.state, right.state) && JSON.stringify(left.simulation) === JSON.stringify(right.simulation)
