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

/** Returns which of the stored items are already disabled, or already enabled. */
export const withState = (stored: readonly object[] | undefined, isDisabled: boolean): Existing => ({
  unchanged: new Set(
    (stored ?? []).flatMap((item) =>
      'id' in item && 'disabled' in item && item.disabled === isDisabled ? [String(item.id)] : [],
    ),
  ),
})

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
