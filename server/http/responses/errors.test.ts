/** How errors become responses: every status with its code; an unexpected error shows only its request id. */
import assert from 'node:assert/strict'
import { type AddressInfo, connect } from 'node:net'
import { fastify } from 'fastify'
import { describe, it } from 'vitest'
import type { ErrorEnvelope } from '#contract/core/envelope.ts'
import { STATUS, type Status } from '#contract/core/status.ts'
import { currentLifetime } from '#platform/lifetime.ts'
import { StatusError } from '#platform/status-error.ts'
import { eventually } from '#testing/eventually.ts'
import { registerRequestContext } from '../request-context.ts'
import { registerLifetimes } from '../request-end.ts'
import { registerErrors } from './errors.ts'

/** Returns the response to a request whose handler throws `error`. */
async function responseTo(error: unknown) {
  const app = fastify()
  registerRequestContext(app)
  registerErrors(app, 1_000)
  app.get('/', () => {
    throw error
  })
  const answer = await app.inject('/')
  await app.close()
  return { http: answer.statusCode, headers: answer.headers, text: answer.body, error: answer.json().error }
}

const withCode = (code: string, message = 'secret detail') => Object.assign(new Error(message), { code })

describe('errors', () => {
  for (const status of Object.keys(STATUS) as Status[])
    it(`of status ${status} return HTTP ${STATUS[status].http}`, async () => {
      const { http, error } = await responseTo(new StatusError(status, 'why', 'What was wrong.', { details: { a: 1 } }))
      assert.equal(http, STATUS[status].http)
      assert.deepEqual(
        { ...error, requestId: '' },
        {
          message: 'What was wrong.',
          status,
          reason: 'why',
          details: { a: 1 },
          requestId: '',
        },
      )
    })

  it('that are unexpected reveal no details', async () => {
    const thrown = [
      new Error('secret detail'),
      withCode('23505'),
      new TypeError('secret detail', { cause: new Error('secret detail') }),
      new StatusError('INTERNAL', 'internal', 'Something went wrong.', { cause: new Error('secret detail') }),
      Object.assign(new Error('secret detail'), { statusCode: 418 }),
    ]
    for (const error of thrown) {
      const { http, text, error: answered } = await responseTo(error)
      assert.deepEqual([http, answered.status, answered.reason], [500, 'INTERNAL', 'internal'])
      assert.doesNotMatch(text, /secret/)
    }
  })

  it('of the database return their status, without their text', async () => {
    const meaning: [code: string, status: Status][] = [
      ['40001', 'ABORTED'],
      ['40P01', 'ABORTED'],
      ['55P03', 'DEADLINE_EXCEEDED'],
      ['57014', 'DEADLINE_EXCEEDED'],
      ['57P01', 'UNAVAILABLE'],
      ['08006', 'UNAVAILABLE'],
      ['53300', 'UNAVAILABLE'],
      ['ECONNREFUSED', 'UNAVAILABLE'],
    ]
    for (const [code, status] of meaning) {
      const { error, text } = await responseTo(withCode(code))
      assert.equal(error.status, status, code)
      assert.doesNotMatch(text, /secret/)
    }
  })

  it('of an address that browsers open are pages, with a reference that the log has', async () => {
    const lines: string[] = []
    const app = fastify({ logger: { level: 'warn', stream: { write: (line: string) => lines.push(line) } } })
    registerRequestContext(app)
    registerErrors(app, 1_000)
    for (const [url, error] of [
      ['/limited', new StatusError('RESOURCE_EXHAUSTED', 'rate_limited', 'Too many <b>.', { retryAfterSeconds: 7 })],
      ['/broken', new Error('secret detail')],
    ] as const)
      app.get(url, { config: { isPage: true }, logLevel: 'warn' }, () => {
        throw error
      })
    for (const [url, status, text] of [
      ['/limited', 429, 'Too many &lt;b&gt;.</p><p>Try again in 7 seconds.'],
      ['/broken', 500, 'That did not work'],
    ] as const) {
      const page = await app.inject(url)
      assert.deepEqual([page.statusCode, page.headers['content-type']], [status, 'text/html; charset=utf-8'])
      assert.ok(page.body.includes(text), page.body)
      assert.doesNotMatch(page.body, /secret/)
      const [, reference = ''] = /Reference: <code>(.+?)<\/code>/.exec(page.body) ?? []
      assert.ok(lines.some((line) => JSON.parse(line).requestId === reference))
    }
    await app.close()
  })

  it('of callers who hang up while sending are not reported as an outage of the database', async () => {
    const lines: string[] = []
    const app = fastify({ logger: { level: 'warn', stream: { write: (line: string) => lines.push(line) } } })
    registerRequestContext(app)
    registerErrors(app, 1_000)
    const refused = new Promise<ErrorEnvelope>((resolve) => {
      app.addHook('onSend', async (_request, _reply, body) => resolve(JSON.parse(String(body))))
    })
    app.addHook('preParsing', async () => {
      setImmediate(() => caller.destroy())
    })
    app.post('/', async () => ({}))
    await app.listen({ host: '127.0.0.1', port: 0 })
    const caller = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    caller.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"data":')
    const { error } = await refused
    assert.deepEqual([error.status, error.reason], ['INVALID_ARGUMENT', 'body_invalid'])
    assert.deepEqual(lines, [])
    await app.close()
  })

  it('of callers who hang up during a call are at most a line without a stack, and faults stay loud', async () => {
    const lines: { level: number; msg: string; err?: object }[] = []
    const app = fastify({
      logger: { level: 'debug', stream: { write: (line: string) => lines.push(JSON.parse(line)) } },
    })
    registerRequestContext(app)
    registerErrors(app, 1_000)
    registerLifetimes(app, { timeoutMs: 60_000, charge: () => {} })
    const caller = (url: string) => {
      const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
      socket.write(`GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`)
      return socket
    }
    const failing = (fault: Error | undefined) => () =>
      new Promise((_resolve, reject) => {
        callers[fault === undefined ? 0 : 1]?.destroy()
        currentLifetime()?.onEnd((why) => reject(fault ?? why))
      })
    app.get('/slow', failing(undefined))
    app.get('/broken', failing(new Error('a fault')))
    await app.listen({ host: '127.0.0.1', port: 0 })
    const callers = [caller('/slow')]
    const said = await eventually('a line about the caller', async () => lines.find(({ msg }) => /hung up/.test(msg)))
    assert.deepEqual([said.level <= 30, said.err], [true, undefined])
    assert.ok(lines.every(({ level }) => level <= 30))
    callers.push(caller('/broken'))
    await eventually('a fault in the log', async () =>
      lines.find(({ level, msg }) => level === 50 && /unexpected/.test(msg)),
    )
    await app.close()
  })

  it('that are temporary say when to retry', async () => {
    const { headers } = await responseTo(
      new StatusError('RESOURCE_EXHAUSTED', 'why', 'Later.', { retryAfterSeconds: 7 }),
    )
    assert.equal(headers['retry-after'], '7')
  })
})
