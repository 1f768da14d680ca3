/** Filters a list by the typed text: each word must begin a word of an item, or nearly begin one if nothing else is found. */

const KEPT_CHARACTERS_MIN = 3

const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

const wordsOf = (text: string): string[] =>
  folded(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

export interface Matches<Item> {
  items: readonly Item[]
  /** The items have the words but for a typo. */
  areNear: boolean
}

/** Returns the items with the words, the best first; those with one typo in a word if there are none without. */
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
  return exact.length > 0 ? { items: exact, areNear: false } : { items: found(nearlyBegins), areNear: true }
}

/** 0: the text is what is typed. 1: it begins with it. 2: its words begin with the words of it. 3: it is found by other words. */
export function rankOf(text: string, typed: string): number {
  const [whole, beginning] = [folded(text), folded(typed.trim())]
  if (whole.startsWith(beginning)) return whole === beginning ? 0 : 1
  const has = wordsOf(text)
  return wordsOf(typed).every((word) => has.some((one) => one.startsWith(word))) ? 2 : 3
}

/** A character is too many, missing or wrong, or swapped with the next. */
export function nearlyBegins(text: string, word: string): boolean {
  let same = 0
  while (same < word.length && text[same] === word[same]) same++
  const [left, rest] = [text.slice(same), word.slice(same)]
  if (rest === '') return true
  if (word.length < KEPT_CHARACTERS_MIN) return false
  const swapped = `${rest[1] ?? ''}${rest[0]}${rest.slice(2)}`
  const others = rest.slice(1)
  const isLong = word.length > KEPT_CHARACTERS_MIN
  return (
    left.slice(1).startsWith(rest) ||
    (rest.length > 1 && left.startsWith(swapped)) ||
    (isLong && (left.startsWith(others) || (left !== '' && left.slice(1).startsWith(others))))
  )
}
