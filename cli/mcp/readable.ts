/** Makes texts of a result safe to hand to a language model: secrets are hidden, invisible characters are visible, long texts are cut. */

/** Auth tokens, workspace tokens, operator tokens, sessions of command lines and webhook secrets, wherever somebody has stored one. */
const SECRETS = /ch[stwo]_[0-9A-Za-z]{33}|whsec_[0-9A-Za-z+/=]{16,}/g
/** Three parts of base64url, as user tokens have them. It starts where a word does, so that a long word is read once. */
const SIGNED = /(?<![\w-])[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g
const HIDDEN = '[secret hidden]'

/**
 * Characters that people do not see and models read: control characters, direction marks, separators of lines, and all that Unicode
 * lets fonts ignore, such as tags and spaces without width. Joiners stay, and the selectors of emoji and of Mongolian letters, because
 * words of several languages need them.
 */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb]|(?!\u200c|\u200d|\ufe0e|\ufe0f|[\u180b-\u180d\u180f])[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/gu

const TEXT_CHARACTERS_MAX = 2_000
/** More characters than a token has. Half a token would not be recognized, so these characters before a cut are not shown. */
const CUT_OFF = 100

/** Returns the text as it may be shown; a longer one ends with the number of characters that it has. */
export function readableText(text: string): string {
  const isLong = text.length > TEXT_CHARACTERS_MAX
  const shown = (isLong ? text.slice(0, TEXT_CHARACTERS_MAX + CUT_OFF) : text)
    .replace(SECRETS, HIDDEN)
    .replace(SIGNED, (found) => (found.includes('eyJ') ? HIDDEN : found))
    .replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
  return isLong ? `${shown.slice(0, -CUT_OFF)}… (${text.length} characters)` : shown
}

/** Returns the value with all its texts and names of fields as they may be shown. */
export function readable(value: unknown): unknown {
  if (typeof value === 'string') return readableText(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(readable)
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      inner === undefined ? [] : [[readableText(name), readable(inner)]],
    ),
  )
}
