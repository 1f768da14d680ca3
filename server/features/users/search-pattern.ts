/** The text that a search looks for, as a regular expression of PostgreSQL that means the same in every locale. */

/**
 * Matches what contains `text`, upper and lower case alike, character by character. Case is folded here and not in the
 * database, whose `lower` and `ilike` know only the letters of its locale.
 */
export const searchPattern = (text: string): string =>
  [...text]
    .map((character) => {
      const cases = [...new Set([character, character.toLowerCase(), character.toUpperCase()])]
      return cases.length === 1 ? escaped(character) : `(?:${cases.map(escaped).join('|')})`
    })
    .join('')

/** All that mean something in a regular expression are among the punctuation of ASCII. */
const escaped = (text: string): string => text.replace(/[!-/:-@[-^`{-~]/g, '\\$&')
