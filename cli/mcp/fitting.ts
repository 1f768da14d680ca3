/** Cuts a result to a size, whole items first, and reports what was left out. */

/** A list or an object of which only a part was kept. */
export interface Cut {
  /** `users`, `[3].tags`; empty: the result itself. */
  of: string
  kept: number
  all: number
}

interface Fitted {
  value: unknown
  cuts: Cut[]
}

/** What a field costs beside its name and its value: two quotation marks, a colon and a comma. */
const FIELD_CHARACTERS = 4

/**
 * Returns the value, or as much of it as fits into so many characters of JSON. Of a list the first items are kept, each
 * whole unless it is the first; of an object the small fields before the large ones, so that the facts beside a long list stay.
 */
export function fitting(value: unknown, charactersMax: number): Fitted {
  const sizes = new Map<unknown, number>()
  const cuts: Cut[] = []
  let left = charactersMax

  function sizeOf(part: unknown): number {
    if (typeof part !== 'object' || part === null) return JSON.stringify(part).length
    const size = sizes.get(part) ?? JSON.stringify(part).length
    sizes.set(part, size)
    return size
  }

  function take(part: unknown, path: string): unknown {
    const size = sizeOf(part)
    if (size > left && typeof part === 'object' && part !== null)
      return Array.isArray(part) ? takeItems(part, path) : takeFields(part, path)
    left -= size
    return part
  }

  function takeItems(list: readonly unknown[], path: string): unknown[] {
    left -= 2
    const kept: unknown[] = []
    for (const [index, item] of list.entries()) {
      if (sizeOf(item) >= left && (index > 0 || typeof item !== 'object')) break
      left -= 1
      kept.push(take(item, `${path}[${index}]`))
    }
    if (kept.length < list.length) cuts.push({ of: path, kept: kept.length, all: list.length })
    return kept
  }

  function takeFields(object: object, path: string): object {
    left -= 2
    const fields = Object.entries(object)
    const kept = new Map<string, unknown>()
    for (const [name, inner] of fields.toSorted(([, one], [, other]) => sizeOf(one) - sizeOf(other))) {
      const cost = JSON.stringify(name).length + FIELD_CHARACTERS
      const least = typeof inner === 'object' ? 2 : sizeOf(inner)
      if (cost + least > left) continue
      left -= cost
      kept.set(name, take(inner, path === '' ? name : `${path}.${name}`))
    }
    if (kept.size < fields.length) cuts.push({ of: path, kept: kept.size, all: fields.length })
    return Object.fromEntries(fields.filter(([name]) => kept.has(name)).map(([name]) => [name, kept.get(name)]))
  }

  return { value: take(value, ''), cuts }
}
