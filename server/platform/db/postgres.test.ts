/** The failures that the connection pool survives, and the databases that it refuses. */

import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { describe, it } from 'vitest'
import { cleanUp } from '#testing/clean-up.ts'
import { databaseClock } from '../clock.ts'
import { PgDb } from './pg-db.ts'
import { isConnectionLost } from './pg-errors.ts'
import { isLasting, whyUnfit } from './postgres.ts'
import { Sessions } from './sessions/sessions.ts'

const message = (kind: string, ...parts: (string | number[])[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)))
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(kind), length, body])
}
const AUTHENTICATED = message('R', [0, 0, 0, 0])
const READY = message('Z', 'I')
const SHUTTING_DOWN = message('E', 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0')

describe('a connection that is closed at the moment it is ready', () => {
  it('fails its own query, and nothing else', async () => {
    const database = createServer((socket) => {
      socket.on('error', () => {}) // the other side closes first
      socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, SHUTTING_DOWN])))
    })
    await new Promise<void>((resolve) => database.listen(0, '127.0.0.1', resolve))
    cleanUp(() => database.close())
    const address = database.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const db = new PgDb('postgres', { host: '127.0.0.1', port, user: 'postgres', max: 2 }, databaseClock, {
      sessions: new Sessions(0),
    })
    for (let round = 0; round < 3; round++) await assert.rejects(db.query('select 1'), isConnectionLost)
    await db.close()
  })
})

describe('a database that cannot be connected to', () => {
  const refusal = (code: string) => Object.assign(new Error('no'), { code })

  it('is not waited for if nothing but a change of settings helps', () => {
    for (const hosts of [1, 2]) {
      for (const code of ['28P01', '3D000']) assert.equal(isLasting(refusal(code), hosts), true)
      for (const code of ['ECONNREFUSED', '57P03', '53300']) assert.equal(isLasting(refusal(code), hosts), false)
    }
  })

  it('is waited for despite a certificate that does not fit only if there is another host', () => {
    assert.equal(isLasting(refusal('CERT_HAS_EXPIRED'), 1), true)
    assert.equal(isLasting(refusal('CERT_HAS_EXPIRED'), 2), false)
  })
})

describe('a database', () => {
  it('fits if it is of PostgreSQL 15 or newer, in UTF-8', () => {
    for (const version of ['15.0', '15.18 (Debian 15.18-0+deb12u1)', '16beta1', '17.10', '18.4'])
      assert.equal(whyUnfit({ version, encoding: 'UTF8' }), undefined)
    for (const version of ['14.23', '9.6.24'])
      assert.match(
        whyUnfit({ version, encoding: 'UTF8' }) ?? '',
        /^it is of PostgreSQL .*; upgrade PostgreSQL to 15 or newer$/,
      )
    assert.match(whyUnfit({ version: '16.14', encoding: 'LATIN1' }) ?? '', /^its encoding is LATIN1; create another/)
  })
})
