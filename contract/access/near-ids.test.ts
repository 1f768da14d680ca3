/** Which ids are taken for misspellings of each other. */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { isNearId } from './near-ids.ts'

const NEAR: [string, string][] = [
  ['steel-invoice', 'steel-invioce'],
  ['roadmap', 'raodmap'],
  ['roadmap', 'road_map'],
  ['roadmap', 'Roadmap'],
  ['plans', 'plan'],
  ['budget-2027', 'bugdet-2027'],
  ['日本語の文書', '日本語文書'],
]

const FAR: [string, string][] = [
  ['invoice-1', 'invoice-2'],
  ['q1', 'q2'],
  ['team', 'tram'],
  ['roadmap', 'budget'],
  ['2026', '2027'],
  ['-', '_'],
  ['x'.repeat(256), `${'x'.repeat(255)}y`],
]

it('takes ids for misspellings that differ by a letter in five, two exchanged letters, case or punctuation', () => {
  for (const [one, other] of NEAR) assert.ok(isNearId(one, other) && isNearId(other, one), `${one} ${other}`)
})

it('does not take short ids, members of a series, and other words for misspellings', () => {
  for (const [one, other] of FAR) assert.ok(!isNearId(one, other), `${one} ${other}`)
})
