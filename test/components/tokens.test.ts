/** A user token is fetched once for all calls, and once again when it has expired. */
import assert from 'node:assert/strict'
import { it, vi } from 'vitest'
import { startReceiver } from '#testing/stand-ins/receiver.ts'
import { Connection } from '../../components/connection/connection.ts'

const EXPIRED = { error: { status: 'UNAUTHENTICATED', reason: 'credentials_invalid', message: 'No.' } }
const SUCCESS = { result: { status: 'success', message: '', data: {} } }

it('an error page in the place of a token is not kept', async () => {
  const server = await startReceiver(() => ({ status: 200, body: JSON.stringify(SUCCESS) }))
  const texts = ['<html>\n502 Bad Gateway</html>', 'a.b.c\n']
  const connection = new Connection({ url: new URL(server.url).origin, token: async () => texts.shift() ?? '' })
  const call = () => connection.call('commentannotations/get', {})
  await assert.rejects(call(), { status: 'UNREACHABLE' })
  await call()
  await call()
  assert.deepEqual(
    server.received.map(({ headers }) => headers.authorization),
    ['Bearer a.b.c', 'Bearer a.b.c'],
  )
})

it('a function of the token that hangs is called again', async () => {
  const server = await startReceiver(() => ({ status: 200, body: JSON.stringify(SUCCESS) }))
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 100))
  const tokens = [new Promise<string>(() => {}), Promise.resolve('a.b.c')]
  const connection = new Connection({ url: new URL(server.url).origin, token: () => tokens.shift() ?? '' })
  await assert.rejects(connection.call('commentannotations/get', {}), { status: 'UNREACHABLE' })
  vi.restoreAllMocks()
  await connection.call('commentannotations/get', {})
  assert.equal(server.received.length, 1)
})

it('calls that fail together because the token has expired fetch one new token', async () => {
  let isExpired = true
  const server = await startReceiver(({ headers }) => {
    const isNew = headers.authorization === 'Bearer new'
    // Each call hears of it at another time, some when the new token is there already.
    const afterMs = Math.random() * 100
    return { status: isNew ? 200 : 401, body: JSON.stringify(isNew ? SUCCESS : EXPIRED), afterMs }
  })
  let fetched = 0
  const token = async () => {
    fetched++
    const value = isExpired ? 'old' : 'new'
    isExpired = false
    return value
  }
  const connection = new Connection({ url: new URL(server.url).origin, token })
  await Promise.all(Array.from({ length: 20 }, () => connection.call('commentannotations/get', {})))
  assert.deepEqual([fetched, server.received.length], [2, 40])
  await connection.call('commentannotations/get', {})
  assert.equal(fetched, 2)
})
