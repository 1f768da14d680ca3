/** Makes texts of a result safe to hand to a language model: secrets are hidden, invisible characters are visible, long texts are cut. */

/** Auth tokens, workspace tokens, operator tokens, webhook secrets and user tokens, wherever somebody has stored one. */
const SECRETS = /\bch[two]_[0-9A-Za-z]{33}\b|\bwhsec_[0-9A-Za-z+/=]{16,}|\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g
const HIDDEN = '[secret hidden]'

/**
 * Characters that people do not see and models read: control characters, direction marks, spaces without width, tags and
 * supplementary variation selectors. Joiners stay, because words of several languages need them.
 */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e01ef}]/gu

const TEXT_CHARACTERS_MAX = 2_000

/** Returns the text as it may be shown; a longer one ends with the number of characters that it has. */
export function readableText(text: string): string {
  const shown = text
    .slice(0, 2 * TEXT_CHARACTERS_MAX)
    .replace(SECRETS, HIDDEN)
    .replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
  return text.length > TEXT_CHARACTERS_MAX || shown.length > TEXT_CHARACTERS_MAX
    ? `${shown.slice(0, TEXT_CHARACTERS_MAX)}… (${text.length} characters)`
    : shown
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
