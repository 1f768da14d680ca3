/** Errors of a client that is created or used wrongly say what was wrong and what to do next, without secrets. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import {
  type ClientOptions,
  CommonholdError,
  createClient,
  createUserClient,
  createWorkspaceClient,
} from '#sdk/index.ts'
import { type Reply, startReceiver } from '#testing/stand-ins/receiver.ts'

const made = (options: Partial<ClientOptions>) => () =>
  createClient({ url: 'http://127.0.0.1:2', apiKey: 'chk_test_a', authToken: 'secret', ...options })

async function failureOf(options: Partial<ClientOptions>): Promise<CommonholdError> {
  const error = await made({ triesMax: 1, ...options })()
    .domains.get()
    .then(
      () => assert.fail('it succeeded'),
      (reason: unknown) => reason,
    )
  assert.ok(error instanceof CommonholdError, String(error))
  assert.equal(error.operation, 'domains.get')
  assert.doesNotMatch(`${error.message} ${JSON.stringify(error)}`, /secret/)
  return error
}

async function failureWith(reply: Reply): Promise<CommonholdError> {
  const server = await startReceiver(() => reply)
  return failureOf({ url: new URL(server.url).origin })
}

describe('creating a client', () => {
  const wrong: [string, Partial<ClientOptions>, RegExp][] = [
    ['no url', { url: '' }, /^url must be the address of the server, such as https:\/\/\S+; it is ""$/],
    ['a url without a scheme', { url: 'localhost:8080' }, /^url must begin with http:\/\/ or https:\/\//],
    ['half a url', { url: '127.0.0.1' }, /^url must be the address of the server/],
    [
      'a url with the path of the API',
      { url: 'http://localhost:8080/v2/' },
      /^url must be the address of the server without \/v2; it is http:\/\/localhost:8080\/v2$/,
    ],
    ['a url with a query', { url: 'http://localhost:8080/?a=1' }, /^url must be the address alone/],
    ['a url with a password', { url: 'http://me:secret@localhost' }, /^url must be the address alone/],
    ['no API key', { apiKey: '' }, /^apiKey is missing$/],
    ['no auth token', { authToken: undefined as unknown as string }, /^authToken is missing$/],
    ['an auth token with a line break', { authToken: 'secret\n' }, /^authToken has white space or other characters/],
    ['a header prefix that is none', { headerPrefix: 'x-service-' }, /^headerPrefix must be lower-case letters/],
  ]
  for (const [name, options, message] of wrong)
    it(`is refused with ${name}, without showing a secret`, () => {
      assert.throws(made(options), (error: unknown) => {
        assert.ok(error instanceof TypeError)
        assert.match(error.message, message)
        assert.doesNotMatch(error.message, /secret/)
        return true
      })
    })

  it('makes no call', () => {
    assert.equal(typeof made({})().domains.get, 'function')
  })
})

describe('a value that JSON has no form for', () => {
  it('is refused before the call, because it would be sent as null: a grant with NaN as its end would never expire', async () => {
    const server = await startReceiver(() => ({ status: 200, body: '{"result": {"status": "success"}}' }))
    const { grants, permissions, organizations } = made({ url: new URL(server.url).origin })()
    const resource = { type: 'document', id: 'd', organizationId: 'acme' } as const
    const ending = (expiresAt: unknown) => ({
      user: { userId: 'ada' },
      permissions: { resources: [resource, { ...resource, expiresAt: expiresAt as number }] },
    })
    for (const [end, shown] of [
      [Number.NaN, 'NaN'],
      [Date.parse('soon') / 1000, 'NaN'],
      [Number.POSITIVE_INFINITY, 'Infinity'],
      [new Date('soon'), 'Invalid Date'],
    ] as const)
      await assert.rejects(permissions.add(ending(end)), {
        name: 'TypeError',
        message: `permissions.add: expiresAt must not be ${shown}`,
      })
    const metadata = { organizationId: 'acme', nested: { ratio: 0 / 0 } }
    await assert.rejects(organizations.add({ organizations: [metadata] }), /: ratio must not be NaN/)
    await assert.rejects(grants.add({ grants: [{ userId: 'ada', ...resource, expiresAt: Number.NaN }] }), TypeError)
    assert.equal(server.received.length, 0)
    await organizations.add({
      organizations: [{ organizationId: 'acme', organizationName: null, note: 'null' }] as never,
    })
    assert.equal(server.received.length, 1)
  })
})

describe('a call that cannot reach the server', () => {
  it('names the address, and says what to check', async () => {
    const { status, reason, retryable, message, requestId, cause } = await failureOf({})
    assert.deepEqual([status, reason, retryable, requestId], ['UNAVAILABLE', 'unreachable', true, undefined])
    assert.equal(
      message,
      'domains.get: Cannot reach http://127.0.0.1:2 (ECONNREFUSED). Is the server running, and is the url right?',
    )
    assert.ok(cause instanceof Error)
  })

  it('says that there is no such host', async () => {
    assert.match(
      (await failureOf({ url: 'http://nowhere.invalid' })).message,
      /Cannot reach http:\/\/nowhere\.invalid \((ENOTFOUND|EAI_AGAIN)\)/,
    )
  })

  it('says to a page that its host may not be allowed', async () => {
    const client = createUserClient({ url: 'http://127.0.0.1:2', userToken: 'a.b.c', triesMax: 1 })
    await assert.rejects(client.permissions.get({ organizationId: 'acme' }), {
      message: /is the host of the page one of the allowed domains/,
    })
  })

  it('fails with the error of the token function', async () => {
    const userToken = async () => assert.fail('signed out')
    await assert.rejects(
      createUserClient({ url: 'http://127.0.0.1:2', userToken }).permissions.get({ organizationId: 'acme' }),
      { message: 'signed out' },
    )
  })
})

describe('a response that is not from Commonhold', () => {
  it('is described by the title of its page', async () => {
    const body = '<html><title>Welcome to\n nginx!</title><body>…'
    for (const http of [200, 404]) {
      const { status, reason, retryable, message } = await failureWith({
        status: http,
        headers: { 'content-type': 'text/html' },
        body,
      })
      assert.deepEqual([status, reason, retryable], ['UNIMPLEMENTED', 'not_commonhold', false])
      assert.match(
        message,
        new RegExp(
          `^domains\\.get: http://127\\.0\\.0\\.1:\\d+ responded with ${http}, but the response is not from Commonhold: “Welcome to nginx!”\\. Is the url right\\?`,
        ),
      )
    }
  })

  it('is described by its beginning if it is not a page', async () => {
    const body = JSON.stringify({ message: 'no Route matched', padding: 'x'.repeat(500) })
    const { reason, message } = await failureWith({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body,
    })
    assert.equal(reason, 'not_commonhold')
    assert.match(message, /“\{"message":"no Route matched"/)
    assert.ok(message.length < 350)
  })

  it('is reported to be empty', async () => {
    assert.match((await failureWith({ status: 204 })).message, /responded with 204, .*\(an empty body\)/)
  })

  it('is not followed if it is a redirect', async () => {
    const { reason, message } = await failureWith({ status: 301, headers: { location: 'https://elsewhere.example/' } })
    assert.equal(reason, 'not_commonhold')
    assert.match(message, /redirects to https:\/\/elsewhere\.example\/\. Set url to the address it redirects to\.$/)
  })

  it('can be that of a gateway', async () => {
    const { status, reason, retryable, message } = await failureWith({
      status: 504,
      body: '<title>504 Gateway Time-out</title>',
    })
    assert.deepEqual([status, reason, retryable], ['UNAVAILABLE', 'gateway_failed', true])
    assert.match(
      message,
      /responded with 504\. The response is from a proxy or gateway, not from Commonhold.*“504 Gateway Time-out”/,
    )
  })

  it('can be that of a rate limit in front of the server', async () => {
    const { status, reason, retryable, retryAfterMs } = await failureWith({
      status: 429,
      headers: { 'retry-after': '7' },
    })
    assert.deepEqual([status, reason, retryable, retryAfterMs], ['RESOURCE_EXHAUSTED', 'rate_limited', true, 7_000])
    assert.equal((await failureWith({ status: 413 })).reason, 'body_too_large')
  })

  it('can be truncated JSON', async () => {
    const body = '{"result": {"status": "succ'
    const { status, reason } = await failureWith({ status: 200, headers: { 'content-type': 'application/json' }, body })
    assert.deepEqual([status, reason], ['INTERNAL', 'answer_unreadable'])
  })

  it('can be a truncated body', async () => {
    const { reason } = await failureWith({ status: 200, headers: { 'content-length': '500' }, body: '{"result": {}}' })
    assert.ok(['unreachable', 'timed_out'].includes(reason), reason)
  })

  for (const body of [
    'null',
    '[]',
    '"result"',
    '{}',
    '{"result": null}',
    '{"result": {}}',
    '{"error": "no"}',
    '{"error": {"status": 5}}',
  ])
    it(`is ${body}`, async () => {
      assert.equal(
        (await failureWith({ status: 200, headers: { 'content-type': 'application/json' }, body })).reason,
        'not_commonhold',
      )
    })
})

describe('a client for a workspace', () => {
  it('is refused without its token', () => {
    assert.throws(() => createWorkspaceClient({ url: 'http://127.0.0.1:2', workspaceId: 'w', workspaceToken: '' }), {
      message: 'workspaceToken is missing',
    })
  })
})
