/** Cuts a result to a size, preferring whole items, and reports the omitted parts. */

/** A list or an object of which only a part was kept. */
export interface Cut {
  /** The path, such as `users` or `[3].tags`; empty for the result itself. */
  of: string
  kept: number
  all: number
}

interface Fitted {
  value: unknown
  cuts: Cut[]
}

/** The number of characters of `{}` and `[]`, of a comma, and of a colon with a comma. */
const EMPTY = 2
const COMMA = 1
const COLON_AND_COMMA = 2

const isContainer = (part: unknown): part is object => typeof part === 'object' && part !== null

/**
 * Returns the value, or the part of it that fits into this number of characters of JSON (at least two). Of a list the first
 * items are kept, each whole unless it is the first. Of an object the small fields are kept before the large ones, so that the
 * facts beside a long list remain.
 */
export function fitting(value: unknown, charactersMax: number): Fitted {
  const sizes = new Map<unknown, number>()
  const cuts: Cut[] = []
  let left = charactersMax

  function sizeOf(part: unknown): number {
    if (!isContainer(part)) return JSON.stringify(part).length
    const size = sizes.get(part) ?? JSON.stringify(part).length
    sizes.set(part, size)
    return size
  }

  function take(part: unknown, path: string): unknown {
    const size = sizeOf(part)
    if (size > left && isContainer(part)) return Array.isArray(part) ? takeItems(part, path) : takeFields(part, path)
    left -= size
    return part
  }

  function takeItems(list: readonly unknown[], path: string): unknown[] {
    left -= EMPTY
    const kept: unknown[] = []
    for (const [index, item] of list.entries()) {
      const isPart = sizeOf(item) + COMMA > left
      if (isPart && (index > 0 || !isContainer(item) || EMPTY + COMMA > left)) break
      left -= COMMA
      kept.push(take(item, `${path}[${index}]`))
    }
    if (kept.length < list.length) cuts.push({ of: path, kept: kept.length, all: list.length })
    return kept
  }

  function takeFields(object: object, path: string): object {
    left -= EMPTY
    const fields = Object.entries(object)
    const kept = new Map<string, unknown>()
    for (const [name, inner] of fields.toSorted(([, one], [, other]) => sizeOf(one) - sizeOf(other))) {
      const cost = JSON.stringify(name).length + COLON_AND_COMMA
      const least = isContainer(inner) ? EMPTY : sizeOf(inner)
      if (cost + least > left) continue
      left -= cost
      kept.set(name, take(inner, path === '' ? name : `${path}.${name}`))
    }
    if (kept.size < fields.length) cuts.push({ of: path, kept: kept.size, all: fields.length })
    return Object.fromEntries(fields.filter(([name]) => kept.has(name)).map(([name]) => [name, kept.get(name)]))
  }

  return { value: take(value, ''), cuts }
}
