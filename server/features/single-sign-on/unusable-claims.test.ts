/**
 * Values of a provider that are no subject, address or token sign nobody in, and the page says what happened
 * (rules/operators.md#single-sign-on).
 */
import assert from 'node:assert/strict'
import { beforeAll, describe, it } from 'vitest'
import { getOperators } from '#contract/workspace/operators.ts'
import { updateSsoConfig } from '#contract/workspace/sso-config.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import type { Client } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import { Browser, CLIENT } from '#testing/stand-ins/identity-provider.ts'
import { type Lies, startTamperingProvider, type TamperingProvider } from '#testing/stand-ins/tampering-provider.ts'

const server = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })
let provider: TamperingProvider
let start: string
let workspace: Client
beforeAll(async () => {
  provider = await startTamperingProvider()
  const { id, authToken } = await server.client.call(createWorkspace, { ownerEmail: 'owner@elsewhere.test' })
  start = `${server.url}/console/oidc/start?workspace=${id}`
  workspace = server.client.with({ 'x-service-workspace-id': id, 'x-service-auth-token': authToken })
  const roles = [{ emailDomain: 'example.com', role: 'support' } as const]
  await workspace.call(updateSsoConfig, { enabled: true, issuer: provider.issuer, ...CLIENT, roles })
})

const account = (claims: { sub?: string; email?: string }): Lies => ({ claims, userInfo: claims })

describe('a provider that sends', () => {
  const INVALID = /did not pass the security checks/
  const UNVERIFIED = /does not confirm your e-mail address/
  const VALUES: [what: string, lies: Lies, expected: RegExp][] = [
    ['an empty subject', { claims: { sub: '' } }, INVALID],
    ['a subject with NUL', account({ sub: 'a\0b' }), INVALID],
    ['a subject with half of a character, which all have in common', account({ sub: 'a\ud800' }), INVALID],
    ['a subject that is longer than subjects are', account({ sub: 'a'.repeat(256) }), INVALID],
    ['an address with half of a character', account({ email: 'a\ud800@example.com' }), UNVERIFIED],
    ['an access token with a line break', { tokens: { access_token: 'a\r\nx: b' } }, INVALID],
    ['an access token that no header can have', { tokens: { access_token: '\u0100' } }, INVALID],
  ]
  for (const [what, lies, expected] of VALUES)
    it(`${what} signs nobody in`, async () => {
      provider.lies = lies
      const { status, text } = await new Browser().open(start)
      assert.ok(status < 500 || status === 502, `${status}`)
      assert.match(text, expected)
      assert.equal((await workspace.call(getOperators, {})).operators.length, 1)
    })

  it('methods of authentication that are no list is asked with the method of providers that name none', async () => {
    provider.lies = { discovery: { token_endpoint_auth_methods_supported: 5 } }
    const browser = new Browser()
    await browser.open(start)
    assert.ok(browser.cookie(server.url, 'commonhold-console'))
  })
})
