/**
 * Console sessions in every operation: each session has access only to its own workspace or key, and pages of other
 * sites cannot use it.
 */
import assert from 'node:assert/strict'
import { beforeAll, describe, it } from 'vitest'
import { type Operation, SCOPES, type Scope } from '#contract/core/operation.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { createAuthToken } from '#contract/keys/auth-tokens.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { getOrganizations } from '#contract/resources/organizations.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf, type Callers, newCallers } from './support/callers.ts'
import { asHolder, asOwner, SESSION, signIn, startSession } from './support/console-session.ts'
import { refused, withoutRequestId } from './support/refused.ts'

const server = await sharedServer()
const OF_A_KEY = OPERATIONS.filter(({ credentials }) => credentials === 'apiKey')
const OF_A_WORKSPACE = OPERATIONS.filter(({ credentials }) => credentials === 'workspace')
const CONSOLE = ['/console/session/get', '/console/session/end', '/console/overview/get', '/console/mail/get']

const naming = (session: Client, apiKey: string) => session.with({ ...session.headers, 'x-service-api-key': apiKey })
const nobodys = (apiKey: string): string => apiKey.replace(/.{6}$/, apiKey.endsWith('000000') ? '111111' : '000000')

let mine: Callers
let theirs: Callers
beforeAll(async () => {
  mine = await newCallers(server.url)
  theirs = await newCallers(server.url)
})

async function assertUnknown(session: Client, apiKey: string): Promise<void> {
  for (const { path, example } of OF_A_KEY) {
    const answer = await naming(session, apiKey).post(path, example)
    refused(answer, 'UNAUTHENTICATED')
    const unknown = await naming(session, nobodys(apiKey)).post(path, example)
    assert.equal(withoutRequestId(answer), withoutRequestId(unknown), path)
  }
}

describe('a session of a workspace', () => {
  it('has no access to the API keys of another workspace, and cannot tell whether they exist', async () => {
    await assertUnknown(await signIn(server.client, asOwner(mine)), apiKeyOf(theirs.apiKey))
  })
})

describe('a session of an API key', () => {
  it('has no access to other keys, also of its own workspace', async () => {
    const { apiKey: sibling } = await mine.workspace.call(createApiKey, createApiKey.example)
    await assertUnknown(await signIn(server.client, asHolder(mine)), sibling)
  })

  it('cannot call operations of the workspace', async () => {
    const session = await signIn(server.client, asHolder(mine))
    for (const { path, example } of OF_A_WORKSPACE) refused(await session.post(path, example), 'UNAUTHENTICATED')
  })

  it('has exactly the scopes of its token', async () => {
    const apiKey = apiKeyOf(mine.apiKey)
    const sessionWith = async (...scopes: Scope[]) => {
      const { authToken } = await mine.workspace.call(createAuthToken, { apiKey, name: scopes.join(), scopes })
      return signIn(server.client, { apiKey, token: authToken.token })
    }
    for (const scope of SCOPES) {
      const [alone, others] = [await sessionWith(scope), await sessionWith(...SCOPES.filter((one) => one !== scope))]
      for (const { path } of OF_A_KEY.filter((operation) => operation.scope === scope)) {
        refused(await alone.raw(path, '{"data":'), 'INVALID_ARGUMENT')
        assert.equal(refused(await others.raw(path, '{"data":'), 'PERMISSION_DENIED').reason, 'scope_missing', path)
      }
      const { http } = await alone.post('/console/overview/get', {})
      assert.equal(http, scope === 'read' ? 200 : 403, scope)
    }
  })
})

describe('a user token', () => {
  it('does not sign in at the console, in any header or cookie', async () => {
    const apiKey = apiKeyOf(mine.apiKey)
    const { token } = await mine.apiKey.call(generateToken, { userId: 'ada' })
    for (const data of [
      { apiKey, token },
      { workspaceId: asOwner(mine).workspaceId, token },
    ]) {
      const { http, headers } = await startSession(server.client, data, { authorization: `Bearer ${token}` })
      assert.ok(http === 400 || http === 401)
      assert.equal(headers.get('set-cookie'), null)
    }
    const places: Record<string, string>[] = [
      { cookie: `commonhold-console=${token}` },
      { authorization: `Bearer ${token}` },
      { 'x-service-auth-token': token },
    ]
    const callers = places.map((place) => server.client.with({ ...SESSION, 'x-service-api-key': apiKey, ...place }))
    const isForUsers = ({ userToken }: Operation) => userToken === true
    for (const caller of callers) {
      const operations = [...OF_A_KEY, ...OF_A_WORKSPACE].filter((operation) => !isForUsers(operation))
      for (const { path, example } of operations) refused(await caller.post(path, example), 'UNAUTHENTICATED')
      refused(await caller.post('/console/overview/get', {}), 'UNAUTHENTICATED')
      assert.deepEqual((await caller.post('/console/session/get', {})).body.result.data, {})
    }
  })
})

describe('a page of another site', () => {
  /** The headers that a page can send without a preflight, in addition to the cookie that the browser adds. */
  const SIMPLE = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']

  it('cannot call anything with the cookie alone, in any form', async () => {
    const { cookie = '' } = (await signIn(server.client, asOwner(mine))).headers
    const from = { cookie, origin: 'https://elsewhere.example.com', 'sec-fetch-site': 'same-site' }
    const page = naming(server.client.with(from), apiKeyOf(mine.apiKey))
    for (const { path, example } of [...OF_A_KEY, ...OF_A_WORKSPACE])
      for (const type of ['application/json', ...SIMPLE]) {
        const answer = await page.raw(path, JSON.stringify({ data: example }), { 'content-type': type })
        assert.equal(refused(answer, 'INVALID_ARGUMENT').reason, 'header_missing', `${path} as ${type}`)
      }
    for (const path of CONSOLE)
      for (const type of ['application/json', ...SIMPLE])
        refused(await page.raw(path, '{"data":{}}', { 'content-type': type }), 'INVALID_ARGUMENT')
    const session = naming(server.client.with({ ...SESSION, cookie }), apiKeyOf(mine.apiKey))
    assert.equal((await session.post(getOrganizations.path, {})).http, 200)
  })

  it('is not allowed to send the header that the cookie requires, and cannot call anything with other methods', async () => {
    for (const path of [...OPERATIONS.map((operation) => operation.path), ...CONSOLE, '/console/session/start']) {
      const preflight = await fetch(server.url + path, {
        method: 'OPTIONS',
        headers: { origin: 'https://elsewhere.example.com', 'access-control-request-headers': 'x-service-session' },
      })
      assert.doesNotMatch(preflight.headers.get('access-control-allow-headers') ?? '', /session/i)
      assert.equal(preflight.headers.get('access-control-allow-credentials'), null)
      const get = await fetch(server.url + path, { headers: SESSION })
      assert.ok(!(get.headers.get('content-type') ?? '').includes('json') || get.status === 404, path)
    }
  })
})
