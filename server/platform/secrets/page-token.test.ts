/** Page tokens are valid only for the query that issued them. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { StatusError } from '../status-error.ts'
import { createPageTokens, cutPage } from './page-token.ts'

const tokens = createPageTokens(Buffer.alloc(32, 1))
const scope = ['documents.get', 'chk_test_1', 'acme', null] as const

const refused = (error: unknown): boolean =>
  error instanceof StatusError && error.status === 'INVALID_ARGUMENT' && error.reason === 'page_token_invalid'

describe('createPageTokens', () => {
  it('returns the last key, whatever it is', () => {
    for (const last of ['', 'a', 'Ω 🔑', ' ', '"\\', 'x'.repeat(256)])
      assert.equal(tokens.decode(scope, tokens.encode(scope, last)), last)
  })

  it('does not reveal the key in the token', () => {
    const bytes = Buffer.from(tokens.encode(scope, 'document-of-nobody'), 'base64url')
    assert.ok(!bytes.toString('latin1').includes('document'))
    const other = Buffer.from(tokens.encode(scope, 'document-of-another'), 'base64url')
    assert.notDeepEqual(bytes.subarray(16, 26), other.subarray(16, 26), 'nor where it differs from another')
    assert.equal(tokens.encode(scope, 'a'), tokens.encode(scope, 'a'))
  })

  it('is null without a token', () => {
    assert.equal(tokens.decode(scope, undefined), null)
  })

  it('refuses a token of another query: another caller, operation or filter, or the same words cut differently', () => {
    const token = tokens.encode(scope, 'last')
    for (const other of [
      ['documents.get', 'chk_test_2', 'acme', null],
      ['organizations.get', 'chk_test_1', 'acme', null],
      ['documents.get', 'chk_test_1', 'acme', 'folder'],
      ['documents.get', 'chk_test_1', 'acme'],
      ['documents.get', 'chk_test_1,acme', null],
    ])
      assert.throws(() => tokens.decode(other, token), refused)
  })

  it('refuses a token with any character changed, added or removed', () => {
    const token = tokens.encode(scope, 'last')
    for (let at = 0; at < token.length; at++) {
      const other = token[at] === 'A' ? 'B' : 'A'
      assert.throws(() => tokens.decode(scope, token.slice(0, at) + other + token.slice(at + 1)), refused)
      assert.throws(() => tokens.decode(scope, token.slice(0, at)), refused)
    }
    for (const other of [`${token}A`, `${token}=`, `${token} `, 'not a token', '🔑'])
      assert.throws(() => tokens.decode(scope, other), refused)
  })

  it('refuses a token of another installation', () => {
    const elsewhere = createPageTokens(Buffer.alloc(32, 2))
    assert.throws(() => tokens.decode(scope, elsewhere.encode(scope, 'last')), refused)
  })
})

describe('cutPage', () => {
  it('returns the row after which the next page begins, and none for the last page', () => {
    assert.deepEqual(cutPage([1, 2, 3], 2), { page: [1, 2], last: 2 })
    assert.deepEqual(cutPage([1, 2], 2), { page: [1, 2], last: undefined })
    assert.deepEqual(cutPage([], 2), { page: [], last: undefined })
  })

  it('treats a scan that stopped early as having more', () => {
    const isScanEnd = (row: number): boolean => row === 0
    assert.deepEqual(cutPage([1, 0], 3, isScanEnd), { page: [1, 0], last: 0 })
    assert.deepEqual(cutPage([0, 1], 3, isScanEnd), { page: [0, 1], last: undefined })
  })
})
