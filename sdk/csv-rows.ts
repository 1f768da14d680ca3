/**
 * Writes rows of CSV (RFC 4180) that are safe to open in a spreadsheet. For the command line and the console; not part of
 * the published package.
 */

/** A spreadsheet would read such a text as a formula, so it gets an apostrophe in front. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

function cell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n;]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

export const csvRows = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
