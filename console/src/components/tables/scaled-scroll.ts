/**
 * Scrolling through more rows than an element can be high. Browsers cap the height of an element: Firefox at about 18, and
 * Chromium at about 33 million pixels, and a million rows need 44 million. Above `HEIGHT_MAX` the scroll bar is therefore
 * scaled: wheel and keys still move the list pixel by pixel, dragging the scroll bar moves it in proportion.
 *
 * For example, a million rows of 44 pixels in a viewport of 600: the element is 8,000,000 high instead of 44,000,000, and a pixel
 * of the scroll bar stands for 43,999,400 / 7,999,400 = 5.5 of the list (`scale`). Dragging the bar to its middle, `scrollTop`
 * 3,999,700, shows the list from 21,999,700 (`top`), also its middle. A turn of the wheel by 100 then adds 100 to both, not 550.
 *
 * `@tanstack/virtual-core` cannot replace this: it takes the scroll offset of the element as the offset in the list, and
 * its `getTotalSize()` is the unscaled height, so the rows beyond the cap could never be reached.
 */
export const HEIGHT_MAX = 8_000_000

export interface ScrollPosition {
  /** The scroll offset of the element. */
  scrollTop: number
  /** The height of the list above the viewport. */
  top: number
}

export interface Extent {
  /** The height of the whole list. */
  total: number
  /** The height of the visible part. */
  viewport: number
}

export const TOP: ScrollPosition = { scrollTop: 0, top: 0 }

const maxTop = (height: number, { viewport }: Extent): number => Math.max(0, height - viewport)

export const heightOf = ({ total }: Pick<Extent, 'total'>): number => Math.min(total, HEIGHT_MAX)

const scale = (extent: Extent): number =>
  extent.total <= HEIGHT_MAX ? 1 : maxTop(extent.total, extent) / maxTop(HEIGHT_MAX, extent)

/** Returns the position after the element was scrolled to `scrollTop`. */
export function positionAfterScroll(before: ScrollPosition, scrollTop: number, extent: Extent): ScrollPosition {
  const factor = scale(extent)
  if (factor === 1) return { scrollTop, top: scrollTop }
  const end = maxTop(extent.total, extent)
  if (scrollTop <= 0) return { scrollTop, top: 0 }
  // Browsers round the scroll offset.
  if (scrollTop >= maxTop(HEIGHT_MAX, extent) - 1) return { scrollTop, top: end }
  const distance = scrollTop - before.scrollTop
  const isStep = Math.abs(distance) <= 2 * extent.viewport
  const top = isStep ? before.top + distance : scrollTop * factor
  return { scrollTop, top: Math.min(Math.max(top, 0), end) }
}

/** Returns the position after the scroll bar was moved to `scrollTop`, which must not move the list. */
export function settlePosition(top: number, scrollTop: number, extent: Extent): ScrollPosition {
  return { scrollTop, top: scale(extent) === 1 ? scrollTop : Math.min(top, maxTop(extent.total, extent)) }
}

/** Returns the scroll offset that fits `top`: after many steps, or after the list has become longer. */
export const scrollTopOf = (top: number, extent: Extent): number => top / scale(extent)

export interface VisibleRows {
  /** The index of the first rendered row, and the number of rendered rows. */
  first: number
  count: number
  /** The heights of the spacers before and after them. */
  above: number
  below: number
}

interface RowsToRender {
  rows: number
  rowHeight: number
  viewport: number
  /** How many rows are rendered above and below the viewport. */
  overscan: number
}

/** Returns the rows to render at a position. */
export function visibleRows(
  { scrollTop, top }: ScrollPosition,
  { rows, rowHeight, viewport, overscan }: RowsToRender,
): VisibleRows {
  const shift = top - scrollTop
  const wanted = Math.max(0, Math.floor(top / rowHeight) - overscan, Math.ceil(shift / rowHeight))
  const first = Math.min(wanted, Math.max(0, rows - 1))
  const count = Math.min(rows - first, Math.ceil(viewport / rowHeight) + 1 + 2 * overscan)
  const above = Math.max(0, first * rowHeight - shift)
  const below = Math.max(0, heightOf({ total: rows * rowHeight }) - above - count * rowHeight)
  return { first, count, above, below }
}
