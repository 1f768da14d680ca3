/**
 * Extracts the text of HTML, which is shown instead of the HTML. It uses no parser of the browser, because strict
 * policies of pages forbid them.
 */

const TAG = /^(\/?)([a-z][a-z0-9]*)[^>]*>/i
const ENDS_LINE = /^(?:br|p|div|li|h[1-6]|tr|blockquote|pre)$/
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }

/** Leaves out tags, scripts and styles, and ends lines where blocks end. The result is only ever shown as text. */
export function textOfHtml(html: string): string {
  const [first = '', ...pieces] = html.split('<')
  let text = first
  let left: string | undefined // the script or style that is being left out
  for (const piece of pieces) {
    const [tag, slash, name = ''] = TAG.exec(piece) ?? []
    const element = name.toLowerCase()
    if (left !== undefined) {
      if (slash !== '/' || element !== left) continue
      left = undefined
    } else if (slash === '' && (element === 'script' || element === 'style')) left = element
    if (left !== undefined) continue
    if (ENDS_LINE.test(element) && (slash === '/' || element === 'br')) text += '\n'
    text += tag === undefined ? `<${piece}` : piece.slice(tag.length)
  }
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, decoded).trim()
}

function decoded(
  whole: string,
  decimal: string | undefined,
  hex: string | undefined,
  name: string | undefined,
): string {
  if (name !== undefined) return ENTITIES[name] ?? whole
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : whole
}
