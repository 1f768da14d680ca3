/**
 * Finds texts that contain a query with one typo: a character too many, missing, wrong, or swapped with the next
 * (rules/contract.md#search). Spaces count as characters.
 */

/** What the regular expression of longer queries takes to build is no longer small. */
const WORDS_MAX = 8
const WORD_CHARACTERS_MAX = 32

/** The characters that a typo leaves as they were typed: with fewer, every text would be found. */
const KEPT_CHARACTERS_MIN = 3

/** A word begins after one of these: controls, space and the punctuation of ASCII. */
const WORD_START = '[\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u007e]'

export interface Near {
  /** The regular expression of the texts. */
  pattern: string
  /**
   * For the index of grams: each text has all parts of one of these lists. Null if a text may have no such parts.
   */
  parts: readonly (readonly string[])[] | null
}

/** A reading of the query: the word with the typo, if it is not at a space, and the words without. */
interface Reading {
  near?: readonly string[]
  exact: readonly string[]
}

/** Returns null for a query that is too short or too long. `partMin`: the length of parts. */
export function nearOf(folded: string, partMin: number): Near | null {
  const words = folded.split(' ')
  if (words.length > WORDS_MAX || words.some((word) => word.length > WORD_CHARACTERS_MAX)) return null
  const readings = words.flatMap((word, nth) => readingsAt(words, word, nth))
  if (readings.length === 0) return null
  const lists = readings.flatMap((reading) => partsOf(reading, partMin))
  return {
    pattern: `^(?:${readings.map(patternOf).join('|')})`,
    parts: lists.some((parts) => parts.length === 0) ? null : lists,
  }
}

/** Returns the readings with the typo in this word, and at the space after it. */
function readingsAt(words: readonly string[], word: string, nth: number): Reading[] {
  const characters = [...word]
  const others = words.filter((_, index) => index !== nth)
  const inWord = characters.length >= KEPT_CHARACTERS_MIN ? [{ near: characters, exact: others }] : []
  const next = words[nth + 1]
  if (next === undefined) return inWord
  const following = [...next]
  const [before, after] = [words.slice(0, nth), words.slice(nth + 2)]
  const atSpace = [
    [word + next],
    [characters.slice(0, -1).join(''), (characters.at(-1) ?? '') + next],
    [word + (following[0] ?? ''), following.slice(1).join('')],
  ]
  return [...inWord, ...atSpace.map((some) => ({ exact: [...before, ...some.filter((one) => one !== ''), ...after] }))]
}

const patternOf = ({ near, exact }: Reading): string =>
  [...exact.map(literal), ...(near === undefined ? [] : [WORD_START + withTypo(near)])]
    .map((each) => `(?=.*${each})`)
    .join('')

/** Returns the pattern of the beginning of a word that has at most one typo. */
function withTypo(characters: readonly string[], from = 0): string {
  const [here, next] = characters.slice(from)
  if (here === undefined) return ''
  const rest = (start: number) => literal(characters.slice(start).join(''))
  const isLong = characters.length > KEPT_CHARACTERS_MIN
  const alternatives = [
    literal(here) + withTypo(characters, from + 1),
    `.${rest(from)}`,
    ...(isLong ? [`.?${rest(from + 1)}`] : []),
    ...(next === undefined ? [] : [literal(next + here) + rest(from + 2)]),
  ]
  return `(?:${alternatives.join('|')})`
}

/** A typo is in one half of a word and leaves the other, unless it swaps the characters in the middle. */
function partsOf({ near = [], exact }: Reading, partMin: number): string[][] {
  const others = exact.filter((word) => [...word].length >= partMin)
  const middle = Math.floor(near.length / 2)
  if (middle < partMin) return [others]
  const [left, right] = [near.slice(0, middle), near.slice(middle)]
  const swapped = [...left.slice(0, -1), right[0], left.at(-1), ...right.slice(1)]
  return [left, right, swapped].map((half) => [half.join(''), ...others])
}

const literal = (text: string): string =>
  text.replaceAll(/[\u0021-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007e]/g, '\\$&')
