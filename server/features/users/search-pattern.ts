/** Converts a search text into a PostgreSQL regular expression that works the same in every locale. */

/**
 * Returns a pattern that matches texts containing `text`, ignoring case. Case is folded here because `lower` and `ilike` of
 * the database support only the letters of its locale.
 */
export const searchPattern = (text: string): string =>
  [...text]
    .map((character) => {
      const cases = [...new Set([character, character.toLowerCase(), character.toUpperCase()])]
      return cases.length === 1 ? escaped(character) : `(?:${cases.map(escaped).join('|')})`
    })
    .join('')

/** Escapes ASCII punctuation, which includes all special characters of regular expressions. */
const escaped = (text: string): string => text.replace(/[!-/:-@[-^`{-~]/g, '\\$&')
