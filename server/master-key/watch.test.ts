/** A server that still seals with an earlier key while `commonhold master-key reseal` runs, beside one with the new key. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { createAuthToken } from '#contract/keys/auth-tokens.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import { until } from '#testing/eventually.ts'
import { createLastingStore, type Settings, spawnServer, startProcess } from '#testing/processes/process.ts'
import { ENGINE } from '#testing/server.ts'

const [FIRST, SECOND] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [string, string]

const of = (settings: Settings, key: string, previous: string): Settings => ({
  ...settings,
  ...{ MASTER_KEY: key, MASTER_KEY_PREVIOUS: previous, SIGNUP: 'open', REVEAL_SECRETS: 'true' },
})

describe.skipIf(ENGINE !== 'postgres')('a server with an earlier master key', () => {
  it('seals nothing any more once all secrets are sealed again, and is not ready', async () => {
    const { settings } = await createLastingStore()
    const [isEarlier, isCurrent] = [of(settings, FIRST, SECOND), of(settings, SECOND, FIRST)]
    const earlier = await startProcess(isEarlier)
    const current = await startProcess(isCurrent)
    const { id, authToken } = await earlier.client.call(createWorkspace, { ownerEmail: 'ada@example.com' })
    const asOwner = { 'x-service-workspace-id': id, 'x-service-auth-token': authToken }
    const owner = earlier.client.with(asOwner)
    const { apiKey, authToken: token } = (
      await owner.post('/v2/workspace/apikey/create', {
        ...{ ownerEmail: 'ada@example.com', type: 'testing', createAuthToken: true },
      })
    ).body.result.data
    const asKey = { 'x-service-api-key': apiKey, 'x-service-auth-token': token }
    const key = earlier.client.with(asKey)

    const organizations = { organizations: [{ organizationId: 'acme' }] }
    const addOnce = (nth: number) =>
      earlier.client.with({ ...asKey, 'idempotency-key': `call-${nth}` }).post(addOrganizations.path, organizations)

    const resealing = spawnServer(isCurrent, undefined, ['master-key', 'reseal']).exited
    let calls = 0
    await until('it refuses to seal an answer', async () => {
      const { http, body } = await addOnce(calls++)
      if (http === 200) return false
      assert.deepEqual([http, body.error.reason], [503, 'master_key_replaced'])
      return true
    })
    const { code, stderr } = await resealing
    assert.equal(code, 0, stderr)
    const again = await spawnServer(isCurrent, undefined, ['master-key', 'reseal', '--dry-run']).exited
    assert.equal(again.stdout, 'Every secret is sealed with MASTER_KEY.\n', 'nothing was sealed after that')

    const ready = await fetch(`${earlier.url}/readyz`)
    assert.equal(ready.status, 503)
    const { why } = (await ready.json()) as { why: string }
    assert.match(
      why,
      /^The MASTER_KEY of this server is not in use any more: .* Restart this server with the new MASTER_KEY\./,
    )
    assert.ok(earlier.output.stdout.includes(why), 'the log has the sentence')
    assert.equal(earlier.output.stdout.split(why).length, 2, 'once')

    const { text } = await owner.post('/v2/workspace/authtokens/get', { apiKey })
    assert.ok(text.includes(token), 'it opens secrets')
    assert.equal((await owner.post(createAuthToken.path, { apiKey, name: 'more' })).http, 503)
    const other = { organizations: [{ organizationId: 'other' }] }
    const once = earlier.client.with({ ...asKey, 'idempotency-key': 'other' })
    assert.equal((await once.post(addOrganizations.path, other)).http, 503)
    const isThere = async () => (await key.post(getOrganizations.path, {})).text.includes('"other"')
    assert.equal(await isThere(), false, 'a refused call changes nothing')
    await key.call(addOrganizations, other)
    assert.equal(await isThere(), true, 'calls that seal nothing work')

    assert.equal((await fetch(`${current.url}/readyz`)).status, 200)
    await current.client.with(asOwner).call(createAuthToken, { apiKey, name: 'more' })
  })
})
