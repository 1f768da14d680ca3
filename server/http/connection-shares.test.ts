/** Connections beyond what the process can keep: the address that has most of them loses its own. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { fastify } from 'fastify'
import { describe, it } from 'vitest'
import { cleanUp } from '#testing/clean-up.ts'
import { until } from '#testing/eventually.ts'
import { connectionsMax, registerConnectionShares } from './connection-shares.ts'
import { registerConnectionTurns } from './connection-turns.ts'

const MAX = 20
/** The loopback network has many addresses. */
const [GREEDY, OTHER] = ['127.0.0.2', '127.0.0.3']
const UNFINISHED = 'GET / HTTP/1.1\r\nhost: x\r\n'
const request = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`

interface Caller {
  socket: Socket
  received(): string
}

/** Starts a server that responds to all paths but `/long`, and returns a function that connects to it. */
async function start() {
  const app = fastify()
  const isWorkedOn = registerConnectionTurns(app, () => {})
  registerConnectionShares(app, isWorkedOn, MAX)
  let begun = 0
  app.get('/long', () => {
    begun++
    return new Promise(() => {})
  })
  app.get('/', async () => 'here')
  await app.listen({ host: '127.0.0.1', port: 0 })
  cleanUp(() => app.server.closeAllConnections())
  const { port } = app.server.address() as { port: number }
  const call = async (localAddress: string, text: string): Promise<Caller> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {})
    cleanUp(() => socket.destroy())
    let received = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      received += chunk
    })
    await once(socket, 'connect')
    socket.write(text)
    return { socket, received: () => received }
  }
  const callAll = async (count: number, address: string, text: string) => {
    const callers: Caller[] = []
    for (let nth = 0; nth < count; nth++) callers.push(await call(address, text))
    return callers
  }
  return { call, callAll, begun: () => begun }
}

const isAnswered = (caller: Caller) => caller.received().includes('here')
const isClosed = ({ socket }: Caller) => socket.closed

describe('too many connections', () => {
  it('cost the address that has most of them its oldest ones, and others nothing', async () => {
    const { callAll } = await start()
    const kept = await callAll(3, OTHER, request('/'))
    const greedy = await callAll(3 * MAX, GREEDY, UNFINISHED)
    const later = await callAll(3, OTHER, request('/'))
    await until('responses to all', () => [...kept, ...later].every(isAnswered))
    assert.deepEqual([...kept, ...later].filter(isClosed), [])
    await until('the close of the oldest', () => greedy.filter(isClosed).length === 3 * MAX - (MAX - 6))
    assert.deepEqual(greedy.slice(-(MAX - 6)).filter(isClosed), [])
  })

  it('are refused if the server works on all of that address, whose calls go on', async () => {
    const { call, callAll, begun } = await start()
    const working = await callAll(MAX, GREEDY, request('/long'))
    await until('the begin of all calls', () => begun() === MAX)
    const late = await call(OTHER, request('/'))
    await until('the close of the last', () => isClosed(late))
    assert.deepEqual(working.filter(isClosed), [])
    working[0]?.socket.destroy()
    await until('room', async () => {
      const next = await call(OTHER, request('/'))
      await until('a response or a close', () => isAnswered(next) || isClosed(next))
      return isAnswered(next)
    })
  })
})

describe('connectionsMax', () => {
  it('leaves the files that the process and its database need, and a few connections in any case', () => {
    assert.equal(connectionsMax(10, 1_024), 819)
    assert.equal(connectionsMax(500, 1_024), 460)
    assert.equal(connectionsMax(10, 128), 54)
    assert.equal(connectionsMax(10, 40), 10)
    assert.equal(connectionsMax(10, Number.POSITIVE_INFINITY), 20_000)
  })
})
