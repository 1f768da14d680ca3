/**
 * A test of a connection names the wrong setting, runs the whole sign-in, and signs nobody in
 * (rules/operators.md#single-sign-on).
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, beforeEach, describe, it } from 'vitest'
import type { DataOf } from '#contract/core/operation.ts'
import { getOperators, inviteOperator } from '#contract/workspace/operators.ts'
import { getSsoConfig, testSsoConfig, updateSsoConfig } from '#contract/workspace/sso-config.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { type Client, createClient } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import {
  Browser,
  CLIENT,
  type IdentityProvider,
  startIdentityProvider,
  type TestAccount,
  type Visited,
} from '#testing/stand-ins/identity-provider.ts'
import { type Lies, startTamperingProvider, type TamperingProvider } from '#testing/stand-ins/tampering-provider.ts'
import { signInAs } from '../../../test/conformance/support/console-session.ts'
import { eventsOfWorkspace } from '../../../test/conformance/support/events.ts'
import { refused } from '../../../test/conformance/support/refused.ts'

const server = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const http = createClient(server.url)
const CALLBACK = `${server.url}/console/oidc/callback`
const ROLES = [{ emailDomain: 'example.com', role: 'support' } as const]
const ADA = { sub: 'ada', email: 'ada@example.com', email_verified: true, name: 'Ada <b>' }

let provider: IdentityProvider
let elsewhere: IdentityProvider
let tampering: TamperingProvider
beforeAll(async () => {
  provider = await startIdentityProvider(CALLBACK)
  elsewhere = await startIdentityProvider('https://elsewhere.example/callback')
  tampering = await startTamperingProvider()
})

let id: string
let token: Client
let count = 0
beforeEach(async () => {
  server.clock.set(null)
  tampering.lies = {}
  const created = await http.call(createWorkspace, { ownerEmail: `owner${++count}@example.com` })
  id = created.id
  token = http.with({ 'x-service-workspace-id': id, 'x-service-auth-token': created.authToken })
})

const test = (data: DataOf<typeof testSsoConfig> = {}, by = token) => by.call(testSsoConfig, data)
const goodSettings = () => ({ issuer: provider.issuer, ...CLIENT, roles: ROLES })

/** Tests settings that the provider accepts, and opens the rest of the test in a browser. */
async function testInBrowser(
  account: TestAccount = ADA,
  data: DataOf<typeof testSsoConfig> = goodSettings(),
  browser = new Browser(),
): Promise<Visited & { browser: Browser }> {
  provider.account = account
  const { url, problem } = await test(data)
  return { ...(await browser.open(url ?? assert.fail(JSON.stringify(problem)))), browser }
}

/** Rows that a test must not change. */
async function everything(): Promise<unknown> {
  const { rows } = await server.db.query(
    `select (select count(*) from operator_identities) as identities, (select count(*) from console_sessions) as sessions`,
  )
  return [
    rows,
    await token.call(getOperators, {}),
    await token.call(getSsoConfig, {}),
    await eventsOfWorkspace(server.db, id),
  ]
}

describe('testing the settings', () => {
  const WRONG: [what: string, settings: () => object, code: string, setting: string, says: RegExp][] = [
    ['nothing', () => ({}), 'issuer_missing', 'issuer', /issuer URL is not set/],
    ['no client id', () => ({ issuer: provider.issuer }), 'client_id_missing', 'clientId', /client id is not set/],
    [
      'a host that does not exist',
      () => ({ issuer: 'http://nowhere.invalid', clientId: 'a' }),
      'issuer_unreachable',
      'issuer',
      /no such host|nowhere\.invalid/,
    ],
    [
      'a port that is closed',
      () => ({ issuer: 'http://127.0.0.1:1', clientId: 'a' }),
      'issuer_unreachable',
      'issuer',
      /refuses connections/,
    ],
    [
      'a page that is no provider',
      () => ({ issuer: server.url, clientId: 'a' }),
      'discovery_missing',
      'issuer',
      /HTTP 404/,
    ],
    [
      'another path of the provider',
      () => ({ issuer: `${provider.issuer}/realm`, clientId: 'a' }),
      'discovery_missing',
      'issuer',
      /realm/,
    ],
    [
      'an unknown client id',
      () => ({ ...goodSettings(), clientId: 'unknown' }),
      'client_id_unknown',
      'clientId',
      /client id unknown/,
    ],
    [
      'a redirect URI that is not registered',
      () => ({ ...goodSettings(), issuer: elsewhere.issuer }),
      'redirect_uri_unregistered',
      'redirectUri',
      /console\/oidc\/callback\/[0-9a-f]{32} is not registered/,
    ],
    [
      'a wrong client secret',
      () => ({ ...goodSettings(), clientSecret: 'wrong' }),
      'client_secret_wrong',
      'clientSecret',
      /does not accept the client secret/,
    ],
    [
      'no client secret',
      () => ({ ...goodSettings(), clientSecret: '' }),
      'client_secret_missing',
      'clientSecret',
      /wants a client secret/,
    ],
  ]

  for (const [what, settings, code, setting, says] of WRONG)
    it(`with ${what} names the one to change`, async () => {
      const before = await everything()
      const { problem, url } = await test(settings())
      assert.deepEqual([problem?.code, problem?.setting, url], [code, setting, undefined])
      assert.match(`${problem?.message}`, says)
      assert.ok((problem?.next.length ?? 0) > 10)
      assert.deepEqual(await everything(), before)
    })

  const LIES: [what: string, lies: Lies, code: string, says: RegExp][] = [
    [
      'calls itself otherwise',
      { discovery: { issuer: 'https://other.example/\u202e' } },
      'issuer_differs',
      /set the issuer URL to https:\/\/other\.example\/, exactly/,
    ],
    [
      'names no address to sign in',
      { discovery: { authorization_endpoint: undefined } },
      'discovery_invalid',
      /without \/\.well-known/,
    ],
    ['names itself with a word', { discovery: { issuer: 'me' } }, 'discovery_invalid', /without \/\.well-known/],
    [
      'names a token endpoint that is down',
      { discovery: { token_endpoint: 'http://127.0.0.1:1/' } },
      'endpoint_unreachable',
      /names this address/,
    ],
    ['has a token endpoint that fails', { tokenStatus: 503 }, 'endpoint_failed', /Try again/],
  ]

  for (const [what, lies, code, says] of LIES)
    it(`reports a provider that ${what}`, async () => {
      tampering.lies = lies
      const { problem } = await test({ issuer: tampering.issuer, ...CLIENT })
      assert.equal(problem?.code, code, JSON.stringify(problem))
      assert.match(`${problem?.next}`, says)
    })

  it('understands the pages with which other providers refuse a request', async () => {
    const pages: [status: number, text: string, code: string | undefined][] = [
      [400, '<p>Invalid parameter: redirect_uri</p>', 'redirect_uri_unregistered'],
      [400, '<p>Client not found.</p>', 'client_id_unknown'],
      [403, '<p>Unknown client: commonhold</p>', 'client_id_unknown'],
      [400, '<p>Something else</p>', 'request_refused'],
      [403, '<p>Are you a robot? /auth?redirect_uri=https://example.com</p>', undefined],
      [200, '<p>Sign in</p>', undefined],
    ]
    let page: [status: number, text: string] = [200, '']
    const other = createServer((_request, response) =>
      response.writeHead(page[0], { 'content-type': 'text/html' }).end(page[1]),
    )
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    cleanUp(() => {
      other.close()
    })
    const authorization_endpoint = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`
    tampering.lies = { discovery: { authorization_endpoint } }
    for (const [status, text, code] of pages) {
      page = [status, text]
      assert.equal((await test({ issuer: tampering.issuer, ...CLIENT })).problem?.code, code, text)
    }
  })

  it('uses the stored secret for the stored issuer, and for no other', async () => {
    await token.call(updateSsoConfig, goodSettings())
    assert.equal((await test()).problem, undefined)
    assert.equal((await test({ clientId: CLIENT.clientId, roles: [] })).problem, undefined)
    const sent: string[] = []
    const thief = createServer((request, response) => {
      sent.push(request.headers.authorization ?? '')
      const { port } = thief.address() as AddressInfo
      const issuer = `http://127.0.0.1:${port}`
      const endpoints = {
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ issuer, ...endpoints }))
    })
    await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve))
    cleanUp(() => {
      thief.close()
    })
    await test({ issuer: `http://127.0.0.1:${(thief.address() as AddressInfo).port}` })
    assert.ok(sent.length >= 3)
    assert.deepEqual(new Set(sent), new Set(['']))
  })

  it('is for owners who have signed in recently', async () => {
    for (const role of ['support', 'developer', 'admin'] as const)
      refused(await (await signInAs(token, role)).post(testSsoConfig.path, {}), 'PERMISSION_DENIED')
    assert.equal((await test({}, await signInAs(token, 'owner'))).problem?.code, 'issuer_missing')
  })
})

describe('the rest of a test, in a browser', () => {
  it('shows the operator that the account would sign in as, and neither signs in nor adds anybody', async () => {
    const before = await everything()
    const { status, text, browser } = await testInBrowser({ ...ADA, groups: ['platform'] })
    assert.equal(status, 200)
    assert.match(text, /<h1>The connection works<\/h1>/)
    assert.match(text, /a new operator, with the role <strong>support<\/strong>, by rule 1\./)
    assert.match(text, /ada@example\.com.*Ada &lt;b&gt;.*platform/s)
    assert.equal(browser.cookie(server.url, 'commonhold-console'), undefined)
    assert.deepEqual(await everything(), before)
  })

  it('works while single sign-on is off, and names the existing operator who would be signed in', async () => {
    await token.call(inviteOperator, { email: 'kim@elsewhere.test', name: 'Kim', role: 'developer' })
    const { text } = await testInBrowser({ sub: 'kim', email: 'kim@elsewhere.test', email_verified: true })
    assert.match(text, /the operator Kim, with the role <strong>developer<\/strong>, which was given in person/)
    const { operators } = await token.call(getOperators, {})
    assert.equal(operators.find(({ name }) => name === 'Kim')?.lastSeenAt, undefined)
  })

  const REFUSED: [what: string, account: TestAccount, setting: string, says: RegExp][] = [
    [
      'of another domain',
      { ...ADA, email: 'ada@other.example' },
      'Rules for roles',
      /its address is ada@other\.example, and it is in no group/,
    ],
    ['without an address', { sub: 'nobody' }, 'at the provider', /sends no e-mail address/],
    [
      'with an address that is not verified',
      { ...ADA, email_verified: false },
      'at the provider',
      /does not say that it is verified/,
    ],
  ]
  for (const [what, account, setting, says] of REFUSED)
    it(`says why an account ${what} would be refused`, async () => {
      const before = await everything()
      const { status, text } = await testInBrowser(account)
      assert.equal(status, 422)
      assert.match(text, /<h1>The connection works, but this account would be refused<\/h1>/)
      assert.match(text, says)
      assert.ok(text.includes(`<strong>${setting}</strong>`), text)
      assert.deepEqual(await everything(), before)
    })

  it('reports that an owner would be refused if no rule makes the account an owner', async () => {
    const { text } = await testInBrowser({ ...ADA, email: `owner${count}@example.com` })
    assert.match(text, /You are an owner of this workspace/)
  })

  const now = Math.floor(Date.now() / 1000)
  const LIES: [what: string, lies: Lies, setting: string, says: RegExp][] = [
    [
      'a signing key that is not published',
      { signature: 'foreign' },
      'at the provider',
      /signed with a key that the provider does not publish/,
    ],
    ['no signature', { signature: 'none' }, 'at the provider', /not signed/],
    [
      'a clock that is behind',
      { claims: { iat: now - 7500, exp: now - 7200 } },
      'of this server',
      /clock of the provider is 2 hours behind the clock of this server/,
    ],
    [
      'a clock that is ahead',
      { claims: { iat: now + 10_800, nbf: now + 10_800 } },
      'of this server',
      /clock of the provider is 3 hours ahead of/,
    ],
    ['a token for another client', { claims: { aud: 'other' } }, 'Client id', /made out for another client/],
    ['a token of another issuer', { claims: { iss: 'https://other.example' } }, 'Issuer URL', /names another issuer/],
    ['no token', { idToken: '' }, 'at the provider', /ID token/],
    ['the user info of somebody else', { userInfo: { sub: 'mallory' } }, 'at the provider', /about another account/],
    [
      'a refusal',
      { redirect: { error: 'access_denied', error_description: '<script>' } },
      'at the provider',
      /did not let this account in/,
    ],
  ]
  for (const [what, lies, setting, says] of LIES)
    it(`reports a fault: ${what}`, async () => {
      const { url } = await test({ issuer: tampering.issuer, ...CLIENT, roles: ROLES })
      tampering.lies = lies
      const { status, text } = await new Browser().open(url ?? assert.fail())
      assert.equal(status, 422)
      assert.match(text, /<h1>The connection does not work<\/h1>/)
      assert.match(text, says)
      assert.ok(text.includes(`<strong>${setting}</strong>`), text)
      assert.ok(!text.includes('<script'))
    })

  it('can be used once, in one browser, for five minutes', async () => {
    provider.account = ADA
    const { url = '', expiresAt = 0 } = await test(goodSettings())
    assert.ok(expiresAt > Date.now() + 200_000 && expiresAt < Date.now() + 400_000)
    const browser = new Browser()
    await fetch(url, { method: 'HEAD' }) // as programs do that look at the links in a mail or a chat
    const { url: callback } = await browser.open(url, { until: CALLBACK })
    await fetch(callback, { method: 'HEAD' })
    assert.match((await new Browser().open(url)).text, /has expired, or was already used/)
    assert.match((await new Browser().open(callback)).text, /was started in another browser/)
    assert.equal((await browser.open(callback)).status, 200)
    assert.match((await browser.open(callback)).text, /was already used/)
    const late = (await test(goodSettings())).url ?? ''
    const { url: other } = await browser.open((await test(goodSettings())).url ?? '', { until: CALLBACK })
    server.clock.set(new Date(Date.now() + 301_000))
    assert.match((await browser.open(late)).text, /has expired/)
    assert.match((await browser.open(other)).text, /has expired/)
  })

  it('is not a sign-in: its ticket is not accepted as the state of one', async () => {
    const { url = '' } = await test(goodSettings())
    const ticket = new URL(url).searchParams.get('ticket') ?? ''
    const browser = new Browser()
    await browser.open(`${server.url}/console/oidc/test?ticket=unknown`)
    const page = await browser.open(`${CALLBACK}/${id}?state=${ticket}&code=any`)
    assert.match(page.text, /has expired, was already used, or was started in another browser/)
    for (const from of ['cross-site', 'same-site'])
      assert.match((await browser.open(url, { headers: { 'sec-fetch-site': from } })).text, /Another website/)
  })
})

describe('a page about a failure', () => {
  it('has a next step, a way back, and a reference that is the id of the request', async () => {
    const response = await fetch(`${server.url}/console/oidc/callback?state=unknown`)
    const text = await response.text()
    assert.match(text, /<style>/)
    assert.match(text, /Start again on the sign-in page/)
    assert.match(text, /href="\/console\/"/)
    assert.ok(text.includes(`<code>${response.headers.get('x-request-id')}</code>`))
    assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'; style-src 'sha256-/)
  })
})
