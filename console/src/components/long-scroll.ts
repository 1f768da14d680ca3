/**
 * Scrolling through more rows than an element can be high: browsers end at some 18 million pixels. Above a bound the
 * scroll bar stands for a longer list: keys and wheel move it pixel by pixel, the bar in proportion.
 */
export const HEIGHT_MAX = 8_000_000

export interface Place {
  /** Of the element. */
  scrollTop: number
  /** Of the list: how much of it is above what is seen. */
  top: number
}

export interface Extent {
  /** Of the whole list. */
  total: number
  /** Of the part that is seen. */
  seen: number
}

export const START: Place = { scrollTop: 0, top: 0 }

const endOf = (height: number, { seen }: Extent): number => Math.max(0, height - seen)

export const heightOf = ({ total }: Pick<Extent, 'total'>): number => Math.min(total, HEIGHT_MAX)

const scale = (extent: Extent): number =>
  extent.total <= HEIGHT_MAX ? 1 : endOf(extent.total, extent) / endOf(HEIGHT_MAX, extent)

/** Where one is after the element was scrolled. */
export function scrolled({ scrollTop: from, top }: Place, scrollTop: number, extent: Extent): Place {
  const ratio = scale(extent)
  if (ratio === 1) return { scrollTop, top: scrollTop }
  const end = endOf(extent.total, extent)
  if (scrollTop <= 0) return { scrollTop, top: 0 }
  // Browsers round.
  if (scrollTop >= endOf(HEIGHT_MAX, extent) - 1) return { scrollTop, top: end }
  const isStep = Math.abs(scrollTop - from) <= 2 * extent.seen
  const moved = isStep ? top + scrollTop - from : scrollTop * ratio
  return { scrollTop, top: Math.min(Math.max(moved, 0), end) }
}

/** Where one is when the element could be moved to `scrollTop`. */
export function placed(top: number, scrollTop: number, extent: Extent): Place {
  return { scrollTop, top: scale(extent) === 1 ? scrollTop : Math.min(top, endOf(extent.total, extent)) }
}

/** Where the element belongs for what is seen: after many steps, or when the list has become longer. */
export const scrollTopOf = (top: number, extent: Extent): number => top / scale(extent)

export interface Drawn {
  /** The first row that is drawn, and how many. */
  first: number
  count: number
  /** Room in the element for the rows before and after. */
  above: number
  below: number
}

/** What to draw of `rows` rows, each as high as `row`, with some around what is seen. */
export function drawn(
  { scrollTop, top }: Place,
  { rows, row, seen, around }: { rows: number; row: number; seen: number; around: number },
): Drawn {
  const shift = top - scrollTop
  const first = Math.min(Math.max(0, Math.floor(top / row) - around, Math.ceil(shift / row)), Math.max(0, rows - 1))
  const count = Math.min(rows - first, Math.ceil(seen / row) + 1 + 2 * around)
  const above = Math.max(0, first * row - shift)
  const below = Math.max(0, heightOf({ total: rows * row }) - above - count * row)
  return { first, count, above, below }
}
