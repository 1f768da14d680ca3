/**
 * The settings of the permission provider of an API key: merged, validated, and the token sealed and masked
 * (rules/keys.md#service-settings).
 */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { getPermissionProviderConfig, updatePermissionProviderConfig } from '#contract/access/permission-provider.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { eventsDuring } from '../../../test/conformance/support/events.ts'
import { refusedField } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()
const revealing = await sharedServer({ REVEAL_SECRETS: 'true', WEBHOOK_ALLOW_PRIVATE: 'true' })
let key: Client
beforeEach(async () => {
  key = await server.newKey()
})

const SECRET = 'a-token-of-some-length-WXYZ'
const URL = 'https://example.com/permissions'
const NONE = { usePermissionProvider: false, permissionProviderConfig: { authToken: '', permissionProviderUrl: '' } }
const update = (permissionProviderConfig: object) =>
  key.post(updatePermissionProviderConfig.path, { permissionProviderConfig })

describe('permission-provider-config', () => {
  it('is off and empty at first, changes the given fields, keeps the others, and returns all', async () => {
    assert.deepEqual(await key.call(getPermissionProviderConfig, {}), NONE)
    await update({ authToken: SECRET })
    const changed = await key.call(updatePermissionProviderConfig, {
      usePermissionProvider: true,
      permissionProviderConfig: { permissionProviderUrl: URL },
    })
    assert.deepEqual(changed, {
      usePermissionProvider: true,
      permissionProviderConfig: { authToken: '********WXYZ', permissionProviderUrl: URL },
    })
    assert.deepEqual(await key.call(getPermissionProviderConfig, {}), changed)
    await update({ permissionProviderUrl: '', authToken: '' })
    assert.deepEqual(await key.call(getPermissionProviderConfig, {}), { ...NONE, usePermissionProvider: true })
  })

  it('keeps a token whose mask is sent back, and returns it in clear only with REVEAL_SECRETS', async () => {
    const client = await revealing.newKey()
    await client.call(updatePermissionProviderConfig, { permissionProviderConfig: { authToken: SECRET } })
    const masked = { authToken: '********WXYZ', permissionProviderUrl: URL }
    const { permissionProviderConfig } = await client.call(updatePermissionProviderConfig, {
      permissionProviderConfig: masked,
    })
    assert.deepEqual(permissionProviderConfig, { authToken: SECRET, permissionProviderUrl: URL })
  })

  it('stores the token sealed, and writes one event without any part of it', async () => {
    const change = () => key.call(updatePermissionProviderConfig, { permissionProviderConfig: { authToken: SECRET } })
    const [event, ...more] = await eventsDuring(server.db, apiKeyOf(key), change)
    assert.equal(more.length, 0)
    assert.deepEqual([event?.type, event?.before], ['api_key.updated', NONE])
    assert.deepEqual(event?.after, {
      ...NONE,
      permissionProviderConfig: { authToken: '********', permissionProviderUrl: '' },
    })
    const { rows } = await server.db.query('select * from api_keys where api_key_id = $1', [apiKeyOf(key)])
    const [row] = rows as { permission_provider_token_sealed: Buffer }[]
    assert.ok(row !== undefined && row.permission_provider_token_sealed.length > SECRET.length)
    assert.ok(!row.permission_provider_token_sealed.includes(SECRET))
    assert.deepEqual(await eventsDuring(server.db, apiKeyOf(key), change), [])
  })

  it('refuses an invalid URL, and one with a password or a private address', async () => {
    for (const permissionProviderUrl of [
      ...['ftp://example.com', 'example.com', 'https://user:word@example.com/', 'http://127.0.0.1:8080/'],
      ...['http://localhost/', 'http://[::1]/', 'http://169.254.169.254/latest'],
    ])
      refusedField(await update({ permissionProviderUrl }), 'permissionProviderConfig.permissionProviderUrl')
    refusedField(await key.post(updatePermissionProviderConfig.path, {}), 'data', 'data must have at least one field')
    assert.deepEqual(await key.call(getPermissionProviderConfig, {}), NONE)
    const permissionProviderConfig = { permissionProviderUrl: 'http://127.0.0.1:8080/' }
    await (await revealing.newKey()).call(updatePermissionProviderConfig, { permissionProviderConfig })
  })
})
