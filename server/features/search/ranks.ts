/**
 * Converts a query into ranks: texts that equal it, that begin with it, and that contain it, and those that contain it
 * but for typos (rules/contract.md#search). For example, `road b` has three ranks, with ⏎ for a line break of the entry's words:
 *
 * | rank | like | unlike | finds |
 * | --- | --- | --- | --- |
 * | equal | `%⏎⏎road b⏎⏎%` | | `Road B` |
 * | begins | `%⏎⏎road b%` | `%⏎⏎road b⏎⏎%` | `Road building` |
 * | contains | `%road%` and `%b%` | `%⏎⏎road b%` | `The big road` |
 *
 * `unlike` leaves out what a better rank has found. The index of grams finds `road`; `b` is too short for it.
 */
import { nearOf } from './near.ts'

export interface Rank {
  /** All of these the words of an entry must be like. */
  like: readonly string[]
  /** The words of an entry of a better rank are like this. Null: there is none. */
  unlike: string | null
  /** The words match this regular expression. Null: all do. */
  near: string | null
  /** For the index of grams: the words have all parts of one of the lists, each of three characters or more. Null: of none. */
  parts: readonly (readonly string[])[] | null
}

/** Before and after each of id, name and e-mail address. Folded text has no such character. */
const EDGE = '\n\n'

/** The index finds parts of as many characters. */
const PART_CHARACTERS_MIN = 3

/**
 * Returns the ranks of a folded query, the best first. Short words are found only at a beginning, or beside a longer
 * one.
 */
export function ranksOf(folded: string): readonly Rank[] {
  if (folded === '') return []
  const whole = EDGE + folded + EDGE
  const beginning = EDGE + folded
  const ranks: Rank[] = [
    { like: [containing(whole)], unlike: null, near: null, parts: [[whole]] },
    { like: [containing(beginning)], unlike: containing(whole), near: null, parts: [[beginning]] },
  ]
  const words = [...new Set(folded.split(' '))]
  const parts = words.filter((word) => [...word].length >= PART_CHARACTERS_MIN)
  if (parts.length > 0)
    ranks.push({ like: words.map(containing), unlike: containing(beginning), near: null, parts: [parts] })
  return ranks
}

/** Returns the ranks of texts that contain the query with one typo, and with more; none for a query that is too short or too long. */
export const nearRanksOf = (folded: string): readonly Rank[] =>
  nearOf(folded, PART_CHARACTERS_MIN).map(({ pattern, parts }) => ({ like: [], unlike: null, near: pattern, parts }))

/** Returns the pattern of texts that contain `text`. */
const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
