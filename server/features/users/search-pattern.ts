/** Converts a search text into a PostgreSQL regular expression that works the same in every locale. */

/**
 * Returns a pattern that matches texts containing `text`, ignoring case. Case is folded here because `lower` and `ilike` of
 * the database support only the letters of its locale. Some capitals have several small letters, such as Σ, which is ς at the end
 * of a word and σ elsewhere; a small letter finds the others of its capital too.
 */
export const searchPattern = (text: string): string =>
  [...text]
    .map((character) => {
      const capital = character.toUpperCase()
      const cases = [
        ...new Set([
          character,
          character.toLowerCase(),
          capital,
          capital.toLowerCase(),
          ...(smallLetters().get(capital) ?? []),
        ]),
      ]
      return cases.length === 1 ? escaped(character) : `(?:${cases.map(escaped).join('|')})`
    })
    .join('')

/** Letters with higher numbers have one small letter each. */
const LAST_LETTER = 0xffff

/** Returns the small letters of the capitals that have more than one, for example σ and ς of Σ. */
function findSmallLetters(): ReadonlyMap<string, readonly string[]> {
  const small = new Map<string, string[]>()
  for (let code = 0x80; code <= LAST_LETTER; code++) {
    const letter = String.fromCharCode(code)
    const capital = letter.toUpperCase()
    if (capital !== letter) small.set(capital, [...(small.get(capital) ?? []), letter])
  }
  return new Map([...small].filter(([, letters]) => letters.length > 1))
}

let found: ReturnType<typeof findSmallLetters> | undefined

/** They are found at the first search, not at each start. */
const smallLetters = () => (found ??= findSmallLetters())

/** Escapes ASCII punctuation, which includes all special characters of regular expressions. */
const escaped = (text: string): string => text.replace(/[!-/:-@[-^`{-~]/g, '\\$&')
