/** Finds the items of a call that already have the given fields, so that a repeated command can say so. */
import { isDeepStrictEqual } from 'node:util'
import { CommonholdError } from '#sdk/errors.ts'

/** Returns the result of a call; undefined if it was refused, because the command itself then reports the reason. */
export async function foundBy<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof CommonholdError) return undefined
    throw error
  }
}

/** Returns the ids of the stored items. */
export const idsOf = (stored: readonly object[]): ReadonlySet<string> =>
  new Set(stored.flatMap((item) => ('id' in item && !('success' in item) ? [String(item.id)] : [])))

/** Returns the ids of the given items whose given fields are all stored already. */
export function unchangedAmong(
  given: readonly ({ id: string } & object)[],
  stored: readonly object[],
): ReadonlySet<string> {
  return new Set(
    given.flatMap(({ id, ...fields }) => {
      const found = stored.find((item) => 'id' in item && item.id === id) as Record<string, unknown> | undefined
      if (found === undefined || 'success' in found) return []
      return Object.entries(fields).every(([name, value]) => isDeepStrictEqual(found[name], value)) ? [id] : []
    }),
  )
}
