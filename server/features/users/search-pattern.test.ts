/** The search in profiles ignores case in every alphabet (rules/contract.md#search). */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { searchPattern } from './search-pattern.ts'

const finds = (searched: string, text: string): boolean => new RegExp(searchPattern(searched)).test(text)

describe('searchPattern', () => {
  it('finds each small letter of a capital, also the final sigma', () => {
    for (const [one, other] of [
      ['ΟΔΥΣΣΕΥΣ', 'Οδυσσεύς'.replace('ύ', 'υ')],
      ['οδυσσευσ', 'οδυσσευς'],
      ['οδυσσευς', 'οδυσσευσ'],
      ['STRASSE', 'straße'.replace('ß', 'ss')],
      ['ГЕНА', 'гена'],
      ['\u03bc', '\u00b5'], // Greek mu and the micro sign
      ['\u03b2eta', '\u03d0ETA'],
    ] as const) {
      assert.ok(finds(one, other), `${one} finds ${other}`)
      assert.ok(finds(other, one), `${other} finds ${one}`)
    }
  })

  it('distinguishes other letters, and treats punctuation literally', () => {
    assert.ok(!finds('Οδυσσε', 'Οδυσεε'))
    assert.ok(!finds('a.b', 'axb'))
    assert.ok(finds('(a+b)*', 'x (A+B)* y'))
  })
})
