/**
 * Converts a query into ranks: texts that equal it, that begin with it, and that contain it
 * (rules/contract.md#search).
 */

export interface Rank {
  /** All of these the words of an entry must be like. */
  like: readonly string[]
  /** The words of an entry of a better rank are like this. Null: there is none. */
  unlike: string | null
  /** Parts that all the words have, for the index of grams. Each has three characters or more. */
  parts: readonly string[]
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
    { like: [containing(whole)], unlike: null, parts: [whole] },
    { like: [containing(beginning)], unlike: containing(whole), parts: [beginning] },
  ]
  const words = [...new Set(folded.split(' '))]
  const parts = words.filter((word) => [...word].length >= PART_CHARACTERS_MIN)
  if (parts.length > 0) ranks.push({ like: words.map(containing), unlike: containing(beginning), parts })
  return ranks
}

/** Returns the pattern of texts that contain `text`. */
const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
