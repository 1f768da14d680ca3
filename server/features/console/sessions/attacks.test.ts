/** Attacks on console sessions: foreign cookies, guessing, proxies, and sessions that outlive their credentials. */

import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { SCOPES } from '#contract/core/operation.ts'
import { deleteApiKey, disableApiKey, enableApiKey, updateApiKey } from '#contract/keys/api-keys.ts'
import { createAuthToken, revokeAuthToken } from '#contract/keys/auth-tokens.ts'
import { getOrganizations } from '#contract/resources/organizations.ts'
import { getWorkspace } from '#contract/workspace/workspaces.ts'
import { listeningUrl } from '#http/server.ts'
import { createLog } from '#platform/log.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { createClient } from '#testing/client.ts'
import { createStore, MASTER_KEY, startServer } from '#testing/server.ts'
import { apiKeyOf, newCallers } from '../../../../test/conformance/support/callers.ts'
import {
  asHolder,
  asOwner,
  cookieOf,
  SESSION,
  signIn,
  startSession,
  whose,
} from '../../../../test/conformance/support/console-session.ts'
import { refused, withoutRequestId } from '../../../../test/conformance/support/refused.ts'
import { buildApp } from '../../../app.ts'
import { readConfig } from '../../../config.ts'

const server = await startServer()
const { client } = server

const secretIn = (setCookie: string): string => /=([\w-]{43});/.exec(setCookie)?.[1] ?? ''

describe('a cookie set by an attacker', () => {
  it('is not adopted by signing in, and is invalid afterwards', async () => {
    const [mine, theirs] = [await newCallers(server.url), await newCallers(server.url)]
    const attacker = await signIn(client, asOwner(theirs))
    const { cookie = '' } = attacker.headers
    for (const planted of [cookie, 'commonhold-console=fixed', 'commonhold-console=%00', 'commonhold-console=%zz']) {
      const answer = await startSession(client, asOwner(mine), { cookie: planted })
      assert.equal(answer.http, 200, answer.text)
      assert.notEqual(secretIn(cookieOf(answer)), '')
      assert.ok(!planted.includes(secretIn(cookieOf(answer))))
    }
    assert.equal(await whose(attacker), undefined)
  })

  it('does not end a session if signing in fails', async () => {
    const mine = await newCallers(server.url)
    const session = await signIn(client, asOwner(mine))
    const { cookie = '' } = session.headers
    refused(await startSession(client, { ...asOwner(mine), token: 'nonsense' }, { cookie }), 'UNAUTHENTICATED')
    assert.notEqual(await whose(session), undefined)
  })

  it('is accepted over https only under a name that no other host can set', async () => {
    const { url } = await startServer({ PUBLIC_URL: 'https://hold.example.com' })
    const callers = await newCallers(url)
    const answer = await startSession(createClient(url), asOwner(callers))
    assert.match(
      cookieOf(answer),
      /^__Host-commonhold-console=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    const withCookie = (name: string) =>
      createClient(url, { ...SESSION, cookie: `${name}=${secretIn(cookieOf(answer))}` })
    assert.notEqual(await whose(withCookie('__Host-commonhold-console')), undefined)
    assert.equal(await whose(withCookie('commonhold-console')), undefined)
    refused(await withCookie('commonhold-console').post(getWorkspace.path, {}), 'UNAUTHENTICATED')
  })
})

describe('behind a proxy', () => {
  const HTTPS = { 'x-forwarded-proto': 'https' }

  it('that is trusted and uses https, the cookie is limited to this host', async () => {
    const { url } = await startServer({ TRUST_PROXY: 'loopback' })
    const callers = await newCallers(url)
    const answer = await startSession(createClient(url), asOwner(callers), HTTPS)
    assert.match(cookieOf(answer), /^__Host-commonhold-console=.*; Secure;/)
    const [cookie = ''] = cookieOf(answer).split(';')
    const session = createClient(url, { ...SESSION, ...HTTPS, cookie })
    assert.notEqual(await whose(session), undefined)
    assert.match(
      cookieOf(await session.post('/console/session/end', {})),
      /^__Host-commonhold-console=; Max-Age=0;.* Secure/,
    )
  })

  it('that is not trusted, its headers are ignored', async () => {
    const answer = await startSession(client, asOwner(await newCallers(server.url)), HTTPS)
    assert.match(cookieOf(answer), /^commonhold-console=(?!.*Secure)/)
  })
})

describe('guessing', () => {
  it('gets the same response whichever part is wrong', async () => {
    const [mine, theirs] = [await newCallers(server.url), await newCallers(server.url)]
    const { workspaceId, token } = asOwner(mine)
    const { apiKey, token: keyToken } = asHolder(mine)
    const answers = await Promise.all(
      [
        { workspaceId, token: asOwner(theirs).token },
        { workspaceId: asOwner(theirs).workspaceId, token },
        { workspaceId: 'nobody', token },
        { workspaceId, token: 'nonsense' },
        { workspaceId, token: keyToken },
        { apiKey, token },
        { apiKey: 'nobody', token: keyToken },
        { apiKey, token: asHolder(theirs).token },
      ].map((data) => startSession(client, data)),
    )
    for (const answer of answers) {
      refused(answer, 'UNAUTHENTICATED')
      assert.equal(withoutRequestId(answer), withoutRequestId(answers[0] ?? answer))
      assert.equal(answer.headers.get('set-cookie'), null)
    }
  })

  it('is limited for each address, while existing sessions continue', async () => {
    const limited = await startServer({ RATE_LIMIT_PUBLIC: '3' })
    const callers = await newCallers(limited.url) // the first of the three lookups
    const session = await signIn(limited.client, asOwner(callers))
    refused(await startSession(limited.client, { workspaceId: 'x', token: 'x' }), 'UNAUTHENTICATED')
    const more = { 'x-forwarded-for': '203.0.113.7' }
    const answer = await startSession(limited.client, asOwner(callers), more)
    assert.equal(refused(answer, 'RESOURCE_EXHAUSTED').reason, 'rate_limited')
    assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
    for (let call = 0; call < 5; call++) assert.notEqual(await whose(session), undefined)
  })

  it('costs little: bodies that are too long are not read', async () => {
    const answer = await startSession(client, { workspaceId: 'x', token: 'x'.repeat(20_000) })
    assert.equal(refused(answer, 'INVALID_ARGUMENT').reason, 'body_too_large')
  })
})

describe('a session does not outlive', () => {
  const isOver = async (session: ReturnType<typeof createClient>) => {
    refused(await session.post(getOrganizations.path, {}), 'UNAUTHENTICATED')
    assert.equal(await whose(session), undefined)
  }

  it('its auth token: revoked, or expired', async () => {
    const callers = await newCallers(server.url)
    const apiKey = apiKeyOf(callers.apiKey)
    const expiresAt = Math.floor(Date.now() / 1000) + 3_600
    const { authToken } = await callers.workspace.call(createAuthToken, { apiKey, name: 'expires', expiresAt })
    const { authToken: revoked } = await callers.workspace.call(createAuthToken, { apiKey, name: 'revoked' })
    const session = await signIn(client, { apiKey, token: authToken.token })
    const another = await signIn(client, { apiKey, token: revoked.token })
    await callers.workspace.call(revokeAuthToken, { apiKey, authTokenId: revoked.id })
    await isOver(another)
    assert.deepEqual(await whose(session), { apiKey, scopes: [...SCOPES] })
    server.clock.set(new Date(expiresAt * 1000))
    await isOver(session)
    server.clock.set(null)
  })

  it('its API key, and is suspended while that is disabled', async () => {
    const callers = await newCallers(server.url)
    const apiKey = apiKeyOf(callers.apiKey)
    const session = await signIn(client, asHolder(callers))
    await callers.workspace.call(disableApiKey, { apiKey })
    assert.equal(await whose(session), undefined)
    refused(await session.post(getOrganizations.path, {}), 'PERMISSION_DENIED')
    refused(await startSession(client, asHolder(callers)), 'UNAUTHENTICATED')
    await callers.workspace.call(enableApiKey, { apiKey })
    assert.deepEqual(await whose(session), { apiKey, scopes: [...SCOPES] })
    await callers.workspace.call(updateApiKey, { apiKey, apiKeyName: 'Old' })
    await callers.workspace.call(deleteApiKey, { apiKey, apiKeyName: 'Old' })
    await isOver(session)
  })
})

it('no session cookie is written to the log', async () => {
  const lines: string[] = []
  const { db, remove } = await createStore()
  const log = createLog('trace', { write: (line) => lines.push(line) })
  const config = readConfig({ SIGNUP: 'open', RATE_LIMIT_PUBLIC: '0' })
  const app = await buildApp({ config, masterKey: MASTER_KEY, db, log })
  cleanUp(async () => {
    await app.stop()
    await db.close()
    await remove()
  })
  await app.http.listen({ host: '127.0.0.1', port: 0 })
  const url = listeningUrl(app.http, '127.0.0.1')
  const session = await signIn(createClient(url), asOwner(await newCallers(url)))
  await session.post(getWorkspace.path, {})
  await db.query('alter table console_sessions rename to console_sessions_away')
  assert.equal((await session.post(getWorkspace.path, {})).http, 500)
  await db.query('alter table console_sessions_away rename to console_sessions')
  const written = lines.join('')
  assert.match(written, /unexpected error/)
  assert.ok(!written.includes(session.headers.cookie?.split('=')[1] ?? '-'))
})
