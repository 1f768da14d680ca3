/** The status of each database error: a system failure is never a denial, and reveals no details. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import type { Status } from '#contract/core/status.ts'
import { isConnectionLost, notConnected, refusalOf, toStatusError } from './pg-errors.ts'

const withCode = (code: string) => Object.assign(new Error('postgres://user:secret@host'), { code })

const CODES: Partial<Record<Status, string[]>> = {
  UNAVAILABLE: [
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'ENOTFOUND',
    '08006',
    '08P01', // a pooler has no connection
    '57P01',
    '57P02',
    '57P03',
    '57P05',
    '53000',
    '53100',
    '53200',
    '53300',
    '53400',
    '25006',
    '55000', // 'recovery is in progress'
    '58030', // its disk does not respond
    'ENOSPC',
    'EDQUOT',
  ],
  ABORTED: ['40001', '40P01', '23503'],
  DEADLINE_EXCEEDED: ['57014', '55P03'],
}

describe('toStatusError', () => {
  for (const [status, codes] of Object.entries(CODES))
    it(`maps ${codes.join(', ')} to ${status}, and keeps the cause for the log`, () => {
      for (const code of codes) {
        const error = toStatusError(withCode(code))
        assert.equal(error?.status, status, code)
        assert.doesNotMatch(String(error?.message), /secret/)
        assert.ok(error?.cause instanceof Error)
      }
    })

  it('recognizes the driver’s messages for a connection that broke or never responded', () => {
    for (const message of [
      'Connection terminated unexpectedly',
      'Connection terminated due to connection timeout',
      'timeout exceeded when trying to connect',
      'Query read timeout',
    ])
      assert.equal(toStatusError(new Error(message))?.status, 'UNAVAILABLE', message)
  })

  it('recognizes a full disk by the message of PostgreSQL if it has no code', () => {
    for (const message of ['could not write init file', 'could not write: Disk quota exceeded']) {
      const error = Object.assign(new Error(message), { code: 'XX000' })
      assert.equal(toStatusError(error)?.reason, 'storage_full', message)
    }
  })

  it('leaves everything else as INTERNAL', () => {
    for (const error of [withCode('23505'), withCode('42P01'), withCode('22P02'), new Error('oops'), 'oops', null])
      assert.equal(toStatusError(error), undefined)
  })
})

describe('isConnectionLost', () => {
  it('is true for a query on a connection that broke earlier', () => {
    assert.ok(isConnectionLost(new Error('Client has encountered a connection error and is not queryable')))
  })

  it('is false if the server responded', () => {
    for (const code of ['40P01', '57014', '23505']) assert.ok(!isConnectionLost(withCode(code)), code)
  })
})

describe('a connection that cannot be opened', () => {
  const refusals = {
    password: [withCode('28P01'), withCode('28000'), new Error('SASL: client password must be a string')],
    database: [withCode('3D000')],
    tls: [new Error('The server does not support SSL connections')],
    certificate: [
      ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT'].map(withCode),
      ...['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'].map(withCode),
    ],
  }

  for (const [why, errors] of Object.entries(refusals))
    it(`because of its ${why} is refused until that is changed, and a call meanwhile is UNAVAILABLE`, () => {
      for (const error of errors) {
        assert.equal(refusalOf(error), why, error.message)
        const reported = toStatusError(notConnected(error))
        assert.equal(reported?.status, 'UNAVAILABLE')
        assert.doesNotMatch(String(reported?.message), /secret/)
        assert.ok(isConnectionLost(notConnected(error)))
      }
    })

  it('may be opened at the next attempt in other cases', () => {
    for (const code of ['ECONNREFUSED', '57P03', '53300']) {
      assert.equal(refusalOf(withCode(code)), undefined)
      assert.equal(toStatusError(notConnected(withCode(code)))?.status, 'UNAVAILABLE')
    }
  })
})
