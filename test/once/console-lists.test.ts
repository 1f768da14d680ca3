/** Long lists in the console, without a browser: where one is after scrolling, and what is known of pages. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  drawn,
  HEIGHT_MAX,
  heightOf,
  type Place,
  placed,
  START,
  scrolled,
  scrollTopOf,
} from '../../console/src/components/long-scroll.ts'
import {
  type Chain,
  countOf,
  isWhole,
  START as NO_PAGES,
  pagesAt,
  pageWith,
  settle,
} from '../../console/src/queries/page-chain.ts'

const ROW = 44
const SEEN = 600
const MILLION = { total: 1_000_000 * ROW, seen: SEEN }
const END = HEIGHT_MAX - SEEN
const around = { rows: 1_000_000, row: ROW, seen: SEEN, around: 10 }

describe('scrolling through more rows than an element can be high', () => {
  it('scrolls short lists as the browser does', () => {
    const short = { total: 1_000 * ROW, seen: SEEN }
    assert.equal(heightOf(short), 44_000)
    assert.deepEqual(scrolled(START, 20_000, short), { scrollTop: 20_000, top: 20_000 })
    const { first, count, above, below } = drawn({ scrollTop: 20_000, top: 20_000 }, { ...around, rows: 1_000 })
    assert.equal(above, first * ROW)
    assert.equal(above + count * ROW + below, 44_000)
  })

  it('reaches the first and the last of a million rows, and what is between by the scroll bar', () => {
    assert.equal(heightOf(MILLION), HEIGHT_MAX)
    const end = scrolled(START, END, MILLION)
    const last = drawn(end, around)
    assert.equal(last.first + last.count, 1_000_000)
    assert.equal(last.below, 0)
    assert.equal(scrolled(end, 0, MILLION).top, 0)
    const middle = scrolled(end, END / 2, MILLION)
    assert.equal(Math.round(middle.top / ROW / 1_000), 500)
  })

  it('goes from row to row in small steps, and draws what is seen where it is seen', () => {
    let place: Place = scrolled(START, END / 2, MILLION)
    const before = place.top
    for (let step = 0; step < 1_000; step++) place = scrolled(place, place.scrollTop + 100, MILLION)
    assert.equal(Math.round(place.top - before), 100_000)
    const { first, count, above, below } = drawn(place, around)
    assert.ok(first * ROW <= place.top && (first + count) * ROW >= place.top + SEEN)
    assert.ok(Math.abs(above - first * ROW - (place.scrollTop - place.top)) < 0.01)
    assert.ok(Math.abs(above + count * ROW + below - HEIGHT_MAX) < 0.01)
  })

  it('has the bar where it belongs when many steps were made, or the list has become longer', () => {
    const place = { scrollTop: 4_000_000, top: 4_000_000 }
    const wanted = scrollTopOf(place.top, MILLION)
    assert.ok(wanted < place.scrollTop)
    assert.deepEqual(placed(place.top, wanted, MILLION), { scrollTop: wanted, top: 4_000_000 })
    assert.equal(Math.round(scrolled({ scrollTop: 0, top: 0 }, wanted, MILLION).top), 4_000_000)
    const shorter = { total: 10 * ROW, seen: SEEN }
    assert.deepEqual(placed(4_000_000, 0, shorter), { scrollTop: 0, top: 0 })
  })
})

/** `a` and `b` lead to the second and the third page. */
const three = (): Chain => settle(settle(settle(NO_PAGES, 0, 10, 'a'), 1, 10, 'b'), 2, 4, undefined)

describe('the pages of a list', () => {
  it('are known one after the other, to the last one', () => {
    assert.deepEqual([countOf(NO_PAGES), isWhole(NO_PAGES)], [0, false])
    const two = settle(settle(NO_PAGES, 0, 10, 'a'), 1, 10, 'b')
    assert.deepEqual([countOf(two), isWhole(two)], [20, false])
    assert.deepEqual([countOf(three()), isWhole(three())], [24, true])
    assert.deepEqual(
      [0, 9, 10, 23].map((row) => pageWith(three(), row)),
      [0, 0, 1, 2],
    )
  })

  it('are seen where rows are on them, with empty ones beside', () => {
    assert.deepEqual(pagesAt(NO_PAGES, 0, 50), { from: 0, to: 0 })
    assert.deepEqual(pagesAt(three(), 2, 5), { from: 0, to: 0 })
    assert.deepEqual(pagesAt(three(), 15, 200), { from: 1, to: 2 })
    const empty = settle(settle(NO_PAGES, 0, 0, 'a'), 1, 0, 'b')
    assert.deepEqual(pagesAt(empty, 0, 50), { from: 0, to: 2 })
  })

  it('stay as they are when they are read again and nothing has changed', () => {
    const chain = three()
    assert.equal(settle(chain, 1, 10, 'b'), chain)
  })

  it('begin somewhere else when a row before them is gone, and keep the places of the rows after them', () => {
    const chain = settle(three(), 0, 10, 'a2')
    assert.deepEqual(
      chain.map(({ token }) => token),
      [undefined, 'a2', 'b'],
    )
    assert.equal(countOf(chain), 24)
    const shorter = settle(chain, 1, 9, undefined)
    assert.deepEqual([countOf(shorter), isWhole(shorter)], [19, true])
  })
})
