/** Marks passages of the page without changing its elements, through the CSS Custom Highlight API. */

const NAMES = { threads: 'commonhold-threads', active: 'commonhold-active' } as const

const STYLES = `
::highlight(${NAMES.threads}) { background-color: var(--commonhold-highlight, rgb(255 196 0 / 0.3)) }
::highlight(${NAMES.active}) { background-color: var(--commonhold-highlight-active, rgb(255 150 0 / 0.55)) }
`

let sheet: CSSStyleSheet | undefined
/** The ranges by the element that marks them: several elements can be on a page. */
const marked = new Map<object, Record<keyof typeof NAMES, Range[]>>()

/** Marks the passages of an element, instead of those that it had marked before. */
export function mark(owner: object, ranges: Record<keyof typeof NAMES, Range[]>): void {
  if (!('highlights' in CSS)) return
  if (sheet === undefined) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(STYLES)
    document.adoptedStyleSheets.push(sheet)
  }
  marked.set(owner, ranges)
  for (const kind of ['threads', 'active'] as const) {
    const highlight = new Highlight(...[...marked.values()].flatMap((one) => one[kind]))
    highlight.priority = kind === 'active' ? 1 : 0
    CSS.highlights.set(NAMES[kind], highlight)
  }
}

export const unmark = (owner: object): void => {
  mark(owner, { threads: [], active: [] })
  marked.delete(owner)
}

/** Returns the point of the page under the pointer. */
export function pointUnder({ clientX, clientY }: MouseEvent): { node: Node; offset: number } | undefined {
  const point = document.caretPositionFromPoint?.(clientX, clientY)
  if (point) return { node: point.offsetNode, offset: point.offset }
  // Safari before 26.2 has only this one.
  const range = document.caretRangeFromPoint?.(clientX, clientY)
  return range ? { node: range.startContainer, offset: range.startOffset } : undefined
}
