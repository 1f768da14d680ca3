/**
 * Calls from pages: a user token can ask only about its own user, and only pages of allowed hosts can read the response
 * (rules/keys.md#allowed-domains, rules/access.md#what-a-user-token-may-do).
 */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, type JWTPayload, SignJWT } from 'jose'
import { afterEach, beforeAll, describe, it } from 'vitest'
import { checkPermissions, getPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { addDomains, deleteDomains } from '#contract/keys/domains.ts'
import { rotateSigningKeys } from '#contract/keys/signing-keys.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { generateToken, revokeTokens } from '#contract/users/user-tokens.ts'
import { listeningUrl } from '#http/server.ts'
import { createLog } from '#platform/log.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { type Answer, type Client, createClient } from '#testing/client.ts'
import { createStore, MASTER_KEY, startServer } from '#testing/server.ts'
import { buildApp } from '../../server/app.ts'
import { readConfig } from '../../server/config.ts'
import { apiKeyOf, newCallers } from './support/callers.ts'
import { refused, refusedField, withoutRequestId } from './support/refused.ts'

const server = await startServer()
afterEach(() => server.clock.set(null))

const PAGE = 'https://app.example.com'
const organizationId = 'acme'
const ask = { organizationId }
let key: Client
let token: string

const as = (bearer: string, headers: Record<string, string> = {}) =>
  createClient(server.url, { authorization: `Bearer ${bearer}`, ...headers })
const from = (origin: string, bearer = token) => as(bearer, { origin })
const get = (client: Client, data: object = ask) => client.post(getPermissions.path, data)
const allowedFor = ({ headers }: Answer) => headers.get('access-control-allow-origin')

beforeAll(async () => {
  key = await server.newKey()
  await key.call(addDomains, { domains: ['app.example.com', '*.wild.example.org', 'http://www.localhost.test:3000'] })
  await key.call(addOrganizations, { organizations: [{ organizationId }] })
  await key.call(addPermissions, {
    user: { userId: 'ada' },
    permissions: { resources: [{ type: 'organization', id: organizationId, accessRole: 'viewer' }] },
  })
  token = (await key.call(generateToken, { userId: 'ada' })).token
})

describe('a user token', () => {
  it('can ask about its own user, named or not, with or without the API key', async () => {
    for (const client of [as(token), as(token, { 'x-service-api-key': apiKeyOf(key) })])
      for (const data of [ask, { ...ask, userIds: ['ada'] }, { ...ask, userIds: ['ada', 'ada'] }]) {
        const answer = await get(client, data)
        assert.equal(answer.http, 200, answer.text)
        assert.deepEqual(Object.keys(answer.body.result.data), ['ada'])
        assert.equal(answer.body.result.data.ada.organization.acme.accessRole, 'viewer')
      }
  })

  it('can check its own user, named or not', async () => {
    const resource = { type: 'organization', id: organizationId }
    const { body } = await as(token).post(checkPermissions.path, {
      checks: [{ resource }, { userId: 'ada', resource }],
    })
    assert.deepEqual(
      body.result.data.checks.map(({ accessRole }: { accessRole: string }) => accessRole),
      ['viewer', 'viewer'],
    )
  })

  it('is refused for any other user', async () => {
    const resource = { type: 'organization', id: organizationId }
    for (const userIds of [['bob'], ['ada', 'bob'], ['Ada']]) {
      assert.equal(refused(await get(as(token), { ...ask, userIds }), 'PERMISSION_DENIED').reason, 'other_user')
      const checks = userIds.map((userId) => ({ userId, resource }))
      const answer = await as(token).post(checkPermissions.path, { checks })
      assert.equal(refused(answer, 'PERMISSION_DENIED').reason, 'other_user')
    }
  })

  it('may omit the users, which an auth token must name', async () => {
    refusedField(await get(key), 'userIds', 'userIds is required')
    refusedField(await get(as(token), { ...ask, userIds: [] }), 'userIds')
    refusedField(await get(as(token), {}), 'organizationId', 'organizationId is required')
  })

  it('is accepted only by the operations that the contract opens to it', async () => {
    assert.deepEqual(
      OPERATIONS.filter(({ userToken }) => userToken).map(({ name }) => name),
      [
        ...['threads.add', 'threads.get', 'threads.update', 'threads.delete'],
        ...['threads.count', 'threads.read', 'thread-subscriptions.set', 'mentionable-users.list'],
        ...['comments.add', 'comments.get', 'comments.update', 'comments.delete'],
        ...['permissions.get', 'permissions.check', 'sharing.get', 'sharing-targets.list', 'sharing.update'],
        'activities.get',
        ...[
          'notifications.get',
          'notifications.update',
          'notification-preferences.set',
          'notification-preferences.get',
        ],
        'search.find',
      ],
    )
    for (const { path, example, userToken, credentials } of OPERATIONS) {
      if (userToken || credentials === 'none') continue
      const answer = await as(token, { 'x-service-api-key': apiKeyOf(key), origin: PAGE }).post(path, example)
      assert.equal(refused(answer, 'INVALID_ARGUMENT').reason, 'header_missing', path)
      assert.equal(allowedFor(answer), null)
    }
  })

  it('reflects changes immediately: it contains the user, not what the user may do', async () => {
    const resource = { type: 'organization' as const, id: 'changing' }
    const roleOf = async () =>
      (await get(as(token), { organizationId: 'changing' })).body.result.data.ada.organization.changing.accessRole
    for (const accessRole of ['viewer', 'editor'] as const) {
      await key.call(addPermissions, {
        user: { userId: 'ada' },
        permissions: { resources: [{ ...resource, accessRole }] },
      })
      assert.equal(await roleOf(), accessRole)
    }
  })

  it('is ignored beside an auth token', async () => {
    const both = createClient(server.url, { ...key.headers, authorization: `Bearer ${token}` })
    assert.deepEqual(Object.keys((await get(both, { ...ask, userIds: ['bob'] })).body.result.data), ['bob'])
  })

  it('counts towards the rate limit of its API key, and its page can read the refusal', async () => {
    const limited = await startServer({ RATE_LIMIT_PER_KEY: '3' })
    const owner = await limited.newKey()
    await owner.call(addDomains, { domains: [PAGE] })
    const bearer = (await owner.call(generateToken, { userId: 'ada' })).token
    const page = createClient(limited.url, { authorization: `Bearer ${bearer}`, origin: PAGE })
    const answers = await Promise.all(Array.from({ length: 8 }, () => get(page)))
    const last = answers.find(({ http }) => http === 429)
    assert.ok(last)
    refused(last, 'RESOURCE_EXHAUSTED')
    assert.equal(allowedFor(last), PAGE)
    for (const name of ['retry-after', 'ratelimit', 'ratelimit-policy']) {
      assert.ok(last.headers.get(name))
      assert.match(last.headers.get('access-control-expose-headers') ?? '', new RegExp(name, 'i'))
    }
  })
})

describe('UNAUTHENTICATED', () => {
  const claims = () => decodeJwt(token)
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const forged = (payload: JWTPayload, kid = String(decodeProtectedHeader(token).kid)) =>
    new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey)
  const unsigned = (header: object, payload: object) =>
    `${[header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`

  it('is the same response, byte for byte, for every invalid token', async () => {
    const other = await server.newKey()
    const theirs = (await other.call(generateToken, { userId: 'ada' })).token
    const { kid } = decodeProtectedHeader(token)
    const [header = '', payload = '', signature = ''] = token.split('.')
    const eve = Buffer.from(JSON.stringify({ ...claims(), sub: 'eve' })).toString('base64url')
    const wrong = [
      'nonsense',
      'a.b.c',
      `${header}.${payload}.`,
      `${header}.${eve}.${signature}`,
      await forged(claims()),
      await forged({ ...claims(), aud: apiKeyOf(other) }),
      await forged(claims(), 'unknown'),
      await forged(claims(), 'x'.repeat(500)),
      unsigned({ alg: 'none', kid }, claims()),
      unsigned({ alg: 'HS256', kid }, claims()),
      unsigned({ alg: 'ES256', kid }, { ...claims(), aud: ['x'], exp: 'never' }),
      apiKeyOf(key),
      key.headers['x-service-auth-token'] ?? '',
    ]
    const answers = await Promise.all(wrong.map((bearer) => get(as(bearer))))
    answers.push(await get(as(theirs, { 'x-service-api-key': apiKeyOf(key) })))
    answers.push(await get(as(token, { 'x-service-api-key': 'nonsense' })))
    for (const answer of answers) {
      refused(answer, 'UNAUTHENTICATED')
      assert.equal(withoutRequestId(answer), withoutRequestId(answers[0] ?? answer))
    }
  })

  it('is the response to a token that has expired by the clock of the database, and its page can read it', async () => {
    const { exp = 0 } = claims()
    server.clock.set(new Date((exp - 1) * 1000))
    assert.equal((await get(from(PAGE))).http, 200)
    server.clock.set(new Date(exp * 1000))
    const expired = await get(from(PAGE))
    refused(expired, 'UNAUTHENTICATED')
    assert.equal(allowedFor(expired), PAGE)
  })

  it('is the response to a token whose signing key was rotated out, from the next request on', async () => {
    const own = await server.newKey()
    const bearer = (await own.call(generateToken, { userId: 'ada' })).token
    const none = { ...ask, skipResourceExistenceValidation: true }
    assert.equal((await get(as(bearer), none)).http, 200)
    await own.call(rotateSigningKeys, { gracePeriodSeconds: 0 })
    refused(await get(as(bearer), none), 'UNAUTHENTICATED')
  })

  it('is the response to a token of another issuer', async () => {
    const elsewhere = await startServer({ PUBLIC_URL: 'https://api.example.com' })
    const own = await elsewhere.newKey()
    const bearer = (await own.call(generateToken, { userId: 'ada' })).token
    const client = createClient(elsewhere.url, { authorization: `Bearer ${bearer}` })
    assert.equal((await get(client, { ...ask, skipResourceExistenceValidation: true })).http, 200)
    const { rows } = await elsewhere.db.query('select * from signing_keys where api_key_id = $1', [apiKeyOf(own)])
    assert.equal(rows.length, 1)
    refused(await get(as(bearer)), 'UNAUTHENTICATED')
  })
})

it('a user token of a disabled API key is PERMISSION_DENIED, and its page can read the response', async () => {
  const callers = await newCallers(server.url)
  await callers.apiKey.call(addDomains, { domains: [PAGE] })
  const bearer = (await callers.apiKey.call(generateToken, { userId: 'ada' })).token
  await callers.workspace.post('/v2/workspace/apikey/disable', { apiKey: apiKeyOf(callers.apiKey) })
  const answer = await get(from(PAGE, bearer))
  assert.equal(refused(answer, 'PERMISSION_DENIED').reason, 'api_key_disabled')
  assert.equal(allowedFor(answer), PAGE)
})

describe('a page', () => {
  it('of an allowed host is served, and only its origin is allowed in the response', async () => {
    for (const origin of [
      PAGE,
      'http://app.example.com:8080',
      'https://www.app.example.com',
      'https://a.wild.example.org',
      'https://www.b.wild.example.org:444',
      'http://localhost.test',
    ]) {
      const answer = await get(from(origin))
      assert.equal(answer.http, 200, origin)
      assert.equal(allowedFor(answer), origin)
      assert.equal(answer.headers.get('vary'), 'Origin')
      assert.equal(answer.headers.get('access-control-allow-credentials'), null)
    }
  })

  it('of the server itself is served', async () => {
    assert.equal(allowedFor(await get(from(server.url))), server.url)
  })

  it('of any other host is refused, and cannot read the refusal', async () => {
    for (const origin of [
      'https://example.com',
      'https://app.example.com.evil.test',
      'https://evilapp.example.com',
      'https://wild.example.org',
      'https://evilwild.example.org',
      `${server.url}0`,
      'null',
      'nonsense',
    ]) {
      const answer = await get(from(origin))
      const { reason, message } = refused(answer, 'PERMISSION_DENIED')
      assert.equal(reason, 'origin_not_allowed', origin)
      assert.match(message, /workspace\/domains\/add/)
      assert.deepEqual([allowedFor(answer), answer.headers.get('vary')], [null, null])
    }
  })

  it('is refused with an empty list, and from the next call on after its host was deleted', async () => {
    const own = await server.newKey()
    const bearer = (await own.call(generateToken, { userId: 'ada' })).token
    const none = { ...ask, skipResourceExistenceValidation: true }
    refused(await get(from(PAGE, bearer), none), 'PERMISSION_DENIED')
    await own.call(addDomains, { domains: [PAGE] })
    assert.equal((await get(from(PAGE, bearer), none)).http, 200)
    await own.call(deleteDomains, { domains: [PAGE] })
    refused(await get(from(PAGE, bearer), none), 'PERMISSION_DENIED')
    assert.equal((await get(as(bearer), none)).http, 200)
  })

  it('can read every refusal if its host is allowed', async () => {
    const answers = [
      await get(from(PAGE), {}),
      await get(from(PAGE), { ...ask, userIds: ['bob'] }),
      await get(from(PAGE), { organizationId: 'nowhere' }),
      await from(PAGE).raw(getPermissions.path, '{"data":'),
      await from(PAGE).raw(getPermissions.path, '{}', { 'content-type': 'text/plain' }),
      await get(from(PAGE, `${token}x`)),
    ]
    assert.deepEqual(
      answers.map(({ http }) => http),
      [400, 403, 404, 400, 400, 401],
    )
    for (const answer of answers) assert.equal(allowedFor(answer), PAGE, answer.text)
  })
})

for (const { name, path, example } of OPERATIONS.filter(({ userToken }) => userToken))
  describe(`${name} with a user token`, () => {
    it('serves only pages of allowed hosts and of the server itself, until the token is revoked', async () => {
      const own = await server.newKey()
      const { token: bearer } = await own.call(generateToken, { userId: 'ada' })
      const call = (origin: string) => from(origin, bearer).post(path, example)
      assert.equal(refused(await call(PAGE), 'PERMISSION_DENIED').reason, 'origin_not_allowed')
      await own.call(addDomains, { domains: ['*.example.com'] })
      for (const origin of [PAGE, server.url]) {
        const answer = await call(origin)
        assert.equal(allowedFor(answer), origin)
        assert.notEqual(answer.body.error?.reason, 'origin_not_allowed', answer.text)
      }
      assert.equal(refused(await call('https://evil.test'), 'PERMISSION_DENIED').reason, 'origin_not_allowed')
      await own.call(revokeTokens, { userId: 'ada' })
      const answer = await call(PAGE)
      refused(answer, 'UNAUTHENTICATED')
      assert.equal(allowedFor(answer), PAGE)
    })
  })

describe('a preflight', () => {
  const preflight = (path: string, headers: Record<string, string>) =>
    fetch(server.url + path, { method: 'OPTIONS', headers })

  it('gets the same response for every page, without credentials', async () => {
    for (const origin of [PAGE, 'https://evil.test']) {
      const answer = await preflight(getPermissions.path, {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      })
      assert.equal(answer.status, 204)
      assert.equal(await answer.text(), '')
      assert.equal(answer.headers.get('access-control-allow-origin'), origin)
      assert.equal(answer.headers.get('access-control-allow-methods'), 'POST')
      assert.equal(answer.headers.get('access-control-allow-credentials'), null)
      const allowed = (answer.headers.get('access-control-allow-headers') ?? '').toLowerCase()
      assert.equal(allowed, 'authorization, content-type, idempotency-key, last-event-id, x-service-api-key')
    }
  })

  it('is not found for operations that pages cannot call', async () => {
    for (const { path, userToken } of OPERATIONS) {
      const { status, headers } = await preflight(path, { origin: PAGE, 'access-control-request-method': 'POST' })
      assert.equal(status, userToken ? 204 : 404, path)
      if (!userToken) assert.equal(headers.get('access-control-allow-origin'), null)
    }
  })
})

describe('an auth token from a page', () => {
  it('is served without an allowed origin, and logs a warning', async () => {
    const lines: string[] = []
    const { db, remove } = await createStore()
    const log = createLog('warn', { write: (line) => lines.push(line) })
    const app = await buildApp({
      config: readConfig({ SIGNUP: 'open', RATE_LIMIT_PUBLIC: '0' }),
      masterKey: MASTER_KEY,
      db,
      log,
    })
    cleanUp(async () => {
      await app.stop()
      await db.close()
      await remove()
    })
    await app.http.listen({ host: '127.0.0.1', port: 0 })
    const url = listeningUrl(app.http, '127.0.0.1')
    const { apiKey, workspace } = await newCallers(url)
    const at = (client: Client, origin: string) => client.with({ ...client.headers, origin })
    assert.equal((await at(apiKey, url).post(getOrganizations.path, {})).http, 200)
    assert.equal(lines.length, 0)
    const answer = await at(apiKey, PAGE).post(getOrganizations.path, {})
    assert.deepEqual([answer.http, allowedFor(answer)], [200, null])
    assert.equal((await at(workspace, PAGE).post('/v2/workspace/get', {})).http, 200)
    assert.equal(lines.length, 2)
    for (const line of lines) {
      assert.match(line, /has reached a browser/)
      assert.ok(line.includes(PAGE) && !line.includes(apiKey.headers['x-service-auth-token'] ?? '-'))
    }
  })
})
