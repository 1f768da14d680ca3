/** No issued or stored secret appears in plain text in a log line or in a table (rules/data.md#secrets). */
import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { getPermissions } from '#contract/access/decisions.ts'
import { getPermissionProviderConfig, updatePermissionProviderConfig } from '#contract/access/permission-provider.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { createAuthToken, getAuthTokens, resetAuthToken } from '#contract/keys/auth-tokens.ts'
import {
  getEmailConfig,
  getWebhookConfig,
  updateEmailConfig,
  updateWebhookConfig,
} from '#contract/keys/service-configs.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { testWebhook } from '#contract/webhooks/messages.ts'
import { rotateWebhookSecret } from '#contract/webhooks/secrets.ts'
import { inviteOperator } from '#contract/workspace/operators.ts'
import { createWorkspaceToken, resetWorkspaceToken } from '#contract/workspace/workspace-tokens.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import { listeningUrl } from '#http/server.ts'
import { createLog } from '#platform/log.ts'
import { createClient } from '#testing/client.ts'
import { createStore } from '#testing/server.ts'
import { type App, buildApp } from '../../server/app.ts'
import { readConfig } from '../../server/config.ts'
import { secretOfLink, startSession } from './support/console-session.ts'
import { dumpEverything } from './support/tables.ts'

const MASTER_KEY = Buffer.from('a-master-key-of-32-bytes-exactly', 'utf8')
const SIGNUP_TOKEN = 'a-signup-token-nobody-must-see'

const lines: string[] = []
const { db, remove } = await createStore()
const config = readConfig({ PORT: '0', SIGNUP: 'token', SIGNUP_TOKEN, MASTER_KEY: MASTER_KEY.toString('base64') })
const log = createLog('trace', { write: (line) => lines.push(line) })
const app: App = await buildApp({ config, masterKey: MASTER_KEY, db, log })
await app.http.listen({ host: '127.0.0.1', port: 0 })
const url = listeningUrl(app.http, '127.0.0.1')
afterAll(async () => {
  await app.stop()
  await db.close()
  await remove()
})

describe('after a run that issues every kind of secret', () => {
  const secrets = new Map<string, string>([
    ['master key, base64', MASTER_KEY.toString('base64')],
    ['master key, hex', MASTER_KEY.toString('hex')],
    ['master key, bytes', MASTER_KEY.toString('utf8')],
    ['signup token', SIGNUP_TOKEN],
  ])

  beforeAll(async () => {
    const anybody = createClient(url, { 'x-service-signup-token': SIGNUP_TOKEN })
    const ownerEmail = 'ada@example.com'
    const workspace = await anybody.call(createWorkspace, { ownerEmail })
    secrets.set('workspace token', workspace.authToken)
    const owner = anybody.with({
      'x-service-workspace-id': workspace.id,
      'x-service-auth-token': workspace.authToken,
    })
    const keyed = owner.with({ ...owner.headers, 'idempotency-key': 'kept answers hold secrets' })
    const emailKey = 'SG.provider-key-nobody-must-see'
    const webhookToken = 'webhook-token-nobody-must-see'
    secrets.set('provider key', emailKey).set('webhook token', webhookToken)
    const { apiKey, authToken = '' } = await keyed.call(createApiKey, {
      ownerEmail,
      type: 'testing',
      createAuthToken: true,
      emailServiceConfig: { type: 'sendgrid', apiKey: emailKey },
      webhookServiceConfig: { authToken: webhookToken, rawNotificationUrl: 'https://example.com/hook' },
    })
    secrets.set('auth token', authToken)
    const [signup] = Object.keys(workspace.apiKeyList)
    const { authTokens } = await owner.call(getAuthTokens, { apiKey: signup ?? '' })
    secrets.set('auth token of the signup', authTokens[0]?.token ?? '')
    const key = anybody.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })
    secrets.set('user token', (await key.call(generateToken, { userId: 'ada' })).token)

    const userToken = secrets.get('user token')
    for (const authorization of [`Bearer ${userToken}`, `Bearer ${userToken}x`])
      await anybody.with({ authorization, origin: 'https://app.example.com' }).post(getPermissions.path, {})

    const callers = { none: anybody, workspace: owner, apiKey: key }
    // A reset would end the token of the calls that follow; it is called below.
    for (const operation of OPERATIONS.filter(({ name }) => name !== resetWorkspaceToken.name)) {
      const caller = callers[operation.credentials]
      await caller.post(operation.path, operation.example)
      await caller.raw(operation.path, '{"data":')
      await caller.with({ ...caller.headers, 'x-service-auth-token': `${authToken}x` }).post(operation.path, {})
      await caller.with({ ...caller.headers, 'x-service-signup-token': `${SIGNUP_TOKEN}x` }).post(operation.path, {})
    }
    const bad = { ownerEmail, type: 'testing', emailServiceConfig: { apiKey: emailKey, fromEmail: 'x' } }
    await owner.post(createApiKey.path, bad)
    const secondKey = 'SG.second-provider-key-nobody-must-see'
    const secondToken = 'second-webhook-token-nobody-must-see'
    secrets.set('second provider key', secondKey).set('second webhook token', secondToken)
    await key.call(updateEmailConfig, { emailServiceConfig: { apiKey: secondKey } })
    await key.call(updateWebhookConfig, { webhookServiceConfig: { authToken: secondToken } })
    for (const { path } of [updateEmailConfig, getEmailConfig, updateWebhookConfig, getWebhookConfig])
      await key.post(path, {
        webhookServiceConfig: { authToken: secondToken },
        emailServiceConfig: { apiKey: secondKey },
      })
    const providerToken = 'permission-provider-token-nobody-must-see'
    secrets.set('permission provider token', providerToken)
    const permissionProviderConfig = { authToken: providerToken }
    await key.call(updatePermissionProviderConfig, { permissionProviderConfig })
    await key.post(getPermissionProviderConfig.path, { permissionProviderConfig })
    await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
    const { id: endpointId } = await key.call(createWebhookEndpoint, { url: 'https://receiver.invalid/' })
    const { secret: first } = await key.call(rotateWebhookSecret, { endpointId })
    secrets.set('webhook secret', first)
    await key.call(testWebhook, { endpointId })
    secrets.set('webhook secret after a rotation', (await key.call(rotateWebhookSecret, { endpointId })).secret)
    const { authToken: more } = await owner.call(createAuthToken, { apiKey, name: 'reporting', scopes: ['read'] })
    secrets.set('auth token that was added', more.token)
    const { newAuthToken } = await owner.call(resetAuthToken, { apiKey })
    secrets.set('auth token after a reset', newAuthToken.token)
    const { token: another } = await owner.call(createWorkspaceToken, { name: 'deployment' })
    secrets.set('workspace token that was added', another)
    const { link = '' } = await owner.call(inviteOperator, { email: 'lee@example.com', role: 'support' })
    secrets.set('link of an operator', secretOfLink(link))
    const { token: latest } = await owner.call(resetWorkspaceToken, { gracePeriodSeconds: 60 })
    secrets.set('workspace token after a reset', latest)
    await startSession(anybody, { link: secretOfLink(link) })
    await breakSomething(owner)
  })

  /** An unexpected error, whose details are logged. */
  async function breakSomething(owner: ReturnType<typeof createClient>): Promise<void> {
    await db.query('alter table signing_keys rename to signing_keys_away')
    const { http } = await owner.post(createApiKey.path, {
      ownerEmail: 'ada@example.com',
      type: 'testing',
      createAuthToken: true,
      emailServiceConfig: { apiKey: secrets.get('provider key') },
    })
    await db.query('alter table signing_keys_away rename to signing_keys')
    assert.equal(http, 500)
  }

  it('every kind was issued', () => {
    for (const [name, secret] of secrets) assert.ok(secret.length >= 16, name)
  })

  it('the log has none of them, at level trace', () => {
    const written = lines.join('')
    assert.match(written, /"msg":"request"/)
    assert.match(written, /unexpected error/)
    for (const [name, secret] of secrets) assert.ok(!written.includes(secret), `${name} stands in the log`)
  })

  it('no column of any table has one of them', async () => {
    const dump = await dumpEverything(db)
    assert.match(dump['public.workspaces'] ?? '', /ada@example\.com/)
    for (const [table, text] of Object.entries(dump))
      for (const [name, secret] of secrets)
        for (const form of [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64')])
          assert.ok(!text.includes(form), `${name} stands in ${table}`)
  })

  it('the search finds a secret that is planted there', async () => {
    await db.query('create table leak (secret bytea)')
    await db.query('insert into leak values ($1)', [Buffer.from(SIGNUP_TOKEN)])
    const dump = await dumpEverything(db)
    await db.query('drop table leak')
    assert.match(dump['public.leak'] ?? '', new RegExp(SIGNUP_TOKEN))
    assert.ok(dump['public.leak']?.includes(Buffer.from(SIGNUP_TOKEN).toString('hex')))
  })
})
