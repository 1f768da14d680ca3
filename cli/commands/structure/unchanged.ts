/** Finds out which items of a call are already as it asks for, so that a repeated command says so. */
import { isDeepStrictEqual } from 'node:util'
import { CommonholdError } from '#sdk/errors.ts'

/** Returns what a call found; undefined if it was refused: the command itself says what is wrong. */
export async function foundBy<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof CommonholdError) return undefined
    throw error
  }
}

/** Returns the ids of the given items of which all given fields are stored. */
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
