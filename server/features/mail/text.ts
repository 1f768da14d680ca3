/** Makes text from callers safe in our mails: it cannot leave its line or its direction. */
const LONGEST_NAME = 120

/** Marks that change the direction of the following text, and invisible characters that end a line. */
const DIRECTIONS = /\p{Bidi_Control}/gu
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu

/** Returns a name that is safe in a header, in a line of text and, escaped, in HTML: one line, no marks of direction, not too long. */
export function line(text: string): string {
  const plain = text.toWellFormed().replace(DIRECTIONS, '').replace(CONTROLS, ' ').replace(/\s+/g, ' ').trim()
  const characters = [...plain]
  return characters.length > LONGEST_NAME ? `${characters.slice(0, LONGEST_NAME - 1).join('')}…` : plain
}

/** Characters that nobody sees; U+2800 is a letter of Braille without dots. */
const UNSEEN = /^[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Z}\u2800]*$/u

/** Returns the first of some names that has visible characters, as a line. */
export function firstSeen(...names: readonly (string | undefined)[]): string {
  return names.map((name) => line(name ?? '')).find((name) => !UNSEEN.test(name)) ?? ''
}

/** Returns a text that keeps its lines, without marks of direction and cut after some characters. */
export function block(text: string, charactersMax: number): string {
  const plain = text
    .toWellFormed()
    .replace(DIRECTIONS, '')
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((each) => each.replace(CONTROLS, ' ').trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  const characters = [...plain]
  return characters.length > charactersMax ? `${characters.slice(0, charactersMax - 1).join('')}…` : plain
}

/** Returns text in which mail programs recognize no address of a page: an invisible space follows each mark that one needs. */
export const unlinked = (text: string): string => text.replace(/(?<=\S)[.:/@](?=\S)/g, (mark) => `${mark}\u200b`)
