/** Operators sign in with the OpenID Connect provider of their workspace (rules/operators.md#single-sign-on). */
import assert from 'node:assert/strict'
import { beforeAll, beforeEach, describe, it } from 'vitest'
import { getOperators, inviteOperator, removeOperator, updateOperator } from '#contract/workspace/operators.ts'
import { getSsoConfig, type SsoConfig, type SsoRoleRule, updateSsoConfig } from '#contract/workspace/sso-config.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
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
import { startTamperingProvider, type TamperingProvider } from '#testing/stand-ins/tampering-provider.ts'
import {
  SESSION,
  secretOfLink,
  signIn as signInWithLink,
  whose,
} from '../../../test/conformance/support/console-session.ts'
import { eventsOfWorkspace } from '../../../test/conformance/support/events.ts'

const server = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const http = createClient(server.url)
const OF_EXAMPLE: SsoRoleRule[] = [{ emailDomain: 'example.com', role: 'support' }]

let provider: IdentityProvider
let tampering: TamperingProvider
beforeAll(async () => {
  provider = await startIdentityProvider(`${server.url}/console/oidc/callback`)
  tampering = await startTamperingProvider()
})

interface Workspace {
  id: string
  token: Client
  owner: string
}

let signups = 0
async function newWorkspace(issuer = provider.issuer, roles = OF_EXAMPLE): Promise<Workspace> {
  const owner = `owner${++signups}@example.com`
  const { id, authToken } = await http.call(createWorkspace, { ownerEmail: owner })
  const token = http.with({ 'x-service-workspace-id': id, 'x-service-auth-token': authToken })
  await token.call(updateSsoConfig, { enabled: true, issuer, ...CLIENT, roles })
  return { id, token, owner }
}

let workspace: Workspace
let browser: Browser
beforeEach(async () => {
  server.clock.set(null)
  tampering.lies = {}
  workspace = await newWorkspace()
  browser = new Browser()
})

const CALLBACK = `${server.url}/console/oidc/callback`
const startOf = ({ id }: Pick<Workspace, 'id'>) => `${server.url}/console/oidc/start?workspace=${id}`

/** Signs in with the real provider. */
function signIn(account: TestAccount, by = browser, to = workspace): Promise<Visited> {
  provider.account = account
  return by.open(startOf(to))
}

/** Goes to the provider and back, up to the address of the callback, which is not opened. */
async function upToCallback(account: TestAccount = ADA, by = browser, to = workspace): Promise<string> {
  provider.account = account
  const { url } = await by.open(startOf(to), { until: CALLBACK })
  assert.ok(url.startsWith(CALLBACK), url)
  return url
}

const sessionOf = (by: Browser): Client =>
  http.with({ ...SESSION, cookie: `commonhold-console=${by.cookie(server.url, 'commonhold-console') ?? ''}` })

const signedIn = async (by = browser) => whose(sessionOf(by))

/** Asserts that a page shows a text, and that nobody is signed in. */
async function failed({ status, text }: Visited, expected: RegExp, by = browser): Promise<void> {
  assert.ok(status >= 400, `${status}: ${text}`)
  assert.match(text, expected)
  assert.equal(await signedIn(by), undefined)
}

const operatorsOf = async ({ token }: Workspace) => (await token.call(getOperators, {})).operators
const operatorOf = async (email: string, of = workspace) => (await operatorsOf(of)).find((one) => one.email === email)

const ADA = { sub: 'ada', email: 'ada@example.com', email_verified: true, name: 'Ada' }
const INVALID = /did not pass the security checks/
const OTHER_ACCOUNT = /belongs to an operator with another company account/
const STALE = /has expired, was already used, or was started in another browser/
const UNVERIFIED = /does not confirm your e-mail address/
const NOT_ADMITTED = /has no access to this workspace/

describe('an account at the provider', () => {
  it('becomes an operator by a rule for its domain, and signs in as the same one again', async () => {
    const { url, status } = await signIn(ADA)
    assert.deepEqual([url, status], [`${server.url}/console/`, 200])
    const { workspaceId, operator } = await signedIn()
    assert.deepEqual(
      { workspaceId, ...operator, id: '' },
      {
        ...{ workspaceId: workspace.id, id: '', email: ADA.email, name: 'Ada', role: 'support' },
      },
    )
    const again = new Browser()
    await signIn({ ...ADA, email: 'countess@EXAMPLE.com' }, again)
    assert.equal((await signedIn(again)).operator.id, operator.id)
    assert.equal((await operatorsOf(workspace)).length, 2)
    const events = (await eventsOfWorkspace(server.db, workspace.id)).slice(-3)
    assert.deepEqual(
      events.map(({ type, after }) => [type, (after as { method?: string }).method]),
      [
        ['operator.added', undefined],
        ['operator.signed_in', 'oidc'],
        ['operator.signed_in', 'oidc'],
      ],
    )
  })

  it('gets the role of the first rule that matches, at each sign-in', async () => {
    const roles: SsoRoleRule[] = [{ group: 'platform', role: 'admin' }, ...OF_EXAMPLE]
    const grouped = await newWorkspace(provider.issuer, roles)
    await signIn({ ...ADA, groups: ['platform', 'others'] }, browser, grouped)
    assert.equal((await operatorOf(ADA.email, grouped))?.role, 'admin')
    await signIn(ADA, new Browser(), grouped)
    assert.equal((await operatorOf(ADA.email, grouped))?.role, 'support')
  })

  it('is refused once no rule matches, if a rule gave it a role before', async () => {
    const grouped = await newWorkspace(provider.issuer, [{ group: 'platform', role: 'developer' }])
    await signIn({ ...ADA, groups: ['platform'] }, browser, grouped)
    await failed(await signIn(ADA, new Browser(), grouped), NOT_ADMITTED, new Browser())
  })

  it('is refused if no rule matches and nobody has invited the address', async () => {
    await failed(await signIn({ ...ADA, email: 'ada@example.com.evil.test' }), NOT_ADMITTED)
    await failed(await signIn({ ...ADA, email: 'ada@sub.example.com' }), NOT_ADMITTED)
    assert.equal((await operatorsOf(workspace)).length, 1)
  })

  it('signs in as the operator who was invited with its address, with the role of the invitation', async () => {
    const { operator } = await workspace.token.call(inviteOperator, { email: 'Kim@elsewhere.test', role: 'developer' })
    await signIn({ sub: 'kim', email: 'kim@elsewhere.test', email_verified: true })
    assert.deepEqual((await signedIn()).operator, {
      ...(await signedIn()).operator,
      id: operator.id,
      role: 'developer',
    })
    await signIn({ sub: 'kim' }, new Browser())
    const other = new Browser()
    await failed(
      await signIn({ sub: 'another', email: 'kim@elsewhere.test', email_verified: true }, other),
      OTHER_ACCOUNT,
      other,
    )
  })

  it('revokes the access that the inviter of its operator, who had the link, has left behind', async () => {
    const invited = { email: 'kim@elsewhere.test', role: 'admin' } as const
    const { link = '' } = await workspace.token.call(inviteOperator, invited)
    const thief = await signInWithLink(http, { link: secretOfLink(link) })
    await signIn({ sub: 'kim', email: invited.email, email_verified: true })
    assert.equal((await signedIn()).operator.email, invited.email)
    assert.equal(await whose(thief), undefined)
    const again = new Browser()
    await signIn({ sub: 'kim' }, again)
    assert.deepEqual((await signedIn()).operator, (await signedIn(again)).operator)
  })

  it('is refused without a verified address', async () => {
    await failed(await signIn({ ...ADA, email_verified: false }), UNVERIFIED)
    const { email_verified: _, ...unknown } = ADA
    await failed(await signIn(unknown, new Browser()), UNVERIFIED)
    await failed(await signIn({ sub: 'nobody' }, new Browser()), UNVERIFIED)
    await failed(await signIn({ ...ADA, email: workspace.owner, email_verified: false }, new Browser()), UNVERIFIED)
    assert.equal((await operatorsOf(workspace)).length, 1)
  })

  it('is not matched with an operator whose address only folds to the same letters', async () => {
    await workspace.token.call(inviteOperator, { email: 'kim@elsewhere.test', role: 'admin' })
    await workspace.token.call(updateSsoConfig, { roles: [{ emailDomain: 'kelvin.test', role: 'admin' }] })
    const kim = { sub: 'kelvin', email: '\u212aim@elsewhere.test', email_verified: true }
    await failed(await signIn(kim), NOT_ADMITTED)
    await failed(await signIn({ ...ADA, email: 'ada@\u212aelvin.test' }, new Browser()), NOT_ADMITTED)
  })

  it('becomes one operator when it signs in twice at the same time', async () => {
    const browsers = [browser, new Browser(), new Browser()]
    const callbacks: string[] = []
    for (const one of browsers) callbacks.push(await upToCallback(ADA, one))
    await Promise.all(browsers.map((one, index) => one.open(callbacks[index] ?? '')))
    const ids = await Promise.all(browsers.map(async (one) => (await signedIn(one)).operator.id))
    assert.equal(new Set(ids).size, 1)
    assert.equal((await operatorsOf(workspace)).length, 2)
  })

  it('becomes owner only by a rule for owners, and the last owner stays one', async () => {
    const asOwner = { ...ADA, email: workspace.owner }
    await failed(await signIn(asOwner), /You are an owner of this workspace/)
    await workspace.token.call(updateSsoConfig, { roles: [{ emailDomain: 'example.com', role: 'owner' }] })
    await signIn(asOwner)
    assert.equal((await signedIn()).operator.role, 'owner')
    await workspace.token.call(updateSsoConfig, { roles: OF_EXAMPLE })
    const last = new Browser()
    await failed(await signIn(asOwner, last), /You are an owner of this workspace/, last)
    assert.equal((await operatorOf(workspace.owner))?.role, 'owner')
  })

  it('does not become owner because its operator became one, unless a rule says so', async () => {
    await workspace.token.call(updateSsoConfig, { roles: [] })
    const { operator } = await workspace.token.call(inviteOperator, { email: ADA.email, role: 'admin' })
    await signIn(ADA)
    assert.equal((await signedIn()).operator.role, 'admin')
    await workspace.token.call(updateOperator, { operatorId: operator.id, role: 'owner' })
    const other = new Browser()
    await failed(await signIn(ADA, other), /You are an owner of this workspace/, other)
    assert.equal((await operatorOf(ADA.email))?.role, 'owner')
    await workspace.token.call(updateSsoConfig, { roles: [{ emailDomain: 'example.com', role: 'owner' }] })
    await signIn(ADA, other)
    assert.equal((await signedIn(other)).operator.role, 'owner')
  })

  it('is added again after its operator was removed, while a rule matches', async () => {
    await signIn(ADA)
    const first = await operatorOf(ADA.email)
    await workspace.token.call(removeOperator, { operatorId: first?.id ?? '' })
    assert.equal(await signedIn(), undefined)
    await signIn(ADA)
    assert.notEqual((await operatorOf(ADA.email))?.id, first?.id)
  })

  it('gets a session of twelve hours', async () => {
    await signIn(ADA)
    for (const [hours, is] of [
      [11, true],
      [12, false],
    ] as const) {
      server.clock.set(new Date(Date.now() + hours * 3_600_000 + 60_000))
      assert.equal((await signedIn()) !== undefined, is, `${hours} hours`)
    }
  })

  it('with the subject of an account at another provider is a different one', async () => {
    await signIn({ ...ADA, sub: 'eve', email: 'eve@example.com' })
    const own = (await signedIn()).operator.id
    await workspace.token.call(updateOperator, { operatorId: own, role: 'admin' })
    await workspace.token.call(updateSsoConfig, { issuer: tampering.issuer, roles: [] })
    tampering.lies = { claims: { email: 'someone@elsewhere.test' }, userInfo: { email: 'someone@elsewhere.test' } }
    const eve = new Browser()
    await failed(await eve.open(startOf(workspace)), NOT_ADMITTED, eve)
  })
})

describe('a callback', () => {
  it('counts once', async () => {
    const callback = await upToCallback()
    assert.equal((await browser.open(callback)).status, 200)
    const session = await signedIn()
    const { status, text } = await browser.open(callback)
    assert.ok(status === 400 && STALE.test(text), text)
    assert.deepEqual(await signedIn(), session)
  })

  it('counts in one of many concurrent calls', async () => {
    const callback = await upToCallback()
    const all = await Promise.all(Array.from({ length: 5 }, () => browser.open(callback)))
    assert.equal(all.filter(({ status }) => status === 200).length, 1)
  })

  it('does not count in another browser, and is not used up there', async () => {
    const callback = await upToCallback()
    const other = new Browser()
    await failed(await other.open(callback), STALE, other)
    await upToCallback(ADA, other)
    await failed(await other.open(callback), STALE, other)
    assert.equal((await browser.open(callback)).status, 200)
  })

  it('does not count after ten minutes', async () => {
    const callback = await upToCallback()
    server.clock.set(new Date(Date.now() + 601_000))
    await failed(await browser.open(callback), STALE)
  })

  it('does not count with another or without a state', async () => {
    const callback = new URL(await upToCallback())
    callback.searchParams.set('state', 'A'.repeat(43))
    await failed(await browser.open(callback.href), STALE)
    callback.searchParams.delete('state')
    await failed(await browser.open(callback.href), STALE)
    await failed(await browser.open(`${CALLBACK}/${workspace.id}`), STALE)
    await failed(await browser.open(CALLBACK), STALE)
    for (const text of ['%00', '%F0%9F%98%80'])
      await failed(await browser.open(`${CALLBACK}/${text}${callback.search}`), STALE)
  })

  it('does not count with the code of another sign-in', async () => {
    const other = new Browser()
    const theirs = new URL(await upToCallback({ ...ADA, sub: 'theirs' }, other))
    const callback = new URL(await upToCallback())
    callback.searchParams.set('code', theirs.searchParams.get('code') ?? '')
    await failed(await browser.open(callback.href), INVALID)
  })

  it('counts only at the address of its workspace, so that no provider gets a code of another one', async () => {
    const stranger = await newWorkspace(tampering.issuer)
    const callback = new URL((await browser.open(startOf(stranger), { until: CALLBACK })).url)
    const [{ redirectUri }, theirs] = (await Promise.all(
      [workspace, stranger].map(({ token }) => token.call(getSsoConfig, {})),
    )) as [SsoConfig, SsoConfig]
    assert.equal(`${callback.origin}${callback.pathname}`, theirs.redirectUri)
    assert.notEqual(redirectUri, theirs.redirectUri)
    // The provider of the stranger leads to that of the workspace, which sends browsers to the address that it knows.
    const issued = tampering.issued.length
    await failed(await browser.open(`${redirectUri}${callback.search}`), STALE)
    assert.equal(tampering.issued.length, issued)
    await browser.open(callback.href)
    assert.equal((await signedIn()).workspaceId, stranger.id)
  })

  it('signs in to the workspace that it was started for, and to no other', async () => {
    const other = await newWorkspace()
    const callback = await upToCallback()
    await browser.open(`${callback}&workspace=${other.id}`)
    assert.equal((await signedIn()).workspaceId, workspace.id)
    assert.equal((await operatorsOf(other)).length, 1)
  })

  it('does not count once the workspace has switched single sign-on off, or set another provider', async () => {
    for (const change of [{ enabled: false }, { clientId: 'other' }, { issuer: tampering.issuer }]) {
      const changed = await newWorkspace()
      const callback = await upToCallback(ADA, browser, changed)
      await changed.token.call(updateSsoConfig, change)
      await failed(await browser.open(callback), change.enabled === false ? /is not set up/ : STALE)
    }
  })

  it('with an error of the provider shows none of its text', async () => {
    const { searchParams } = new URL(await upToCallback())
    const error = new URLSearchParams({ error: '<b>no</b>', error_description: '<script>alert(1)</script>' })
    const back = `${CALLBACK}/${workspace.id}?state=${searchParams.get('state')}&iss=${encodeURIComponent(provider.issuer)}&${error}`
    const page = await browser.open(back)
    await failed(page, /did not sign you in/)
    assert.ok(!/script>|<b>/.test(page.text))
  })
})

describe('a sign-in', () => {
  it('says that the provider is down, and starts no session', async () => {
    const lost = await startIdentityProvider(CALLBACK)
    const down = await newWorkspace(lost.issuer)
    const { url } = await browser.open(startOf(down), { until: `${lost.issuer}/interaction` })
    assert.ok(url.startsWith(lost.issuer))
    await lost.stop()
    await failed(await browser.open(startOf(down)), /did not respond/)
    await down.token.call(updateSsoConfig, { issuer: 'http://nowhere.invalid', ...CLIENT })
    await failed(await browser.open(startOf(down)), /Test connection&quot; under Single sign-on says whether a setting/)
  })

  it('with a wrong client secret reports that, and whom to contact', async () => {
    await workspace.token.call(updateSsoConfig, { clientSecret: 'wrong' })
    const page = await signIn(ADA)
    await failed(page, /does not accept this server: single sign-on of the workspace is not set up right/)
    assert.match(page.text, /Tell an owner of the workspace, with the reference below/)
    assert.match(page.text, /Reference: <code>[\w-]+<\/code>/)
  })

  it('is not offered for unknown workspaces, and for those without single sign-on', async () => {
    await workspace.token.call(updateSsoConfig, { enabled: false })
    for (const id of [workspace.id, 'unknown', '', '%00', 'a&workspace=b'])
      await failed(await browser.open(startOf({ id })), /is not set up for this workspace/)
  })

  it('is not started by another website', async () => {
    for (const from of ['cross-site', 'same-site'])
      await failed(await browser.open(startOf(workspace), { headers: { 'sec-fetch-site': from } }), /Another website/)
  })

  it('begins with the button of the console if its address was opened from outside, such as by a mail program', async () => {
    const outside = { redirect: 'manual', headers: { 'sec-fetch-site': 'none' } } as const
    for (const [query, place] of [
      [`workspace=${workspace.id}`, workspace.id],
      ['domain=example.com', 'example.com'],
      ['domain=%2F%2Fevil.example', '%2F%2Fevil.example'],
      ['', ''],
    ]) {
      const answer = await fetch(`${server.url}/console/oidc/start?${query}`, outside)
      assert.equal(answer.status, 303)
      assert.equal(answer.headers.get('location'), `/console/sign-in/${place}`)
      assert.equal(answer.headers.get('set-cookie'), null)
    }
    provider.account = ADA
    await browser.open(startOf(workspace), { headers: { 'sec-fetch-site': 'same-origin' } })
    assert.equal((await signedIn()).operator.email, ADA.email)
  })

  it('does not sign in somebody who signs in with a link as another operator', async () => {
    const { link = '' } = await workspace.token.call(inviteOperator, { email: 'lee@example.com', role: 'admin' })
    const lee = await signInWithLink(http, { link: secretOfLink(link) })
    await signIn(ADA)
    assert.notEqual((await whose(lee)).operator.id, (await signedIn()).operator.id)
  })
})
