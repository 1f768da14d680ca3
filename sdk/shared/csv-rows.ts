/**
 * Writes rows of CSV (RFC 4180) that are safe to open in a spreadsheet. For the command line and the console; not part of
 * the published package.
 */

/**
 * Where a spreadsheet would begin to read a formula: an apostrophe goes there. That is at the start of a text, and inside of one after a
 * semicolon or a line break: where semicolons separate cells, as in much of Europe, a quote in the middle of a line quotes nothing.
 */
const FORMULA = /^(?=[=+\-@\t\r\n＝＋－＠])|(?<=[;\n]|\r(?!\n))(?=[ \t"]*[=+\-@＝＋－＠])/g

function cell(text: string): string {
  const harmless = text.replace(FORMULA, "'")
  return /[",\r\n;]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

export const csvRows = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
