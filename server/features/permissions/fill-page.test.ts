/** How a page is filled when many candidates are denied: never ends early without saying where to go on, never for ever. */
import assert from 'node:assert/strict'
import { afterEach, describe, it, vi } from 'vitest'
import { fillPage } from './fill-page.ts'

/** A list of the numbers below `end` of which those are allowed that `isAllowed` says. */
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
  it('asks for one more than it shows, and then knows whether it is the last', async () => {
    const { asked, find } = numbersBelow(10, () => true)
    assert.deepEqual(await fillPage(4, find, itself), { rows: [0, 1, 2, 3], next: 3 })
    assert.deepEqual(asked, [5])
    const whole = numbersBelow(4, () => true)
    assert.deepEqual(await fillPage(4, whole.find, itself), { rows: [0, 1, 2, 3], next: null })
  })

  it('goes on, with more at a time, while candidates are denied', async () => {
    const { asked, find } = numbersBelow(1_000, (number) => number > 900)
    assert.deepEqual(await fillPage(2, find, itself), { rows: [901, 902], next: 902 })
    assert.deepEqual(asked, [3, 100, 200, 400, 800])
  })

  it('ends short after very many, and says where the next one goes on', async () => {
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

  /** How many statements a page is made of that finds nothing, when each takes `ms` and comes further if `moves` says so. */
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

  it('ends short when it has taken long', async () => {
    assert.equal(await statementsIn(2_000, () => true), 3)
    assert.equal(await statementsIn(1, () => true), 12)
  })

  it('does not end where it began, however long that took', async () => {
    assert.equal(await statementsIn(30_000, (nth) => nth === 3), 4)
  })
})
