/** Console sessions: what they permit, what ends them, and what they never permit. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { disableApiKey, getApiKeys } from '#contract/keys/api-keys.ts'
import { resetAuthToken } from '#contract/keys/auth-tokens.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { getWorkspace } from '#contract/workspace/workspaces.ts'
import { startServer } from '#testing/server.ts'
import { apiKeyOf, type Callers, newCallers } from '../../../../test/conformance/support/callers.ts'
import {
  asHolder,
  asOwner,
  cookieOf,
  signIn,
  signInAs,
  startSession,
  whose,
} from '../../../../test/conformance/support/console-session.ts'
import { refused, refusedField } from '../../../../test/conformance/support/refused.ts'
import { DELETE_EXPIRED_SESSIONS } from './statements.ts'

const server = await startServer()
const HOUR_MS = 3_600_000

const named = (callers: Callers) => ({ 'x-service-api-key': apiKeyOf(callers.apiKey) })

describe('a session of a workspace', () => {
  it('is a cookie that scripts cannot read and other sites cannot send, and contains no credentials', async () => {
    const callers = await newCallers(server.url)
    const answer = await startSession(server.client, asOwner(callers))
    assert.match(cookieOf(answer), /^commonhold-console=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/)
    const { name } = await callers.workspace.call(getWorkspace, {})
    assert.deepEqual(answer.body.result.data, { workspaceId: asOwner(callers).workspaceId, workspaceName: name })
    assert.ok(!answer.text.includes(asOwner(callers).token ?? ''))
  })

  it('gives access to the workspace and each of its API keys, and is named in the events', async () => {
    const callers = await newCallers(server.url)
    const session = await signIn(server.client, asOwner(callers), named(callers))
    const { id, name } = await session.call(getWorkspace, {})
    assert.equal(id, asOwner(callers).workspaceId)
    assert.deepEqual(await whose(session), { workspaceId: id, workspaceName: name })
    await session.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
    const { rows } = await server.db.query(
      "select actor from events where api_key_id = $1 and type = 'organization.added'",
      [apiKeyOf(callers.apiKey)],
    )
    assert.partialDeepStrictEqual(rows, [{ actor: { apiKey: apiKeyOf(callers.apiKey), token: 'workspace' } }])
  })

  it('gives no access to an API key of another workspace, with the same response as for an unknown key', async () => {
    const [mine, theirs] = [await newCallers(server.url), await newCallers(server.url)]
    const session = await signIn(server.client, asOwner(mine), named(theirs))
    refused(await session.post(getOrganizations.path, {}), 'UNAUTHENTICATED')
  })

  it('requires the API key for calls with one', async () => {
    const session = await signIn(server.client, asOwner(await newCallers(server.url)))
    refusedField(await session.post(getOrganizations.path, {}), 'x-service-api-key')
  })

  it('gives no access to a disabled API key', async () => {
    const callers = await newCallers(server.url)
    const session = await signIn(server.client, asOwner(callers), named(callers))
    await callers.workspace.call(disableApiKey, { apiKey: apiKeyOf(callers.apiKey) })
    assert.equal(refused(await session.post(getOrganizations.path, {}), 'PERMISSION_DENIED').reason, 'api_key_disabled')
  })
})

describe('a session of an API key', () => {
  it('gives access to that key only, named or not', async () => {
    const [mine, theirs] = [await newCallers(server.url), await newCallers(server.url)]
    await mine.apiKey.call(addOrganizations, { organizations: [{ organizationId: 'mine' }] })
    for (const more of [{}, named(mine)]) {
      const session = await signIn(server.client, asHolder(mine), more)
      assert.match((await session.post(getOrganizations.path, {})).text, /"id":"mine"/)
    }
    const session = await signIn(server.client, asHolder(mine), named(theirs))
    refused(await session.post(getOrganizations.path, {}), 'UNAUTHENTICATED')
  })

  it('gives no access to the workspace', async () => {
    const session = await signIn(server.client, asHolder(await newCallers(server.url)))
    refused(await session.post(getWorkspace.path, {}), 'UNAUTHENTICATED')
    refused(await session.post(getApiKeys.path, {}), 'UNAUTHENTICATED')
  })

  it('ends when its auth token is reset', async () => {
    const callers = await newCallers(server.url)
    const session = await signIn(server.client, asHolder(callers))
    await callers.workspace.call(resetAuthToken, { apiKey: apiKeyOf(callers.apiKey) })
    refused(await session.post(getOrganizations.path, {}), 'UNAUTHENTICATED')
    assert.equal(await whose(session), undefined)
  })
})

describe('a session', () => {
  it('is ignored without the header that other origins cannot send', async () => {
    const callers = await newCallers(server.url)
    const { cookie = '' } = (await signIn(server.client, asOwner(callers))).headers
    const page = server.client.with({ cookie, ...named(callers) })
    refusedField(await page.post(getOrganizations.path, {}), 'x-service-auth-token')
    refusedField(await page.post('/console/session/start', asOwner(callers)), 'x-service-session')
  })

  it('is used by no page that acts for another account, and is not ended by it', async () => {
    const callers = await newCallers(server.url)
    const kim = await signInAs(callers.workspace, 'owner')
    const holder = await signIn(server.client, asHolder(callers))
    const owner = await signIn(server.client, asOwner(callers))
    const accounts = [
      [kim, kim.operatorId],
      [owner, asOwner(callers).workspaceId],
      [holder, asHolder(callers).apiKey],
    ] as const
    for (const [session, mine] of accounts)
      for (const [, account] of accounts) {
        const page = session.with({
          ...session.headers,
          ...named(callers),
          'x-service-session': `console ${account}`,
        })
        const calls: [path: string, data: object][] = [
          [addOrganizations.path, { organizations: [{ organizationId: `${mine}-${account}` }] }],
          ...(session === holder ? [] : ([[getWorkspace.path, {}]] as [string, object][])),
          ...(session === kim ? ([['/console/passkeys/list', {}]] as [string, object][]) : []),
        ]
        for (const [path, data] of calls) {
          const answer = await page.post(path, data)
          if (account === mine) assert.equal(answer.http, 200, answer.text)
          else refused(answer, 'UNAUTHENTICATED')
        }
        if (account === mine) continue
        assert.equal(cookieOf(await page.post('/console/session/end', {})), '')
        assert.notEqual(await whose(page), undefined)
      }
    const added = await callers.apiKey.call(getOrganizations, {})
    assert.equal(Object.keys(added).length, accounts.length)
  })

  it('ends with sign-out, and after twelve hours', async () => {
    const callers = await newCallers(server.url)
    const session = await signIn(server.client, asOwner(callers))
    const answer = await session.post('/console/session/end', {})
    assert.match(cookieOf(answer), /^commonhold-console=; Max-Age=0;/)
    refused(await session.post(getWorkspace.path, {}), 'UNAUTHENTICATED')
    const another = await signIn(server.client, asOwner(callers))
    server.clock.set(new Date(Date.now() + 12 * HOUR_MS + 60_000))
    refused(await another.post(getWorkspace.path, {}), 'UNAUTHENTICATED')
    assert.ok(((await server.db.run(DELETE_EXPIRED_SESSIONS))[0]?.count ?? 0) > 0)
    server.clock.set(null)
  })

  it('is refused for mismatched or missing credentials, and for a user token', async () => {
    const [mine, theirs] = [await newCallers(server.url), await newCallers(server.url)]
    const start = (data: object) => startSession(server.client, data)
    const { token } = asOwner(mine)
    for (const data of [
      { ...asOwner(theirs), token },
      { ...asHolder(mine), token },
      { ...asOwner(mine), token: 'eyJhbGciOiJFUzI1NiJ9.e30.AAAA' },
      { workspaceId: "'; drop table workspaces; --", token },
    ]) {
      const answer = await start(data)
      refused(answer, 'UNAUTHENTICATED')
      assert.equal(cookieOf(answer), '')
    }
    refusedField(await start({ token }), 'workspaceId')
    refusedField(await start({ ...asOwner(mine), ...asHolder(mine) }), 'workspaceId')
    refusedField(await start({ ...asOwner(mine), token: undefined }), 'data.token')
  })

  it('is stored only as hashes', async () => {
    const callers = await newCallers(server.url)
    const { cookie = '' } = (await signIn(server.client, asOwner(callers))).headers
    const { rows } = await server.db.query('select * from console_sessions')
    const stored = JSON.stringify(rows)
    for (const secret of [cookie.split('=')[1] ?? '', asOwner(callers).token ?? '']) assert.ok(!stored.includes(secret))
  })
})
