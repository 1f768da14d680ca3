/**
 * The query of an address. Ids are written as they are, also where somebody else writes the link: a number with more
 * digits than JavaScript keeps, `1e3` and `007` stay the texts that they are.
 */
import { parseSearchWith, stringifySearchWith } from '@tanstack/react-router'

/** Thrown for what is a text, very often: one error, so that none has to look where it comes from. */
const TEXT = new TypeError('a text')

function readValue(text: string): unknown {
  const isValue = /^["[{]/.test(text) || text === 'true' || text === 'false' || String(Number(text)) === text
  if (!isValue) throw TEXT
  return JSON.parse(text)
}

export const parseSearch = parseSearchWith(readValue)
export const stringifySearch = stringifySearchWith(JSON.stringify, readValue)

/** An id of an address; the router reads `?id=7` as a number. Nothing when there is none. */
export const idIn = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value === '' ? undefined : value
  return value === undefined || value === null ? undefined : JSON.stringify(value)
}
