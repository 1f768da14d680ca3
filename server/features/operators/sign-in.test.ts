/** Operators sign in with one-time links, and attacks on that (rules/operators.md#links, rules/operators.md#sessions). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { updatePermissionProviderConfig } from '#contract/access/permission-provider.ts'
import { listAccountEvents } from '#contract/events/events.ts'
import { createApiKey, deleteApiKey, getApiKeys } from '#contract/keys/api-keys.ts'
import { createAuthToken, getAuthTokens } from '#contract/keys/auth-tokens.ts'
import { getEmailConfig, updateEmailConfig, updateWebhookConfig } from '#contract/keys/service-configs.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { inviteOperator, removeOperator } from '#contract/workspace/operators.ts'
import { createWorkspaceToken, getCurrentWorkspaceToken } from '#contract/workspace/workspace-tokens.ts'
import { createWorkspace, getWorkspace } from '#contract/workspace/workspaces.ts'
import { type Client, createClient } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import {
  cookieOf,
  SESSION,
  secretOfLink,
  signIn,
  signInAs,
  startSession,
  whose,
} from '../../../test/conformance/support/console-session.ts'
import { eventsOfWorkspace } from '../../../test/conformance/support/events.ts'
import { refused, refusedField, withoutRequestId } from '../../../test/conformance/support/refused.ts'

const server = await startServer({ REVEAL_SECRETS: 'true' })
const { client } = server

let token: Client
let apiKey: string
let signups = 0
beforeEach(async () => {
  server.clock.set(null)
  const { id, authToken, apiKeyList } = await client.call(createWorkspace, {
    ownerEmail: `owner${++signups}@example.com`,
    workspaceName: 'Engines',
  })
  token = client.with({ 'x-service-workspace-id': id, 'x-service-auth-token': authToken })
  apiKey = Object.keys(apiKeyList)[0] ?? ''
})

const workspaceIdOf = (by: Client) => by.headers['x-service-workspace-id'] ?? ''
const kim = { email: 'kim@example.com', name: 'Kim', role: 'admin' } as const
const invite = async (by = token) => secretOfLink((await by.call(inviteOperator, kim)).link ?? '')
const MINUTES = 60_000
const DAYS = 24 * 60 * MINUTES
const later = (ms: number) => server.clock.set(new Date(Date.now() + ms))
const withKey = (session: Client, named = apiKey) => session.with({ ...session.headers, 'x-service-api-key': named })

describe('a one-time link', () => {
  it('shows its operator to a POST with the header of the console, and is not used up by that', async () => {
    const link = await invite()
    for (let times = 0; times < 3; times++) {
      const { body } = await client.with(SESSION).post('/console/link/get', { link })
      assert.deepEqual(body.result.data, { workspaceName: 'Engines', name: 'Kim', email: kim.email })
    }
    assert.equal((await startSession(client, { link })).http, 200)
  })

  it('is not used up by programs that open links', async () => {
    const { link = '' } = await token.call(inviteOperator, kim)
    for (const method of ['GET', 'HEAD']) assert.ok((await fetch(link, { method })).ok)
    assert.equal((await startSession(client, { link: secretOfLink(link) })).http, 200)
  })

  it('signs in once', async () => {
    const link = await invite()
    const session = await signIn(client, { link })
    const { operator, workspaceId } = await whose(session)
    assert.deepEqual({ ...operator, id: '' }, { id: '', ...kim })
    assert.equal(workspaceId, workspaceIdOf(token))
    refused(await startSession(client, { link }), 'UNAUTHENTICATED')
    refused(await client.with(SESSION).post('/console/link/get', { link }), 'UNAUTHENTICATED')
    assert.notEqual(await whose(session), undefined)
  })

  it('signs in one of many concurrent callers', async () => {
    const link = await invite()
    const answers = await Promise.all(Array.from({ length: 8 }, () => startSession(client, { link })))
    assert.equal(answers.filter(({ http }) => http === 200).length, 1)
    const { rows } = await server.db.query('select from console_sessions where workspace_id = $1', [
      workspaceIdOf(token),
    ])
    assert.equal(rows.length, 1)
  })

  it('gets the same response whether it is guessed, used, expired or of a removed operator', async () => {
    const used = await invite()
    await signIn(client, { link: used })
    const { operator, link = '' } = await token.call(inviteOperator, { ...kim, email: 'lee@example.com' })
    await token.call(removeOperator, { operatorId: operator.id })
    const expired = secretOfLink((await token.call(inviteOperator, { ...kim, email: 'bo@example.com' })).link ?? '')
    later(7 * DAYS + MINUTES)
    const links = ['x'.repeat(43), 'guess', used, secretOfLink(link), expired]
    const answers = await Promise.all(links.map((one) => startSession(client, { link: one })))
    for (const answer of answers) {
      refused(answer, 'UNAUTHENTICATED')
      assert.equal(withoutRequestId(answer), withoutRequestId(answers[0] ?? answer))
      assert.equal(answer.headers.get('set-cookie'), null)
    }
  })

  it('is refused together with a token, and without the header that other sites cannot send', async () => {
    const link = await invite()
    refused(await client.post('/console/session/start', { link }), 'INVALID_ARGUMENT')
    refused(await client.post('/console/link/get', { link }), 'INVALID_ARGUMENT')
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    refused(await client.raw('/console/session/start', `link=${link}`, form), 'INVALID_ARGUMENT')
    assert.equal((await startSession(client, { link })).http, 200)
  })

  it('has the address of PUBLIC_URL, whatever the host header says', async () => {
    const { url } = await startServer({ PUBLIC_URL: 'https://hold.example.com' })
    const anybody = createClient(url, { host: 'evil.example.com', 'x-forwarded-host': 'evil.example.com' })
    const { id, authToken } = await anybody.call(createWorkspace, { ownerEmail: 'ada@example.com' })
    const owner = { ...anybody.headers, 'x-service-workspace-id': id, 'x-service-auth-token': authToken }
    const { link = '' } = await anybody.with(owner).call(inviteOperator, kim)
    assert.match(link, /^https:\/\/hold\.example\.com\/console\/#link=/)
  })

  it('is limited for each address, like a token', async () => {
    const limited = await startServer({ RATE_LIMIT_PUBLIC: '2' })
    const guess = () => startSession(limited.client, { link: 'x'.repeat(43) })
    refused(await guess(), 'UNAUTHENTICATED')
    refused(await limited.client.with(SESSION).post('/console/link/get', { link: 'x' }), 'UNAUTHENTICATED')
    assert.equal(refused(await guess(), 'RESOURCE_EXHAUSTED').reason, 'rate_limited')
  })
})

describe('the session of an operator', () => {
  it('ends after twelve hours without a call, and after seven days with calls', async () => {
    const idle = await signInAs(token, 'support')
    later(11.5 * 60 * MINUTES)
    assert.notEqual(await whose(idle), undefined)
    later(24 * 60 * MINUTES)
    assert.equal(await whose(idle), undefined)
    server.clock.set(null)
    const used = await signInAs(token, 'support')
    for (let hours = 11; hours < 7 * 24; hours += 11) {
      later(hours * 60 * MINUTES)
      assert.notEqual(await whose(used), undefined, `after ${hours} hours`)
    }
    later(7 * DAYS + MINUTES)
    refused(await used.post(getApiKeys.path, {}), 'UNAUTHENTICATED')
  })

  it('has a cookie for as long, which no script can read', async () => {
    const cookie = cookieOf(await startSession(client, { link: await invite() }))
    assert.match(cookie, /^commonhold-console=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/)
  })

  it('has no access to the API keys and operators of another workspace', async () => {
    const owner = await signInAs(token, 'owner')
    const { id, authToken, apiKeyList } = await client.call(createWorkspace, {
      ownerEmail: `other${signups}@example.com`,
    })
    const other = client.with({ 'x-service-workspace-id': id, 'x-service-auth-token': authToken })
    const { operator } = await other.call(inviteOperator, kim)
    const [theirs = ''] = Object.keys(apiKeyList)
    refused(await withKey(owner, theirs).post(getOrganizations.path, {}), 'UNAUTHENTICATED')
    refused(await owner.post(getAuthTokens.path, { apiKey: theirs }), 'NOT_FOUND')
    refused(await owner.post(removeOperator.path, { operatorId: operator.id }), 'NOT_FOUND')
    // The headers of another workspace beside the cookie change nothing.
    const both = owner.with({ ...owner.headers, ...other.headers })
    assert.equal((await both.call(getWorkspace, {})).id, workspaceIdOf(token))
  })

  it('names the person in every event, and in those of API keys', async () => {
    const admin = await signInAs(token, 'admin', 'Kim')
    const operator = { id: admin.operatorId, name: 'Kim' }
    await withKey(admin).call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
    await admin.call(createAuthToken, { apiKey, name: 'search' })
    await admin.call(getAuthTokens, { apiKey })
    const events = await eventsOfWorkspace(server.db, workspaceIdOf(token))
    const ofKim = events.filter(({ actor }) => actor.operator?.id === operator.id)
    assert.deepEqual(
      ofKim.map(({ type, actor }) => [type, actor]),
      [
        ['operator.signed_in', { operator, address: '127.0.0.1' }],
        ['organization.added', { apiKey, operator, address: '127.0.0.1' }],
        ['auth_token.created', { operator, address: '127.0.0.1' }],
        ['auth_token.shown', { operator, address: '127.0.0.1' }],
      ],
    )
    const filter = { actor: { operatorId: operator.id }, order: 'oldestFirst' as const }
    const { events: listed } = await token.call(listAccountEvents, filter)
    assert.deepEqual(
      listed.map(({ type }) => type),
      ['operator.signed_in', 'auth_token.created', 'auth_token.shown'],
    )
  })

  it('cannot show a token of the workspace: no_workspace_token', async () => {
    const owner = await signInAs(token, 'owner')
    assert.equal((await owner.call(getWorkspace, {})).authToken, '')
    const answer = await owner.post(getCurrentWorkspaceToken.path, {})
    assert.equal(refused(answer, 'FAILED_PRECONDITION').reason, 'no_workspace_token')
  })

  it('sees no stored secret in settings, even where REVEAL_SECRETS shows them to programs', async () => {
    await token.call(createAuthToken, { apiKey, name: 'program' })
    const { authTokens } = await token.call(getAuthTokens, { apiKey })
    const program = client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authTokens[0]?.token ?? '' })
    const owner = withKey(await signInAs(token, 'owner'))
    const answers = [
      await owner.post(updateEmailConfig.path, { emailServiceConfig: { type: 'sendgrid', apiKey: 'SG.secret-key' } }),
      await owner.post(getEmailConfig.path, {}),
    ]
    for (const { text } of answers) assert.ok(!text.includes('SG.secret-key'), text)
    assert.equal((await program.call(getEmailConfig, {})).emailServiceConfig.apiKey, 'SG.secret-key')
  })

  it('sends a stored secret to no other server after a change of the address: the secret has to be given again', async () => {
    await token.call(createAuthToken, { apiKey, name: 'program' })
    const { authTokens } = await token.call(getAuthTokens, { apiKey })
    const program = client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authTokens[0]?.token ?? '' })
    const [url, theirs] = ['https://acme.example/ask', 'https://evil.example/ask']
    const permissionProviderConfig = { permissionProviderUrl: url, authToken: 'pp_0123456789abcdef' }
    const webhookServiceConfig = { rawNotificationUrl: url, authToken: 'wh_0123456789abcdef' }
    await program.call(updatePermissionProviderConfig, { usePermissionProvider: true, permissionProviderConfig })
    await program.call(updateWebhookConfig, { webhookServiceConfig })
    const owner = withKey(await signInAs(token, 'owner'))
    for (const authToken of [undefined, '********cdef']) {
      const given = JSON.parse(JSON.stringify({ authToken }))
      const provider = { permissionProviderConfig: { ...given, permissionProviderUrl: theirs } }
      refusedField(
        await owner.post(updatePermissionProviderConfig.path, provider),
        'permissionProviderConfig.authToken',
      )
      for (const field of ['rawNotificationUrl', 'processedNotificationUrl']) {
        const webhook = { webhookServiceConfig: { ...given, [field]: theirs } }
        refusedField(await owner.post(updateWebhookConfig.path, webhook), 'webhookServiceConfig.authToken')
      }
    }
    const another = { permissionProviderUrl: 'https://acme.example/v2', authToken: '********cdef' }
    await owner.call(updatePermissionProviderConfig, { permissionProviderConfig: another })
    await owner.call(updatePermissionProviderConfig, {
      permissionProviderConfig: { permissionProviderUrl: theirs, authToken: 'another' },
    })
    // Programs keep their rights.
    await program.call(updateWebhookConfig, { webhookServiceConfig: { rawNotificationUrl: theirs } })
  })

  it('must be confirmed again after ten minutes before secrets are shown or keys deleted', async () => {
    const owner = await signInAs(token, 'owner')
    const { apiKey: another } = await owner.call(createApiKey, {
      ownerEmail: kim.email,
      type: 'testing',
      apiKeyName: 'A',
    })
    later(11 * MINUTES)
    for (const [path, data] of [
      [getAuthTokens.path, { apiKey }],
      [createWorkspaceToken.path, { name: 'another' }],
      [inviteOperator.path, kim],
      [deleteApiKey.path, { apiKey: another, apiKeyName: 'A' }],
    ] as const)
      assert.equal(refused(await owner.post(path, data), 'PERMISSION_DENIED').reason, 'sign_in_again', path)
    assert.equal((await owner.post(getApiKeys.path, {})).http, 200)
    assert.equal((await token.post(getAuthTokens.path, { apiKey })).http, 200)
  })

  it('do not take a sign-in by a clock that was set back for a recent one', async () => {
    later(DAYS)
    const owner = withKey(await signInAs(token, 'owner'))
    assert.equal((await owner.post(getAuthTokens.path, { apiKey })).http, 200)
    server.clock.set(null)
    assert.equal(refused(await owner.post(getAuthTokens.path, { apiKey }), 'PERMISSION_DENIED').reason, 'sign_in_again')
  })

  it('gets no stored response to the call of another operator with the same Idempotency-Key', async () => {
    const [admin, other] = [await signInAs(token, 'admin'), await signInAs(token, 'admin')]
    const headers = { 'idempotency-key': 'the same' }
    const create = (session: Client) =>
      session.with({ ...session.headers, ...headers }).post(createAuthToken.path, { apiKey, name: 'search' })
    const { http, text } = await create(admin)
    assert.equal(http, 200)
    assert.equal(refused(await create(other), 'INVALID_ARGUMENT').reason, 'idempotency_key_reused')
    assert.deepEqual(JSON.parse((await create(admin)).text), JSON.parse(text))
  })
})
