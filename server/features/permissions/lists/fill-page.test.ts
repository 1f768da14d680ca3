/** Filling a page while many candidates are denied: a short page always has a cursor, and filling always terminates. */
import assert from 'node:assert/strict'
import { afterEach, describe, it, vi } from 'vitest'
import { fillPage } from './fill-page.ts'

/** Returns a list of the numbers below `end` that `isAllowed` accepts. */
function numbersBelow(end: number, isAllowed: (number: number) => boolean, start = 0) {
  const asked: number[] = []
  let at = start
  const find = async (decisions: number) => {
    asked.push(decisions)
    const looked = Array.from({ length: Math.min(decisions, end - at) }, (_, nth) => at + nth)
    at += looked.length
    const next = at < end ? at - 1 : null
    return { rows: looked.filter(isAllowed), next, decided: next === null ? 0 : looked.length }
  }
  return { asked, find }
}
const itself = (number: number) => number

describe('a page', () => {
  it('requests one row more than its size to detect the last page', async () => {
    const { asked, find } = numbersBelow(10, () => true)
    assert.deepEqual(await fillPage(4, find, itself), { rows: [0, 1, 2, 3], next: 3 })
    assert.deepEqual(asked, [5])
    const whole = numbersBelow(4, () => true)
    assert.deepEqual(await fillPage(4, whole.find, itself), { rows: [0, 1, 2, 3], next: null })
  })

  it('requests more candidates at a time while candidates are denied', async () => {
    const { asked, find } = numbersBelow(1_000, (number) => number > 900)
    assert.deepEqual(await fillPage(2, find, itself), { rows: [901, 902], next: 902 })
    assert.deepEqual(asked, [3, 100, 200, 400, 800])
  })

  it('ends short after very many candidates, with a cursor for the next page', async () => {
    const isAllowed = (number: number) => number === 5 || number === 60_000
    const found: number[] = []
    let start = 0
    for (let pages = 0; start >= 0 && pages < 100; pages++) {
      const { rows, next } = await fillPage(7, numbersBelow(70_000, isAllowed, start).find, itself)
      found.push(...rows)
      start = next === null ? -1 : next + 1
    }
    assert.equal(start, -1)
    assert.deepEqual(found, [5, 60_000])
  })

  afterEach(() => {
    vi.restoreAllMocks()
  })

  /** Returns the number of statements for a page that finds nothing, if each takes `ms` and `moves` says whether it advances. */
  const statementsIn = async (ms: number, moves: (nth: number) => boolean): Promise<number> => {
    let now = 0
    let statements = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const find = async (decisions: number) => {
      now += ms
      return { rows: [], next: statements, decided: moves(statements++) ? decisions : 0 }
    }
    await fillPage(7, find, itself)
    return statements
  }

  it('ends short after a long time', async () => {
    assert.equal(await statementsIn(2_000, () => true), 3)
    assert.equal(await statementsIn(1, () => true), 12)
  })

  it('does not end where it began, however long it takes', async () => {
    assert.equal(await statementsIn(30_000, (nth) => nth === 3), 4)
  })
})
