/**
 * Writes rows of CSV (RFC 4180) that are safe to open in a spreadsheet. For the command line and the console; not part of
 * the published package.
 */

/** Texts that a spreadsheet reads as a formula, also after spaces, and in the full-width forms of East Asian keyboards. */
const FORMULA = '(?:[^\\S\\r\\n]|")*[=+\\-@＝＋－＠]'

/**
 * Matches the beginnings of cells: the start of a text and, within a text, the position after a semicolon or a line
 * break. In much of Europe semicolons separate cells, and there a quote in the middle of a line quotes nothing.
 */
const BEGINNING = { text: '^', inside: '(?<=[;\\r\\n])' }

/** Matches where a cell would begin with a formula, or with apostrophes before one. */
const places = (apostrophes: string): RegExp =>
  new RegExp(
    `${BEGINNING.text}(?=${apostrophes}(?:${FORMULA}|[\\t\\r\\n]))|${BEGINNING.inside}(?=${apostrophes}${FORMULA})`,
    'g',
  )

const UNGUARDED = places("'*")
const GUARDED = places("'+")

/** Puts an apostrophe before a text that a spreadsheet would run. */
const guarded = (text: string): string => text.replace(UNGUARDED, "'")

/** Returns the text that `csvRows` wrote as this cell. */
export function unguarded(cell: string): string {
  let text = ''
  let copied = 0
  for (const { index } of cell.matchAll(GUARDED)) {
    text += cell.slice(copied, index)
    copied = index + 1
  }
  return text + cell.slice(copied)
}

function cell(text: string): string {
  const harmless = guarded(text)
  return /[",\r\n;]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

export const csvRows = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
