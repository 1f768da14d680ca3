/**
 * A permission provider that fails is an error with its cause, never a denial, and nothing of its answer is stored
 * (rules/access.md#permission-providers).
 */
import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, it } from 'vitest'
import { checkPermissions, getPermissions } from '#contract/access/decisions.ts'
import { listGrants } from '#contract/access/grants.ts'
import { type ProviderFailure, updatePermissionProviderConfig } from '#contract/access/permission-provider.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { sharedServer, startServer } from '#testing/server.ts'
import {
  ACME,
  type AskingUser,
  entriesFor,
  ROADMAP,
  responseWith,
  startAskingUser,
  userOf,
} from '#testing/stand-ins/permission-provider.ts'
import type { Received, Reply } from '#testing/stand-ins/receiver.ts'
import { refused } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })

const ask = ({ ada }: Pick<AskingUser, 'ada'>) =>
  ada.post(checkPermissions.path, { checks: [{ resource: ROADMAP }, { resource: ACME }] })

const granted = (received: Received) => entriesFor(received, () => ({ hasAccess: true }))

/** Returns a reply whose first entry, which is about a document, has other fields. */
const withFirst = (fields: object) => (received: Received) => {
  const [first, ...rest] = granted(received)
  return responseWith([{ ...first, ...fields }, ...rest])
}

const json = (body: string): Reply => ({ status: 200, headers: { 'content-type': 'application/json' }, body })

const NOW = Date.now()

/** Responses of a provider, and the cause that is reported for each. */
const ANSWERS: [what: string, cause: ProviderFailure, reply: (received: Received) => Reply][] = [
  ['nothing', 'timeout', () => 'hang'],
  ['a connection that breaks off', 'not_reached', () => 'break'],
  ['the status 500', 'status', () => ({ status: 500 })],
  ['the status 201', 'status', (received) => ({ ...(responseWith(granted(received)) as object), status: 201 })],
  ['a redirect', 'redirect', () => ({ status: 302, headers: { location: 'http://127.0.0.1:1/' } })],
  ['a redirect that keeps the method', 'redirect', () => ({ status: 307, headers: { location: '/elsewhere' } })],
  ['an empty body', 'malformed', () => json('')],
  ['HTML', 'malformed', () => ({ status: 200, body: '<html></html>' })],
  ['half a document', 'malformed', () => json('{"data": [')],
  ['a list', 'malformed', () => json('[]')],
  ['null', 'malformed', () => json('null')],
  ['deep nesting', 'malformed', () => json('['.repeat(100_000))],
  ['no data', 'malformed', () => responseWith(undefined)],
  ['data that is an object', 'malformed', () => responseWith({})],
  ['an entry that is no object', 'malformed', (received) => responseWith([...granted(received), null])],
  ['success: false', 'unsuccessful', (received) => responseWith(granted(received), { success: false })],
  ['success as a text', 'unsuccessful', (received) => responseWith(granted(received), { success: 'true' })],
  ['statusCode 500', 'unsuccessful', (received) => responseWith(granted(received), { statusCode: 500 })],
  ['no statusCode', 'unsuccessful', (received) => responseWith(granted(received), { statusCode: undefined })],
  ['hasAccess as a text', 'malformed', withFirst({ hasAccess: 'true' })],
  ['no hasAccess', 'malformed', withFirst({ hasAccess: undefined })],
  ['another document', 'unasked', withFirst({ resourceId: 'other' })],
  ['another type', 'unasked', withFirst({ type: 'folder' })],
  ['a context', 'unasked', withFirst({ type: 'context' })],
  ['another organization', 'unasked', withFirst({ organizationId: 'other' })],
  ['no organization', 'unasked', withFirst({ organizationId: undefined })],
  ['another user', 'unasked', withFirst({ userId: 'bob' })],
  ['no answer to one question', 'unanswered', (received) => responseWith(granted(received).slice(1))],
  ['no answers', 'unanswered', () => responseWith([])],
  [
    'two answers to one question',
    'answered_twice',
    (received) => responseWith([...granted(received), granted(received)[0]]),
  ],
  ['an unknown role', 'role_unknown', withFirst({ accessRole: 'owner' })],
  ['a role that is no text', 'role_unknown', withFirst({ accessRole: ['editor'] })],
  ['a misspelt role', 'malformed', withFirst({ accesRole: 'viewer' })],
  ['a role under another name', 'malformed', withFirst({ role: 'viewer' })],
  ['an expiry under another name', 'malformed', withFirst({ expires_at: NOW + 60_000 })],
  ['a span in place of an expiry', 'malformed', withFirst({ ttlSeconds: 60 })],
  [
    'two answers in one entry',
    'malformed',
    (received) =>
      json(
        JSON.stringify({ data: granted(received), success: true, statusCode: 200 }).replace(
          '"hasAccess":',
          '"hasAccess":false,"hasAccess":',
        ),
      ),
  ],
  ['a role beside data', 'malformed', (received) => responseWith(granted(received), { accessRole: 'viewer' })],
  ['an expiry as a text', 'expiry_invalid', withFirst({ expiresAt: String(NOW + 60_000) })],
  ['an expiry in microseconds', 'expiry_invalid', withFirst({ expiresAt: NOW * 1000 * 1000 })],
  ['an expiry in the past', 'expired', withFirst({ expiresAt: NOW - 60_000 })],
  ['an expiry in seconds', 'expired', withFirst({ expiresAt: Math.floor(NOW / 1000) + 3_600 })],
  ['a negative expiry', 'expired', withFirst({ expiresAt: -1 })],
  [
    'a wrong signature',
    'signature_wrong',
    (received) => responseWith(granted(received), { signature: 'a'.repeat(64) }),
  ],
  ['a signature that is none', 'signature_wrong', (received) => responseWith(granted(received), { signature: true })],
  ['two MiB', 'too_large', (received) => responseWith(granted(received), { message: 'x'.repeat(2 ** 21) })],
]

describe('a permission provider that sends', () => {
  let user: AskingUser
  beforeAll(async () => {
    user = await startAskingUser(server)
  })

  for (const [what, cause, reply] of ANSWERS)
    it(`${what} fails with ${cause}`, async () => {
      user.provider.answer = reply
      const { reason, message, details } = refused(await ask(user), 'UNAVAILABLE')
      assert.deepEqual([reason, details], ['permission_provider_failed', { cause }])
      assert.match(message, /^The permission provider of the API key /)
      assert.ok(!message.includes('127.0.0.1'), message)
      assert.deepEqual((await user.key.call(listGrants, { organizationId: 'acme' })).grants, [])
    })
})

/** Starts an HTTP server that is not a receiver, as the provider of a user. */
async function answeredBy(user: AskingUser, respond: (response: ServerResponse) => void): Promise<void> {
  const http = createServer((_, response) => respond(response))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  cleanUp(() => {
    http.closeAllConnections()
    http.close()
  })
  const { port } = http.address() as { port: number }
  await user.key.call(updatePermissionProviderConfig, {
    permissionProviderConfig: { permissionProviderUrl: `http://127.0.0.1:${port}/` },
  })
}

/** The response has 8 MiB when it is decompressed. */
const COMPRESSED = gzipSync(Buffer.alloc(2 ** 23, ' '))

const causeOf = async (user: AskingUser): Promise<string> => refused(await ask(user), 'UNAVAILABLE').details.cause

describe.concurrent('a permission provider', () => {
  it('that sends without end is cut off', async () => {
    const user = await startAskingUser(server)
    await answeredBy(user, (response) => {
      response.writeHead(200)
      const more = () => {
        if (response.destroyed) return
        response.write('x'.repeat(64 * 1024))
        setImmediate(more)
      }
      more()
    })
    assert.equal(await causeOf(user), 'too_large')
  })

  it('that sends slowly is cut off after five seconds', async () => {
    const user = await startAskingUser(server)
    await answeredBy(user, (response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write(' '), 100)
      response.on('close', () => clearInterval(timer))
    })
    const began = performance.now()
    assert.equal(await causeOf(user), 'timeout')
    assert.ok(performance.now() - began > 4_900)
  })

  it('that compresses its response is not decompressed', async () => {
    const user = await startAskingUser(server)
    await answeredBy(user, (response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(COMPRESSED)
    })
    assert.equal(await causeOf(user), 'encoded')
  })

  it('that does not exist cannot be reached', async () => {
    const user = await startAskingUser(server)
    const permissionProviderConfig = { permissionProviderUrl: 'http://127.0.0.1:1/' }
    await user.key.call(updatePermissionProviderConfig, { permissionProviderConfig })
    assert.equal(await causeOf(user), 'not_reached')
  })

  it('is asked a second time when the first try fails', async () => {
    const user = await startAskingUser(server)
    const answer = user.provider.answer
    user.provider.answer = () => {
      user.provider.answer = answer
      return { status: 503 }
    }
    assert.equal((await ask(user)).http, 200)
    assert.equal(user.provider.received.length, 2)
  })

  it('fails permissions/get as well', async () => {
    const user = await startAskingUser(server)
    user.provider.answer = () => ({ status: 404 })
    const answer = await user.ada.post(getPermissions.path, { organizationId: 'acme', documentIds: ['roadmap'] })
    const { reason, details } = refused(answer, 'UNAVAILABLE')
    assert.deepEqual([reason, details], ['permission_provider_failed', { cause: 'status' }])
  })

  it('does not fail a call that stored grants allow', async () => {
    const user = await startAskingUser(server)
    user.provider.answer = () => ({ status: 500 })
    const resources = [ROADMAP, ACME]
    await user.key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources } })
    assert.equal((await ask(user)).http, 200)
  })
})

describe('an internal address', () => {
  it('is not connected to, even if it was allowed when it was set', async () => {
    const store = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'false' })
    const allowing = await startAskingUser(server)
    const key = await store.newKey()
    const url = JSON.stringify({ permissionProviderUrl: allowing.provider.url })
    await key.call(updatePermissionProviderConfig, { usePermissionProvider: true })
    await store.db.query('update api_keys set permission_provider_config = $1::jsonb', [url])
    const answer = await (await userOf(key)).post(checkPermissions.path, { checks: [{ resource: ACME }] })
    assert.equal(refused(answer, 'UNAVAILABLE').details.cause, 'address_not_allowed')
    assert.deepEqual(allowing.asked(), [])
  })
})
