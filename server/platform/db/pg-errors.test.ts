/** What each error of the database means for callers: a fault of the system is never a denial, and never says more than it should. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import type { Status } from '#contract/status.ts'
import { isConnectionLost, toStatusError } from './pg-errors.ts'

const withCode = (code: string) => Object.assign(new Error('postgres://user:secret@host'), { code })

const CODES: Partial<Record<Status, string[]>> = {
  UNAVAILABLE: [
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'ENOTFOUND',
    '08006',
    '57P01',
    '57P02',
    '57P03',
    '53300',
  ],
  ABORTED: ['40001', '40P01', '23503'],
  DEADLINE_EXCEEDED: ['57014', '55P03'],
}

describe('toStatusError', () => {
  for (const [status, codes] of Object.entries(CODES))
    it(`makes ${codes.join(', ')} ${status}, and keeps the cause for the log alone`, () => {
      for (const code of codes) {
        const error = toStatusError(withCode(code))
        assert.equal(error?.status, status, code)
        assert.doesNotMatch(String(error?.message), /secret/)
        assert.ok(error?.cause instanceof Error)
      }
    })

  it('knows the driver’s own words for a connection that broke or never answered', () => {
    for (const message of [
      'Connection terminated unexpectedly',
      'Connection terminated due to connection timeout',
      'timeout exceeded when trying to connect',
      'Query read timeout',
    ])
      assert.equal(toStatusError(new Error(message))?.status, 'UNAVAILABLE', message)
  })

  it('leaves everything else to be INTERNAL', () => {
    for (const error of [withCode('23505'), withCode('42P01'), withCode('22P02'), new Error('oops'), 'oops', null])
      assert.equal(toStatusError(error), undefined)
  })
})

describe('isConnectionLost', () => {
  it('is true of what is asked of a connection that has broken before', () => {
    assert.ok(isConnectionLost(new Error('Client has encountered a connection error and is not queryable')))
  })

  it('is false where the server has answered', () => {
    for (const code of ['40P01', '57014', '23505']) assert.ok(!isConnectionLost(withCode(code)), code)
  })
})
