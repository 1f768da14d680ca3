/**
 * A rotation of the master key, as the guide says: servers start with the new key and the earlier one, `commonhold
 * master-key reseal` seals every secret again, and then the earlier key opens nothing and is not needed.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { generatePermissionSignature as SIGN } from '#contract/access/permission-provider.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import { cleanUp } from '#testing/clean-up.ts'
import type { Client } from '#testing/client.ts'
import { createDatabase } from '#testing/databases.ts'
import {
  createLastingStore,
  type Exit,
  refusedStart,
  type ServerProcess,
  type Settings,
  spawnServer,
  startProcess,
} from '#testing/processes/process.ts'
import { ENGINE } from '#testing/server.ts'
import { CLIENT, startIdentityProvider } from '#testing/stand-ins/identity-provider.ts'
import { nameOfColumn, SEALED_COLUMNS } from './columns.ts'

const [FIRST, SECOND, THIRD] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [
  string,
  ...string[],
]

/** Without a mail server, so that the mail of an invitation waits with its link. */
const MORE: Settings = {
  ...{ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'mail@commonhold.example' },
  ...{ WEBHOOK_ALLOW_PRIVATE: 'true', REVEAL_SECRETS: 'true' },
}

const SIGNED = SIGN.example

const of = (settings: Settings, key: string | undefined, ...previous: (string | undefined)[]): Settings => ({
  ...settings,
  ...MORE,
  MASTER_KEY: String(key),
  ...(previous.length > 0 && { MASTER_KEY_PREVIOUS: previous.join(',') }),
})

const run = (settings: Settings, ...args: string[]): Promise<Exit> => spawnServer(settings, undefined, args).exited

async function reseal(settings: Settings, ...options: string[]): Promise<Exit> {
  const exit = await run(settings, 'master-key', 'reseal', ...options)
  assert.equal(exit.code, 0, exit.stderr)
  return exit
}

async function call(client: Client, path: string, data: object = {}) {
  const { http, body, text } = await client.post(path, data)
  assert.equal(http, 200, `${path}: ${text}`)
  return body.result.data
}

/** Makes the server seal a secret in every column; returns a function that reads them through the API of a server. */
async function sealAll(server: ServerProcess): Promise<(client: Client) => Promise<unknown>> {
  const { client } = server
  const { id, authToken } = await client.call(createWorkspace, { ownerEmail: 'ada@example.com' })
  const asOwner = { 'x-service-workspace-id': id, 'x-service-auth-token': authToken }
  const owner = client.with(asOwner)
  const { apiKey, authToken: token } = await call(owner, '/v2/workspace/apikey/create', {
    ...{ ownerEmail: 'ada@example.com', type: 'testing', createAuthToken: true, apiKeyName: 'Main' },
  })
  const asKey = { 'x-service-api-key': apiKey, 'x-service-auth-token': token }
  const key = client.with(asKey)
  await call(key, '/v2/workspace/emailconfig/update', {
    emailServiceConfig: { type: 'sendgrid', apiKey: 'SG.secret-of-the-mail-service', fromEmail: 'hello@example.com' },
  })
  await call(key, '/v2/workspace/webhookconfig/update', {
    webhookServiceConfig: { authToken: 'secret-of-the-receiver', rawNotificationUrl: 'https://receiver.invalid/raw' },
  })
  await call(key, '/v2/workspace/permissionproviderconfig/update', {
    permissionProviderConfig: { authToken: 'secret-of-the-provider' },
  })
  await call(key, SIGN.path, SIGNED)
  await call(key, '/v2/workspace/advancedwebhookconfig/update', { isEnabled: true })
  const endpoint = await call(key, '/v2/workspace/advancedwebhook/endpoints/create', {
    url: 'https://receiver.invalid/',
  })
  const endpointId = endpoint.id
  await call(key, '/v2/workspace/advancedwebhook/endpoints/secret/rotate', { endpointId })
  const provider = await startIdentityProvider(`${server.url}/console/oidc/callback`)
  cleanUp(() => provider.stop())
  await call(owner, '/v2/workspace/ssoconfig/update', { issuer: provider.issuer, ...CLIENT })
  await call(owner, '/v2/workspace/ssoconfig/test')
  await call(owner, '/v2/workspace/operators/invite', { email: 'kim@example.com', role: 'developer' })
  const again = { ...asKey, 'idempotency-key': 'once' }
  const organizations = { organizations: [{ organizationId: 'acme' }] }
  const first = await client.with(again).post('/v2/organizations/add', organizations)
  return async (now) => {
    const [ofOwner, ofKey] = [now.with(asOwner), now.with(asKey)]
    const { text } = await now.with(again).post('/v2/organizations/add', organizations)
    assert.equal(text, first.text, 'the answer to a repeated call')
    await call(ofKey, '/v2/auth/generate_token', { userId: 'ada' })
    const { authTokens } = await call(ofOwner, '/v2/workspace/authtokens/get', { apiKey })
    assert.equal(authTokens[0].token, token)
    return {
      token: await call(ofOwner, '/v2/workspace/token/get'),
      email: await call(ofKey, '/v2/workspace/emailconfig/get'),
      webhooks: await call(ofKey, '/v2/workspace/webhookconfig/get'),
      provider: await call(ofKey, '/v2/workspace/permissionproviderconfig/get'),
      signature: await call(ofKey, SIGN.path, SIGNED),
      endpoint: await call(ofKey, '/v2/workspace/advancedwebhook/endpoints/secret/get', { endpointId }),
    }
  }
}

describe('commonhold master-key reseal', () => {
  it('seals every secret again, while servers run, so that the earlier key is not needed any more', async () => {
    const { settings } = await createLastingStore()
    let server = await startProcess(of(settings, FIRST))
    const inBucket = ENGINE === 'postgres'
    if (inBucket) {
      const bucket = await createDatabase()
      cleanUp(bucket.remove)
      const created = await run(of(settings, FIRST), 'buckets', 'create', 'eu1', '--url', bucket.url)
      assert.equal(created.code, 0, created.stderr)
    }
    const read = await sealAll(server)
    const before = await read(server.client)
    await server.kill('SIGTERM')

    const both = of(settings, SECOND, FIRST)
    const early = await run(both, 'master-key', 'reseal')
    assert.deepEqual([early.code, /No server has opened .* with this MASTER_KEY yet/.test(early.stderr)], [2, true])
    server = await startProcess(both)
    assert.deepEqual(await read(server.client), before)
    if (ENGINE === 'embedded') await server.kill('SIGTERM')

    const { stdout: preview } = await reseal(both, '--dry-run')
    assert.match(preview, /^\d+ secrets would be sealed again with MASTER_KEY\. Nothing was changed\.$/m)
    const { stdout } = await reseal(both, '--json')
    const sealed = (JSON.parse(stdout) as { columns: { column: string; earlier: number }[] }).columns
    const none = SEALED_COLUMNS.map(nameOfColumn).filter(
      (name) => !sealed.some(({ column, earlier }) => column === name && earlier > 0),
    )
    const ofBuckets = ['bucket_moves.from_url_sealed', 'bucket_moves.to_url_sealed']
    assert.deepEqual(none, inBucket ? ofBuckets : [...ofBuckets, 'buckets.url_sealed'])
    assert.match((await reseal(both)).stdout, /^Every secret is sealed with MASTER_KEY\.\n$/)
    if (ENGINE === 'postgres') {
      assert.deepEqual(await read(server.client), before, 'by the server that was running')
      await server.kill('SIGTERM')
    }

    assert.match((await refusedStart(of(settings, FIRST))).stderr, /MASTER_KEY is not the key of this database/)
    server = await startProcess(of(settings, SECOND))
    assert.deepEqual(await read(server.client), before)
  })

  it('names what no key opens, and keeps it and its key', async () => {
    const { settings, open } = await createLastingStore()
    let server = await startProcess(of(settings, FIRST))
    const { id, authToken } = await server.client.call(createWorkspace, { ownerEmail: 'ada@example.com' })
    await server.kill('SIGTERM')
    server = await startProcess(of(settings, SECOND, FIRST))
    await server.kill('SIGTERM')
    const db = await open()
    await db.query(
      `update workspace_tokens set token_sealed = set_byte(token_sealed, 30, get_byte(token_sealed, 30) # 1)`,
    )
    await db.close()
    const refused = await run(of(settings, SECOND, FIRST), 'master-key', 'reseal')
    assert.equal(refused.code, 2)
    assert.match(
      refused.stderr,
      /^commonhold: No given key opens these secrets: 1 in workspace_tokens\.token_sealed of the home database\./,
    )
    assert.match((await refusedStart(of(settings, SECOND))).stderr, /MASTER_KEY is not the key of this database/)
    const unknown = await run(of(settings, THIRD, SECOND), 'master-key', 'reseal')
    assert.match(unknown.stderr, /MASTER_KEY is not the key of this database/)
    server = await startProcess(of(settings, SECOND, FIRST))
    const owner = { 'x-service-workspace-id': id, 'x-service-auth-token': authToken }
    assert.equal((await server.client.with(owner).post('/v2/workspace/operators/get', {})).http, 200)
  })

  it('refuses wrong words and folders without data in one sentence', async () => {
    const { settings, open } = await createLastingStore()
    await (await open()).close()
    for (const [args, why] of [
      [['forget'], /Use: master-key reseal \[--dry-run\] \[--json\]\.\n$/],
      [['reseal', '--all'], /'--all'.* Use: master-key reseal/],
    ] as const) {
      const { code, stderr } = await run(of(settings, FIRST), 'master-key', ...args)
      assert.equal(code, 2)
      assert.match(stderr, why)
    }
    const elsewhere = await run({ DATA_DIR: '/nowhere/data', MASTER_KEY: FIRST }, 'master-key', 'reseal')
    assert.deepEqual(
      [elsewhere.code, /There is no data in \/nowhere\/data; set DATA_DIR/.test(elsewhere.stderr)],
      [2, true],
    )
  })
})
