/**
 * The settings of single sign-on: only for owners, with a secret that can be written and is never shown
 * (rules/operators.md#single-sign-on).
 */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { getSsoConfig, updateSsoConfig } from '#contract/workspace/sso-config.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { signInAs } from '../../../test/conformance/support/console-session.ts'
import { eventsOfWorkspace } from '../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let workspaceId: string
let token: Client
beforeEach(async () => {
  const { id, authToken } = await server.client.call(createWorkspace, { ownerEmail: 'ada@example.com' })
  workspaceId = id
  token = server.client.with({ 'x-service-workspace-id': id, 'x-service-auth-token': authToken })
})

const ISSUER = 'https://login.example.com/realm'
const SECRET = 'a-secret-of-the-provider'
const update = (data: object) => token.post(updateSsoConfig.path, data)

describe('the settings of single sign-on', () => {
  it('are off and empty at first, change by field, and show neither the secret nor a part of it', async () => {
    const redirectUri = `${server.url}/console/oidc/callback/${workspaceId}`
    const signInUrl = `${server.url}/console/sign-in/${workspaceId}`
    const shown = { redirectUri, domains: [], signInUrl }
    const none = { enabled: false, issuer: '', clientId: '', hasClientSecret: false, roles: [], ...shown }
    assert.deepEqual(await token.call(getSsoConfig, {}), none)
    await update({ issuer: ISSUER, clientId: 'commonhold', clientSecret: SECRET })
    const roles = [{ emailDomain: 'EXAMPLE.com', role: 'support' } as const]
    const changed = await token.call(updateSsoConfig, { enabled: true, roles })
    const all = { enabled: true, issuer: ISSUER, clientId: 'commonhold', hasClientSecret: true }
    assert.deepEqual(changed, { ...all, roles: [{ emailDomain: 'example.com', role: 'support' }], ...shown })
    assert.deepEqual(await token.call(getSsoConfig, {}), changed)
    const events = await eventsOfWorkspace(server.db, workspaceId)
    assert.deepEqual(
      events.slice(-2).map(({ type }) => type),
      ['sso_config.updated', 'sso_config.updated'],
    )
    assert.ok(!JSON.stringify(events).includes(SECRET))
    const { rows } = await server.db.query('select client_secret_sealed from sso_configs where workspace_id = $1', [
      workspaceId,
    ])
    const [row] = rows as { client_secret_sealed: Buffer }[]
    assert.ok(row !== undefined && !row.client_secret_sealed.includes(SECRET))
  })

  it('forget the secret when the issuer changes, unless a new one comes along', async () => {
    const named = { issuer: ISSUER, clientId: 'commonhold', clientSecret: SECRET }
    await update(named)
    const other = { issuer: 'https://evil.example' }
    assert.equal((await token.call(updateSsoConfig, other)).hasClientSecret, false)
    assert.equal((await token.call(updateSsoConfig, named)).hasClientSecret, true)
    assert.equal((await token.call(updateSsoConfig, { clientSecret: '' })).hasClientSecret, false)
  })

  it('can be read and changed only by owners', async () => {
    for (const role of ['support', 'developer', 'admin'] as const) {
      const session = await signInAs(token, role)
      for (const [{ path }, data] of [
        [getSsoConfig, {}],
        [updateSsoConfig, { enabled: false }],
      ] as const)
        assert.equal(refused(await session.post(path, data), 'PERMISSION_DENIED').reason, 'role_missing')
    }
    const owner = await signInAs(token, 'owner')
    assert.equal((await owner.call(updateSsoConfig, { clientId: 'commonhold' })).clientId, 'commonhold')
  })

  it('refuse values that cannot work', async () => {
    assert.equal(refused(await update({ enabled: true }), 'FAILED_PRECONDITION').reason, 'sso_config_incomplete')
    for (const issuer of [
      ...['http://login.example.com', 'ftp://example.com', 'https://u:p@example.com', 'https://127.0.0.1'],
      ...['https://example.com/?a=b', 'https://example.com/#a', 'https://localhost'],
    ])
      refusedField(await update({ issuer }), 'issuer')
    for (const rule of [{ role: 'admin' }, { group: 'a', emailDomain: 'example.com', role: 'admin' }])
      refusedField(await update({ roles: [rule] }), 'roles[0]')
    const never = [
      '@x.example',
      'a@x.example',
      '*.x.example',
      'x.example.',
      ' x.example',
      'x.example/y',
      'x',
      '10.0.0.1',
    ]
    for (const emailDomain of never)
      refusedField(await update({ roles: [{ emailDomain, role: 'support' }] }), 'roles[0].emailDomain', /whole domain/)
    for (const domain of ['x.example/y', 'x.example?y', 'x.example\\y', 'x.example#y'])
      refusedField(await update({ domains: [domain] }), 'domains[0]', /must be a domain such as/)
    assert.deepEqual((await token.call(getSsoConfig, {})).issuer, '')
  })
})
