/** Issued credentials are recognized by their form, and their random part is uniform. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { createToken, isWellFormedToken, TOKEN_PATTERN, tokenHash } from './tokens.ts'

const PREFIXES = ['chk_test_', 'chk_live_', 'cht_', 'chw_'] as const
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('createToken', () => {
  for (const prefix of PREFIXES)
    it(`creates ${prefix}… with 27 random characters and a checksum of 6, matching the published pattern`, () => {
      const token = createToken(prefix)
      assert.ok(token.startsWith(prefix))
      assert.equal(token.length, prefix.length + 33)
      assert.equal(TOKEN_PATTERN.exec(`a line with ${token} in it`)?.[0], token)
      assert.ok(isWellFormedToken(token))
    })

  it('uses every character of the alphabet equally often', () => {
    const tokens = 4_000
    const counts = new Map<string, number>()
    for (let index = 0; index < tokens; index++)
      for (const character of createToken('cht_').slice(4, 4 + 27))
        counts.set(character, (counts.get(character) ?? 0) + 1)
    assert.deepEqual([...counts.keys()].sort(), [...ALPHABET].sort())
    const expected = (tokens * 27) / 62
    const chiSquared = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
    assert.ok(chiSquared < 140, `chi squared ${chiSquared} of 61 degrees`) // once in 10^7 runs by chance
  })

  it('creates no token twice', () => {
    assert.equal(new Set(Array.from({ length: 10_000 }, () => createToken('chw_'))).size, 10_000)
  })
})

describe('isWellFormedToken', () => {
  it('catches every change of a single character, and every swap of two neighbours', () => {
    const token = createToken('chk_test_')
    for (let at = 0; at < token.length; at++) {
      for (const character of `${ALPHABET}_- é`)
        if (character !== token[at])
          assert.ok(!isWellFormedToken(token.slice(0, at) + character + token.slice(at + 1)), `${at} ${character}`)
      const swapped = token.slice(0, at) + token.charAt(at + 1) + token.charAt(at) + token.slice(at + 2)
      if (swapped !== token) assert.ok(!isWellFormedToken(swapped), `swap at ${at}`)
    }
  })

  it('is false for a token that is longer, shorter, of another prefix or empty', () => {
    const token = createToken('cht_')
    for (const other of [
      '',
      'cht_',
      `${token}0`,
      `0${token}`,
      ` ${token}`,
      `${token}\n`,
      token.slice(0, -1),
      `chw_${token.slice(4)}`,
    ])
      assert.ok(!isWellFormedToken(other), JSON.stringify(other))
  })
})

describe('tokenHash', () => {
  it('is the SHA-256 of the token', () => {
    assert.equal(tokenHash('abc').toString('hex'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})
