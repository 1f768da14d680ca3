/** Retries: which failures are retried, when, with which headers, and until when, against a server with scripted failures. */
import assert from 'node:assert/strict'
import { describe, it, vi } from 'vitest'
import { type Bounds, createClient, createPublicClient, createUserClient, createWorkspaceClient } from '#sdk/index.ts'
import { failureOf } from '#testing/clients.ts'
import { type Receiver, type Reply, startReceiver } from '#testing/stand-ins/receiver.ts'

const SUCCESS: Reply = {
  status: 200,
  body: JSON.stringify({ result: { status: 'success', message: 'Done.', data: {} } }),
}

const failure = (status: number, error: object, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: JSON.stringify({ error: { message: 'It failed.', requestId: 'r1', ...error } }),
})
const UNAVAILABLE = failure(503, { status: 'UNAVAILABLE', reason: 'database_unavailable' })
const ABORTED = failure(409, { status: 'ABORTED', reason: 'lost_a_race' })
const LIMITED = (after: string) =>
  failure(429, { status: 'RESOURCE_EXHAUSTED', reason: 'rate_limited' }, { 'retry-after': after })
const REFUSED = failure(400, { status: 'INVALID_ARGUMENT', reason: 'invalid_argument' })

/** Sends these replies in order, and the last one repeatedly. */
async function scripted(...replies: Reply[]): Promise<Receiver> {
  const left = [...replies]
  return startReceiver(() => (left.length > 1 ? left.shift() : left[0]) ?? SUCCESS)
}

const baseOf = ({ url }: Receiver) => new URL(url).origin
const clientOf = (server: Receiver, bounds: Bounds = {}) =>
  createClient({ url: baseOf(server), apiKey: 'chk_test_a', authToken: 'secret', ...bounds })
const grant = { user: { userId: 'ada' }, permissions: { resources: [{ type: 'organization' as const, id: 'acme' }] } }
const keysOf = ({ received }: Receiver) => received.map(({ headers }) => headers['idempotency-key'])

describe('a call', () => {
  for (const [name, reply] of [
    ['503', UNAVAILABLE],
    ['a lost race', ABORTED],
    ['429', LIMITED('0')],
    ['a time-out of the server', failure(504, { status: 'DEADLINE_EXCEEDED', reason: 'took_too_long' })],
    ['a broken connection', 'break'],
    ['a gateway without the server behind it', { status: 502, body: '<title>502 Bad Gateway</title>' }],
  ] as [string, Reply][]) {
    it(`that reads is retried after ${name}`, async () => {
      const server = await scripted(reply, reply, SUCCESS)
      assert.deepEqual(await clientOf(server).domains.get(), {})
      assert.equal(server.received.length, 3)
    })

    it(`that writes is retried after ${name}, with the same Idempotency-Key`, async () => {
      const server = await scripted(reply, reply, SUCCESS)
      await clientOf(server).permissions.add(grant)
      assert.equal(server.received.length, 3)
      assert.equal(new Set(keysOf(server)).size, 1)
      assert.match(String(keysOf(server)[0]), /^[0-9a-f]{32}$/)
      assert.equal(new Set(server.received.map(({ body }) => body)).size, 1)
    })
  }

  for (const [name, reply] of [
    ['a refusal of its data', REFUSED],
    ['a refusal of its credentials', failure(401, { status: 'UNAUTHENTICATED', reason: 'credentials_invalid' })],
    ['a fault of the server', failure(500, { status: 'INTERNAL', reason: 'internal' })],
    [
      'a refusal because of a permanent limit',
      failure(429, { status: 'RESOURCE_EXHAUSTED', reason: 'too_many_domains' }),
    ],
    ['a response from something else', { status: 404, body: 'nothing here' }],
  ] as [string, Reply][])
    it(`is not retried after ${name}`, async () => {
      const server = await scripted(reply)
      assert.equal((await failureOf(clientOf(server).domains.get())).retryable, false)
      assert.equal(server.received.length, 1)
    })

  it('that must not be repeated is retried only if nothing was changed', async () => {
    const create = (server: Receiver) =>
      createPublicClient({ url: baseOf(server) }).workspaces.create({ ownerEmail: 'ada@example.com' })
    for (const reply of ['break', UNAVAILABLE, { status: 502 }] as Reply[]) {
      const server = await scripted(reply, SUCCESS)
      assert.equal((await failureOf(create(server))).retryable, true)
      assert.equal(server.received.length, 1)
    }
    for (const reply of [ABORTED, LIMITED('0')]) {
      const server = await scripted(reply, SUCCESS)
      await create(server)
      assert.equal(server.received.length, 2)
      assert.deepEqual(keysOf(server), [undefined, undefined])
    }
  })

  it('is attempted five times at most, or triesMax times', async () => {
    for (const [bounds, tries] of [
      [{}, 5],
      [{ triesMax: 2 }, 2],
      [{ triesMax: 1 }, 1],
    ] as [Bounds, number][]) {
      const server = await scripted(ABORTED)
      assert.equal((await failureOf(clientOf(server, bounds).domains.get())).reason, 'lost_a_race')
      assert.equal(server.received.length, tries)
      const other = await scripted(ABORTED)
      await failureOf(clientOf(other).domains.get({}, bounds))
      assert.equal(other.received.length, tries)
    }
  })

  it('waits as long as Retry-After demands, in seconds or until a date', async () => {
    const inSeconds = (seconds: number) => new Date(Date.now() + 1_000 * seconds).toUTCString()
    for (const after of [() => '1', () => inSeconds(4)]) {
      const server = await scripted(LIMITED(after()), SUCCESS)
      const started = performance.now()
      await clientOf(server).domains.get()
      assert.ok(performance.now() - started >= 995)
    }
  })

  it('does not wait beyond its time limit', async () => {
    const server = await scripted(LIMITED('3600'), SUCCESS)
    const error = await failureOf(clientOf(server).domains.get())
    assert.equal(error.retryAfterMs, 3_600_000)
    assert.equal(error.retryable, true)
  })

  it('doubles its longest random delay after each attempt, up to eight seconds', async () => {
    const most = [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000]
    for (const chance of [0.3, 0.7, 0.9]) {
      const expected = most.map((ms) => ms * chance)
      const waits: number[] = []
      vi.spyOn(Math, 'random').mockReturnValue(chance)
      const timer = setTimeout as (run: () => void, ms: number, ...rest: unknown[]) => unknown
      vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms: number, ...rest: unknown[]) => {
        if (!expected.includes(ms)) return timer(run, ms, ...rest) // the timer of an attempt, or one of the runtime
        waits.push(ms)
        return timer(run, 1)
      }) as typeof setTimeout)
      await failureOf(clientOf(await scripted(ABORTED), { triesMax: 8 }).domains.get())
      vi.restoreAllMocks()
      assert.deepEqual(waits, expected)
    }
  })

  it('ends within its time limit, whatever happens', async () => {
    const server = await scripted('hang')
    const bounds = { timeoutMs: 2_500, tryTimeoutMs: 500, triesMax: 50 }
    const error = await failureOf(clientOf(server, bounds).domains.get())
    assert.equal(error.status, 'DEADLINE_EXCEEDED')
    assert.equal(error.reason, 'timed_out')
    assert.match(
      error.message,
      /^domains\.get: No response from http:\/\/127\.0\.0\.1:\d+ within \d+ ms\. To allow more, raise timeoutMs/,
    )
    // Each attempt takes half a second, whatever the machine does: more of them would have begun after the limit.
    assert.ok(server.received.length <= 5, `${server.received.length} attempts`)
  })

  it('can be aborted while it waits for a response or for the next attempt', async () => {
    const hours = { timeoutMs: 7_200_000, tryTimeoutMs: 7_200_000, triesMax: 50 }
    for (const reply of ['hang', UNAVAILABLE, LIMITED('3600')] as Reply[]) {
      const server = await scripted(reply)
      const giveUp = new AbortController()
      setTimeout(() => giveUp.abort(new Error('enough')), 100)
      await assert.rejects(clientOf(server, hours).domains.get({}, { signal: giveUp.signal }), { message: 'enough' })
    }
  })

  it('ends also while the function of the user token hangs: when it is aborted, and at its time limit', async () => {
    const client = createUserClient({ url: 'http://127.0.0.1:2', userToken: () => new Promise<string>(() => {}) })
    const giveUp = new AbortController()
    setTimeout(() => giveUp.abort(new Error('enough')), 50)
    await assert.rejects(client.permissions.get({ organizationId: 'acme' }, { signal: giveUp.signal }), {
      message: 'enough',
    })
    const error = await failureOf(client.permissions.get({ organizationId: 'acme' }, { timeoutMs: 50 }))
    assert.match(error.message, /^permissions\.get: No response from userToken within \d+ ms/)
  })

  it('is not made if it was aborted before', async () => {
    const server = await scripted(SUCCESS)
    await assert.rejects(clientOf(server).domains.get({}, { signal: AbortSignal.abort(new Error('enough')) }), {
      message: 'enough',
    })
    assert.equal(server.received.length, 0)
  })

  it('leaves nothing on a signal that outlives it', async () => {
    const server = await scripted(ABORTED, SUCCESS)
    const { signal } = new AbortController()
    let listeners = 0
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++
      add(...args)
    }
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--
      remove(...args)
    }
    await clientOf(server).domains.get({}, { signal })
    assert.equal(listeners, 0)
  })

  it('has no Idempotency-Key if it would be useless', async () => {
    const server = await scripted(SUCCESS)
    const client = clientOf(server)
    await client.domains.get()
    await client.emailConfig.test()
    await client.permissions.add(grant, { triesMax: 1 })
    await client.permissions.add(grant, { idempotencyKey: false })
    assert.deepEqual(keysOf(server), [undefined, undefined, undefined, undefined])
  })

  it('is retried also with idempotencyKey: false', async () => {
    const server = await scripted('break', UNAVAILABLE, SUCCESS)
    await clientOf(server).permissions.add(grant, { idempotencyKey: false })
    assert.deepEqual(keysOf(server), [undefined, undefined, undefined])
  })

  it('has the given Idempotency-Key, or a new one for each call', async () => {
    const server = await scripted(SUCCESS)
    const client = clientOf(server)
    await client.permissions.add(grant, { idempotencyKey: 'order-7', triesMax: 1 })
    await client.permissions.add(grant)
    await client.permissions.add(grant)
    assert.equal(keysOf(server)[0], 'order-7')
    assert.equal(new Set(keysOf(server)).size, 3)
  })

  it('is not made with an Idempotency-Key that no header can have, or that the server would refuse', async () => {
    const server = await scripted(SUCCESS)
    for (const idempotencyKey of ['', 'order→7', 'order\n7', ' order', 'order ', 'x'.repeat(256)])
      await assert.rejects(clientOf(server).permissions.add(grant, { idempotencyKey }), {
        name: 'TypeError',
        message: 'permissions.add: idempotencyKey must be 1 to 255 printable ASCII characters',
      })
    assert.equal(server.received.length, 0)
  })

  it('is not repeated because onWarning throws', async () => {
    const result = { status: 'success', data: {}, warnings: [{ code: 'public_access', message: 'Everybody.' }] }
    const server = await scripted({ status: 200, body: JSON.stringify({ result }) })
    const onWarning = () => {
      throw new Error('of the caller')
    }
    const client = createClient({ url: baseOf(server), apiKey: 'a', authToken: 'b', onWarning })
    await assert.rejects(client.permissions.add(grant), { message: 'of the caller' })
    assert.equal(server.received.length, 1)
  })

  it('from a page sends only headers that the server allows for pages', async () => {
    const server = await scripted(SUCCESS)
    await createUserClient({ url: baseOf(server), userToken: 'a.b.c' }).permissions.get({ organizationId: 'acme' })
    const headers = Object.entries(server.received[0]?.headers ?? {})
    // Headers that a browser, or Node instead of it, adds itself.
    const added = /^(host|connection|accept|accept-language|accept-encoding|user-agent|sec-fetch-mode|content-length)$/
    assert.deepEqual(
      headers.filter(([name]) => !added.test(name)),
      [
        ['authorization', 'Bearer a.b.c'],
        ['content-type', 'application/json'],
      ],
    )
  })

  it('sends the credentials of its client and nothing else that identifies it', async () => {
    const server = await scripted(SUCCESS)
    await clientOf(server).domains.get()
    const url = `${baseOf(server)}/behind/a/path/`
    await createWorkspaceClient({ url, headerPrefix: 'acme', workspaceId: 'w', workspaceToken: 't' }).workspaces.get()
    await createPublicClient({ url, signupToken: 'please' }).workspaces.create({ ownerEmail: 'ada@example.com' })
    const ours = server.received.map(({ headers }) => Object.entries(headers).filter(([name]) => name.startsWith('x-')))
    assert.deepEqual(ours, [
      [
        ['x-service-api-key', 'chk_test_a'],
        ['x-service-auth-token', 'secret'],
      ],
      [
        ['x-acme-workspace-id', 'w'],
        ['x-acme-auth-token', 't'],
      ],
      [['x-service-signup-token', 'please']],
    ])
    assert.equal(server.received[1]?.path, '/behind/a/path/v2/workspace/get')
  })
})
