/**
 * Finds names that an object of a JSON text has twice (rules/contract.md#repeated-names). `JSON.parse` keeps the last value and
 * drops the others, such as the list of organizations to which a deletion was limited.
 */

/** Matches the end of a name. Texts rarely have it inside, because it has to be escaped. */
const ENDS = /"\s*:/g
const PARTS = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}]/g

/** Returns a name that an object of the text has twice, or undefined. `value` is what `JSON.parse` has made of the text. */
export function repeatedName(json: string, value: unknown): string | undefined {
  // A colon follows every name: there are more of them only if a name was dropped, or in texts, such as addresses.
  const names = countNames(value)
  return countColons(json) === names || json.match(ENDS)?.length === names ? undefined : findRepeated(json)
}

function countColons(json: string): number {
  let count = 0
  for (let at = json.indexOf(':'); at !== -1; at = json.indexOf(':', at + 1)) count++
  return count
}

/** Without recursion: lists in a body of 64 kB can be nested 32,000 deep. */
function countNames(value: unknown): number {
  let count = 0
  const rest: unknown[] = [value]
  while (rest.length > 0) {
    const one = rest.pop()
    if (Array.isArray(one)) for (const each of one) keepObject(rest, each)
    else if (isObject(one))
      for (const name in one) {
        count++
        keepObject(rest, one[name])
      }
  }
  return count
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function keepObject(rest: unknown[], value: unknown): void {
  if (isObject(value)) rest.push(value)
}

function findRepeated(json: string): string | undefined {
  const open: Set<string>[] = []
  for (const [part, text = '', colon] of json.matchAll(PARTS)) {
    if (part === '{') open.push(new Set())
    else if (part === '}') open.pop()
    else if (colon !== undefined) {
      const name = text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text
      const names = open.at(-1)
      if (names?.has(name)) return name
      names?.add(name)
    }
  }
  return undefined
}

/** The fault of such a text. */
export const hasRepeated = (name: string): string =>
  `it has the name ${JSON.stringify(name.slice(0, 40))} twice in one object`
