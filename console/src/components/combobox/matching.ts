/** Filters a list by the typed text: each word must begin a word of an item, or nearly begin one if nothing else is found. */

const KEPT_CHARACTERS_MIN = 3
const TWO_TYPOS_CHARACTERS_MIN = 8

const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

const wordsOf = (text: string): string[] =>
  folded(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

export interface Matches<Item> {
  items: readonly Item[]
  /** The items have the words but for typos. */
  areNear: boolean
}

/** Returns the items with the words, the best first; those with typos in words if there are none without. */
export function matching<Item>(all: readonly Item[], typed: string, textOf: (item: Item) => string): Matches<Item> {
  const words = wordsOf(typed)
  const found = (begins: (text: string, word: string) => boolean) =>
    all
      .filter((item) => {
        const has = wordsOf(textOf(item))
        return words.every((word) => has.some((one) => begins(one, word)))
      })
      .toSorted((one, other) => rankOf(textOf(one), typed) - rankOf(textOf(other), typed))
  const exact = found((text, word) => text.startsWith(word))
  if (exact.length > 0) return { items: exact, areNear: false }
  const near = found(nearlyBegins)
  // Words of one or two characters are too short for a typo by themselves: “sign ot”.
  const whole = folded(typed.trim())
  return {
    items: near.length > 0 ? near : all.filter((item) => nearlyBegins(folded(textOf(item)), whole)),
    areNear: true,
  }
}

/** 0: the text is what is typed. 1: it begins with it. 2: its words begin with the words of it. 3: it is found by other words. */
export function rankOf(text: string, typed: string): number {
  const [whole, beginning] = [folded(text), folded(typed.trim())]
  if (whole.startsWith(beginning)) return whole === beginning ? 0 : 1
  const has = wordsOf(text)
  return wordsOf(typed).every((word) => has.some((one) => one.startsWith(word))) ? 2 : 3
}

/**
 * A typo is a character too many, missing or wrong, or swapped with the next. Words of three characters are too short for
 * one that is wrong or too many, and of eight are long enough for two typos.
 */
export function nearlyBegins(text: string, word: string): boolean {
  const typos = word.length < KEPT_CHARACTERS_MIN ? 0 : word.length < TWO_TYPOS_CHARACTERS_MIN ? 1 : 2
  const wrong = word.length > KEPT_CHARACTERS_MIN ? 1 : 2
  let beforeLast: number[] = []
  /** The typos between the part of the word so far and each beginning of the text. */
  let last = Array.from({ length: text.length + 1 }, (_, at) => at)
  for (const [nth, character] of word.split('').entries()) {
    const next = [(nth + 1) * wrong]
    for (let at = 1; at <= text.length; at++) {
      const same = text[at - 1] === character
      const isSwapped = at > 1 && text[at - 2] === character && text[at - 1] === word[nth - 1]
      next[at] = Math.min(
        (last[at - 1] ?? 0) + (same ? 0 : wrong),
        (last[at] ?? 0) + wrong,
        (next[at - 1] ?? 0) + 1,
        isSwapped ? (beforeLast[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = next
  }
  return Math.min(...last) <= typos
}
