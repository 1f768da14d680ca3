/**
 * Parses and writes the query of a URL. Ids are kept verbatim, also in links written by hand: `1e3`, `007` and numbers
 * beyond the precision of JavaScript remain text.
 */
import { parseSearchWith, stringifySearchWith } from '@tanstack/react-router'

/** Thrown for every text value. One shared error avoids capturing a stack trace each time. */
const NOT_JSON = new TypeError('a text')

function readValue(text: string): unknown {
  const isValue = /^["[{]/.test(text) || text === 'true' || text === 'false' || String(Number(text)) === text
  if (!isValue) throw NOT_JSON
  return JSON.parse(text)
}

export const parseSearch = parseSearchWith(readValue)
export const stringifySearch = stringifySearchWith(JSON.stringify, readValue)

/** Returns the id in a parsed parameter, which the router may have read as a number (`?id=7`); undefined when absent. */
export const idIn = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value === '' ? undefined : value
  return value === undefined || value === null ? undefined : JSON.stringify(value)
}
