/**
 * Finds names that an object of a JSON text has twice (rules/contract.md#repeated-names). `JSON.parse` keeps the last value and
 * drops the others, such as the list of organizations to which a deletion was limited.
 */

const NAMES = /"\s*:/g
const PARTS = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}]/g

/** Returns a name that an object of the text has twice, or undefined. `value` is what `JSON.parse` has made of the text. */
export function repeatedName(json: string, value: unknown): string | undefined {
  // Every name is followed by a colon; the text has more of them only if a name was dropped, or if a text has one inside.
  const names = json.match(NAMES)?.length ?? 0
  return names === 0 || names === countNames(value) ? undefined : findRepeated(json)
}

function countNames(value: unknown): number {
  let count = 0
  const rest: unknown[] = [value]
  for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
    if (typeof one !== 'object' || one === null) continue
    const inner = Object.values(one)
    if (!Array.isArray(one)) count += inner.length
    for (const each of inner) if (typeof each === 'object' && each !== null) rest.push(each)
  }
  return count
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

/** What is wrong with such a text. */
export const hasRepeated = (name: string): string =>
  `it has the name ${JSON.stringify(name.slice(0, 40))} twice in one object`
