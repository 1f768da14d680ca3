/** The typos that the search forgives are those that lists of the console forgive, and the index finds them. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { nearlyBegins } from '../../../console/src/components/combobox/matching.ts'
import { nearOf } from './near.ts'

const PART_MIN = 3

/** Few letters, so that words resemble each other and repeat themselves. */
const word = (min: number, max: number) =>
  fc.array(fc.constantFrom(...'abcd'), { minLength: min, maxLength: max }).map((all) => all.join(''))

const typo = fc.record({
  at: fc.nat(20),
  kind: fc.constantFrom('drop', 'add', 'swap', 'change'),
  by: fc.constantFrom(...'abx'),
})

function withTypo(text: string, { at, kind, by }: { at: number; kind: string; by: string }): string {
  const nth = at % text.length
  const [before, here = '', next = ''] = [text.slice(0, nth), text[nth], text[nth + 1]]
  if (kind === 'drop') return before + text.slice(nth + 1)
  if (kind === 'add') return before + by + text.slice(nth)
  return kind === 'swap' ? before + next + here + text.slice(nth + 2) : before + by + text.slice(nth + 1)
}

/** Words as typed, and texts with up to three differences. */
const pairs = fc.tuple(word(3, 13), fc.array(typo, { maxLength: 3 }), word(0, 3)).map(([typed, typos, more]) => ({
  typed,
  text: typos.reduce((text, one) => (text === '' ? text : withTypo(text, one)), typed) + more,
}))

describe('a search for what resembles the query', () => {
  it('finds the words that lists of the console find', () => {
    const seen = { found: 0, not: 0 }
    fc.assert(
      fc.property(pairs, ({ typed, text }) => {
        const matches = nearOf(typed, PART_MIN).some(({ pattern }) => new RegExp(pattern, 's').test(`\n\n${text}`))
        assert.equal(matches, nearlyBegins(text, typed), `${typed} → ${text}`)
        seen[matches ? 'found' : 'not']++
      }),
      { numRuns: 1_000 },
    )
    assert.ok(Math.min(seen.found, seen.not) > 100, JSON.stringify(seen))
  })

  it('looks in the index for parts of which each such text has one list', () => {
    fc.assert(
      fc.property(pairs, word(3, 6), ({ typed, text }, other) => {
        for (const query of [typed, `${typed} ${other}`])
          for (const { pattern, parts } of nearOf(query, PART_MIN)) {
            const words = `\n\n${text} ${other}`
            if (parts === null || !new RegExp(pattern, 's').test(words)) continue
            assert.ok(
              parts.some((list) => list.every((part) => words.includes(part))),
              `${query} → ${words}`,
            )
            assert.ok(parts.flat().every((part) => part.length >= PART_MIN))
          }
      }),
      { numRuns: 300 },
    )
  })

  it('has a short pattern for the longest words', () => {
    const longest = 'abcdefghijklmnopqrstuvwxyzabcdef'
    const lengths = nearOf(Array(8).fill(longest).join(' '), PART_MIN).map(({ pattern }) => pattern.length)
    assert.ok(Math.max(...lengths) < 60_000, lengths.join())
  })
})
