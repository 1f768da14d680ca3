/**
 * Providers that send false data, or values that are no subject, address or token, sign nobody in, and the page says what
 * happened (rules/operators.md#single-sign-on).
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

const isSignedIn = (browser: Browser) => browser.cookie(server.url, 'commonhold-console') !== undefined
const addresses = async () => (await workspace.call(getOperators, {})).operators.map(({ email }) => email)

/** Signs in the account that the provider names if it does not lie. */
async function signInHonestly(): Promise<void> {
  provider.lies = {}
  const browser = new Browser()
  await browser.open(start)
  assert.ok(isSignedIn(browser))
}

/** Claims that the ID token and the user info have. */
const account = (claims: { sub?: string; email?: string }): Lies => ({ claims, userInfo: claims })

describe('a provider that sends', () => {
  const INVALID = /did not pass the security checks/
  const UNVERIFIED = /does not confirm your e-mail address/
  const OTHER_ISSUER = 'https://other.example'
  const MALLORY = { sub: 'mallory' }
  const now = Math.floor(Date.now() / 1000)
  const LIES: [what: string, lies: Lies | (() => Lies), expected?: RegExp][] = [
    ['a token for another audience', { claims: { aud: 'other' } }],
    ['a token for several audiences and another party', { claims: { aud: ['commonhold', 'other'], azp: 'other' } }],
    ['a token with another nonce', { claims: { nonce: 'another' } }],
    ['a token without a nonce', { claims: { nonce: undefined } }],
    ['a token of another issuer', { claims: { iss: OTHER_ISSUER } }],
    ['an expired token', { claims: { iat: now - 7200, exp: now - 3600 } }],
    ['a token without an expiry', { claims: { exp: undefined } }],
    ['a token signed with another key', { signature: 'foreign' }],
    ['a token that is not signed', { signature: 'none' }],
    ['a token of an earlier sign-in', () => ({ idToken: provider.issued.at(-1) ?? assert.fail() })],
    ['no token', { idToken: '' }],
    ['the user info of another account', { userInfo: { sub: 'ada' } }],
    ['a discovery document of another issuer', { discovery: { issuer: OTHER_ISSUER } }],
    ['a redirect that names another issuer', { redirect: { iss: OTHER_ISSUER } }],
    ['a token endpoint that fails', { tokenStatus: 503 }, /did not respond/],
    [
      'an unverified address, and another one in the user info',
      { claims: { ...MALLORY, email_verified: false }, userInfo: MALLORY },
      UNVERIFIED,
    ],
    [
      'an address that is verified “yes”',
      { claims: { ...MALLORY, email_verified: 'yes' }, userInfo: MALLORY },
      UNVERIFIED,
    ],
    [
      'a token endpoint elsewhere that is down',
      { discovery: { token_endpoint: 'http://127.0.0.1:1/' } },
      /did not respond/,
    ],
    ['an empty subject', { claims: { sub: '' } }],
    ['a subject with NUL', account({ sub: 'a\0b' })],
    ['a subject with half of a character, which all have in common', account({ sub: 'a\ud800' })],
    ['a subject that is longer than subjects are', account({ sub: 'a'.repeat(256) })],
    ['an address with half of a character', account({ ...MALLORY, email: 'a\ud800@example.com' }), UNVERIFIED],
    ['an access token with a line break', { tokens: { access_token: 'a\r\nx: b' } }],
    ['an access token that no header can have', { tokens: { access_token: '\u0100' } }],
  ]
  for (const [what, lies, expected = INVALID] of LIES)
    it(`${what} signs nobody in`, async () => {
      await signInHonestly()
      provider.lies = typeof lies === 'function' ? lies() : lies
      const browser = new Browser()
      const { status, text } = await browser.open(start)
      assert.ok(status < 500 || status === 502, `${status}`)
      assert.match(text, expected)
      assert.ok(!isSignedIn(browser))
      assert.deepEqual(await addresses(), ['owner@elsewhere.test', 'eve@example.com'])
    })

  it('methods of authentication that are no list is asked with the method of providers that name none', async () => {
    provider.lies = { discovery: { token_endpoint_auth_methods_supported: 5 } }
    const browser = new Browser()
    await browser.open(start)
    assert.ok(isSignedIn(browser))
  })
})
