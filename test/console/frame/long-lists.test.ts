/** Long lists in the console, tested without a browser: scroll positions and known pages. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import {
  HEIGHT_MAX,
  heightOf,
  positionAfterScroll,
  type ScrollPosition,
  scrollTopOf,
  settlePosition,
  TOP,
  visibleRows,
} from '../../../console/src/components/tables/scaled-scroll.ts'
import {
  isComplete,
  type KnownPages,
  NO_PAGES,
  pageOfRow,
  pagesOfRows,
  recordPage,
  rowCount,
} from '../../../console/src/queries/pages/known-pages.ts'

const ROW = 44
const VIEWPORT = 600
const MILLION = { total: 1_000_000 * ROW, viewport: VIEWPORT }
const END = HEIGHT_MAX - VIEWPORT
const list = { rows: 1_000_000, rowHeight: ROW, viewport: VIEWPORT, overscan: 10 }

describe('scrolling through more rows than fit into the greatest height of an element', () => {
  it('scrolls short lists as the browser does', () => {
    const short = { total: 1_000 * ROW, viewport: VIEWPORT }
    assert.equal(heightOf(short), 44_000)
    assert.deepEqual(positionAfterScroll(TOP, 20_000, short), { scrollTop: 20_000, top: 20_000 })
    const { first, count, above, below } = visibleRows({ scrollTop: 20_000, top: 20_000 }, { ...list, rows: 1_000 })
    assert.equal(above, first * ROW)
    assert.equal(above + count * ROW + below, 44_000)
  })

  it('reaches the first and the last of a million rows, and with the scroll bar the rows between', () => {
    assert.equal(heightOf(MILLION), HEIGHT_MAX)
    const end = positionAfterScroll(TOP, END, MILLION)
    const last = visibleRows(end, list)
    assert.equal(last.first + last.count, 1_000_000)
    assert.equal(last.below, 0)
    assert.equal(positionAfterScroll(end, 0, MILLION).top, 0)
    const middle = positionAfterScroll(end, END / 2, MILLION)
    assert.equal(Math.round(middle.top / ROW / 1_000), 500)
  })

  it('moves row by row in small steps, and renders the visible rows at the right position', () => {
    let place: ScrollPosition = positionAfterScroll(TOP, END / 2, MILLION)
    const before = place.top
    for (let step = 0; step < 1_000; step++) place = positionAfterScroll(place, place.scrollTop + 100, MILLION)
    assert.equal(Math.round(place.top - before), 100_000)
    const { first, count, above, below } = visibleRows(place, list)
    assert.ok(first * ROW <= place.top && (first + count) * ROW >= place.top + VIEWPORT)
    assert.ok(Math.abs(above - first * ROW - (place.scrollTop - place.top)) < 0.01)
    assert.ok(Math.abs(above + count * ROW + below - HEIGHT_MAX) < 0.01)
  })

  it('moves the scroll bar to the right position after many steps, or when the list grows', () => {
    const place = { scrollTop: 4_000_000, top: 4_000_000 }
    const wanted = scrollTopOf(place.top, MILLION)
    assert.ok(wanted < place.scrollTop)
    assert.deepEqual(settlePosition(place.top, wanted, MILLION), { scrollTop: wanted, top: 4_000_000 })
    assert.equal(Math.round(positionAfterScroll({ scrollTop: 0, top: 0 }, wanted, MILLION).top), 4_000_000)
    const shorter = { total: 10 * ROW, viewport: VIEWPORT }
    assert.deepEqual(settlePosition(4_000_000, 0, shorter), { scrollTop: 0, top: 0 })
  })
})

/** `a` and `b` are the tokens of the second and the third page. */
const three = (): KnownPages => recordPage(recordPage(recordPage(NO_PAGES, 0, 10, 'a'), 1, 10, 'b'), 2, 4, undefined)

describe('the pages of a list', () => {
  it('become known one by one, up to the last', () => {
    assert.deepEqual([rowCount(NO_PAGES), isComplete(NO_PAGES)], [0, false])
    const two = recordPage(recordPage(NO_PAGES, 0, 10, 'a'), 1, 10, 'b')
    assert.deepEqual([rowCount(two), isComplete(two)], [20, false])
    assert.deepEqual([rowCount(three()), isComplete(three())], [24, true])
    assert.deepEqual(
      [0, 9, 10, 23].map((row) => pageOfRow(three(), row)),
      [0, 0, 1, 2],
    )
  })

  it('are found by their rows, including empty pages at either end', () => {
    assert.deepEqual(pagesOfRows(NO_PAGES, 0, 50), { from: 0, to: 0 })
    assert.deepEqual(pagesOfRows(three(), 2, 5), { from: 0, to: 0 })
    assert.deepEqual(pagesOfRows(three(), 15, 200), { from: 1, to: 2 })
    const empty = recordPage(recordPage(NO_PAGES, 0, 0, 'a'), 1, 0, 'b')
    assert.deepEqual(pagesOfRows(empty, 0, 50), { from: 0, to: 2 })
  })

  it('stay the same object when a refetch returns nothing new', () => {
    const pages = three()
    assert.equal(recordPage(pages, 1, 10, 'b'), pages)
  })

  it('start elsewhere after a row before them was deleted, and keep the positions of later rows', () => {
    const pages = recordPage(three(), 0, 10, 'a2')
    assert.deepEqual(
      pages.map(({ token }) => token),
      [undefined, 'a2', 'b'],
    )
    assert.equal(rowCount(pages), 24)
    const shorter = recordPage(pages, 1, 9, undefined)
    assert.deepEqual([rowCount(shorter), isComplete(shorter)], [19, true])
  })
})
