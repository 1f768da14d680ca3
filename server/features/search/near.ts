/**
 * Finds texts that contain a query but for typos: a character too many, missing, wrong, or swapped with the next
 * (rules/contract.md#search). First with one typo in all, at a space or in a word; then with one in each word, or two in
 * each long one, as lists of the console do.
 */

/** Building the regular expression of a longer query takes long. */
const WORDS_MAX = 8
const WORD_CHARACTERS_MAX = 32

/** The characters that a typo leaves as they were typed: with fewer, every text would be found. */
const KEPT_CHARACTERS_MIN = 3

/** Words with at least this number of characters may have two typos. */
const TWO_TYPOS_CHARACTERS_MIN = 8

/** A part of a word with at least this number of characters is tried before the typos, because that is cheaper. */
const TRIED_CHARACTERS_MIN = 2

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

/** Returns the texts with one typo and those with more; none for a query that is too short or too long. `partMin`: the length of parts. */
export function nearOf(folded: string, partMin: number): Near[] {
  const words = folded.split(' ')
  if (words.length > WORDS_MAX || words.some((word) => word.length > WORD_CHARACTERS_MAX)) return []
  const readings = words.flatMap((word, nth) => readingsAt(words, word, nth))
  if (readings.length === 0) return []
  const lists = readings.flatMap((reading) => partsOf(reading, partMin))
  const once = {
    pattern: `^(?:${readings.map(patternOf).join('|')})`,
    parts: lists.some((parts) => parts.length === 0) ? null : lists,
  }
  const typos = words.reduce((sum, word) => sum + typosIn([...word]), 0)
  return typos > 1 ? [once, moreThanOnce(words, partMin)] : [once]
}

/** Returns the texts with typos in every word. The index looks for the parts of the word that keeps the longest. */
function moreThanOnce(words: readonly string[], partMin: number): Near {
  const each = words.map((word) => [...word])
  const lists = each.map((word) => keptParts(word, typosIn(word), partMin)).filter((parts) => parts.length > 0)
  lists.sort((one, other) => (other[0]?.length ?? 0) - (one[0]?.length ?? 0))
  const conditions = each.map((word) => (typosIn(word) === 0 ? [literal(word.join(''))] : nearWord(word)))
  return { pattern: `^${allOf(conditions)}`, parts: lists[0]?.map((part) => [part]) ?? null }
}

const typosIn = ({ length }: readonly string[]): number =>
  length < KEPT_CHARACTERS_MIN ? 0 : length < TWO_TYPOS_CHARACTERS_MIN ? 1 : 2

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
  allOf([...exact.map((word) => [literal(word)]), ...(near === undefined ? [] : [nearWord(near, 1)])])

/** Returns the pattern of texts that meet all conditions. The first of each is tried first, because most texts fail it soon. */
const allOf = (conditions: readonly string[][]): string =>
  [...conditions.map(([first]) => first), ...conditions.flatMap(([, ...rest]) => rest)]
    .map((pattern) => `(?=.*${pattern})`)
    .join('')

/** Returns the conditions for the beginning of a word with at most this number of typos. */
function nearWord(characters: readonly string[], typos = typosIn(characters)): string[] {
  const kept = keptParts(characters, typos, TRIED_CHARACTERS_MIN)
  const isShort = characters.length === KEPT_CHARACTERS_MIN
  const near = WORD_START + (isShort ? shortWithTypo(characters) : withTypos(characters, typos))
  return [...(kept.length > 0 ? [`(?:${kept.map(literal).join('|')})`] : []), near]
}

/** Returns the pattern of three characters with one more among them, or with two of them swapped. */
function shortWithTypo(characters: readonly string[]): string {
  const alternatives = characters.flatMap((character, at) => {
    const [before, after] = [characters.slice(0, at).join(''), characters.slice(at + 1)]
    const [next = '', ...rest] = after
    return [
      `${literal(before)}.${literal(character + after.join(''))}`,
      literal(before + next + character + rest.join('')),
    ]
  })
  return `(?:${alternatives.join('|')})`
}

/** Each half has its part of the typos, or two characters are swapped between them. Halves keep the pattern short. */
function withTypos(characters: readonly string[], typos: number): string {
  if (typos === 0 || characters.length === 0)
    return `${literal(characters.join(''))}${typos > 0 ? `.{0,${typos}}` : ''}`
  if (characters.length === 1) return `.{0,${typos}}(?:${literal(characters.join(''))})?`
  const middle = Math.floor(characters.length / 2)
  const [left, right] = [characters.slice(0, middle), characters.slice(middle)]
  const swapped = [right[0], left.at(-1)].join('')
  const alternatives = Array.from({ length: typos + 1 }, (_, before) => [
    withTypos(left, before) + withTypos(right, typos - before),
    ...(before < typos
      ? [withTypos(left.slice(0, -1), before) + literal(swapped) + withTypos(right.slice(1), typos - 1 - before)]
      : []),
  ])
  return `(?:${alternatives.flat().join('|')})`
}

/** Returns parts of a word one of which its typos leave as it is; none if the parts would be too short. */
function keptParts(characters: readonly string[], typos: number, partMin: number): string[] {
  const length = Math.floor(characters.length / (typos + 1))
  if (length < partMin || typos === 0) return []
  const parts = Array.from({ length: typos + 1 }, (_, nth) =>
    characters.slice(nth * length, nth === typos ? undefined : (nth + 1) * length),
  )
  // Two swapped characters may be in two parts: at the end of the first, and at the beginning of the last.
  const [first = [], last = []] = [parts[0], parts.at(-1)]
  const afterFirst = [...first.slice(0, -1), characters[first.length]]
  const beforeLast = [characters[characters.length - last.length - 1], ...last.slice(1)]
  return [...parts, afterFirst, beforeLast].map((part) => part.join(''))
}

/** A typo leaves a part of a word, and the other words. */
function partsOf({ near = [], exact }: Reading, partMin: number): string[][] {
  const others = exact.filter((word) => [...word].length >= partMin)
  const parts = keptParts(near, 1, partMin)
  return parts.length === 0 ? [others] : parts.map((part) => [part, ...others])
}

const literal = (text: string): string =>
  text.replaceAll(/[\u0021-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007e]/g, '\\$&')
