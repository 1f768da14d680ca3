/** Finds the items of a call that exist, so that a command can say whether it has changed them. */
import { isDeepStrictEqual } from 'node:util'
import { CommonholdError } from '#sdk/errors.ts'
import type { Existing } from '../../terminal/output.ts'

/** Returns the result of a call; undefined if it was refused, because the command itself then reports the reason. */
export async function foundBy<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof CommonholdError) return undefined
    throw error
  }
}

/** Returns which of the items already have the fields that a call gives all of them. */
export const alreadyWith = (ids: readonly string[], fields: object, stored: readonly object[] = []): Existing =>
  unchangedAmong(
    ids.map((id) => ({ id, ...fields })),
    stored,
  )

/** Returns which items a call leaves as they are, because they already have the fields that it gives them. */
export const unchangedAmong = (given: readonly ({ id: string } & object)[], stored: readonly object[]): Existing => ({
  unchanged: existingAmong(given, stored).unchanged,
})

export const AS_BEFORE = 'Unchanged.'
export const ALREADY_DISABLED = 'Already disabled, unchanged.'
export const NOT_DISABLED = 'Not disabled, unchanged.'

/** Returns which of the given items are stored: as unchanged, if all their given fields are. */
export function existingAmong(given: readonly ({ id: string } & object)[], stored: readonly object[]): Existing {
  const [unchanged, changed] = [new Set<string>(), new Set<string>()]
  for (const { id, ...fields } of given) {
    const found = stored.find((item) => 'id' in item && item.id === id) as Record<string, unknown> | undefined
    if (found === undefined || 'success' in found) continue
    const isStored = Object.entries(fields).every(([name, value]) => isDeepStrictEqual(found[name], value))
    ;(isStored ? unchanged : changed).add(id)
  }
  return { unchanged, changed }
}

/** Returns the stored fields of a resource after a call that sets its access type, or lets it inherit again. */
export const ownAccess = ({ accessType }: { accessType?: string | null }): object =>
  accessType == null ? { inheritAccessFromParent: true } : { accessType, inheritAccessFromParent: false }
