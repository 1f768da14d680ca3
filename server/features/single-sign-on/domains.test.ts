/** Domains of single sign-on: only a domain that the DNS proves directs people to the workspace (rules/operators.md#domains). */
import assert from 'node:assert/strict'
import { beforeAll, beforeEach, describe, it } from 'vitest'
import { getSsoConfig, type SsoDomain, updateSsoConfig, verifySsoDomain } from '#contract/workspace/sso-config.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import { type Answer, type Client, createClient } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import { Browser, CLIENT, type IdentityProvider, startIdentityProvider } from '#testing/stand-ins/identity-provider.ts'
import { startNameServer } from '#testing/stand-ins/name-server.ts'
import { SESSION, signInAs, whose } from '../../../test/conformance/support/console-session.ts'
import { eventsOfWorkspace } from '../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const dns = await startNameServer()
const server = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'true', DNS_SERVERS: dns.address })
const http = createClient(server.url)
let provider: IdentityProvider
beforeAll(async () => {
  provider = await startIdentityProvider(`${server.url}/console/oidc/callback`)
})

interface Workspace {
  id: string
  token: Client
}

let count = 0
async function newWorkspace(...domains: string[]): Promise<Workspace> {
  const { id, authToken } = await http.call(createWorkspace, { ownerEmail: `owner${++count}@example.com` })
  const token = http.with({ 'x-service-workspace-id': id, 'x-service-auth-token': authToken })
  const roles = [{ emailDomain: 'example.com', role: 'support' } as const]
  await token.call(updateSsoConfig, { enabled: true, issuer: provider.issuer, ...CLIENT, roles, domains })
  return { id, token }
}

const domainsOf = async ({ token }: Workspace) => (await token.call(getSsoConfig, {})).domains
const verify = ({ token }: Workspace, domain: string) => token.call(verifySsoDomain, { domain })
const isVerified = async (of: Workspace, domain: string) =>
  (await domainsOf(of)).some((one) => one.domain === domain && one.verifiedAt !== undefined)

/** Adds the record of a workspace to those of the name. */
async function publish(of: Workspace, domain: string, ...others: string[]): Promise<SsoDomain> {
  const found = (await domainsOf(of)).find((one) => one.domain === domain) ?? assert.fail(domain)
  dns.records.set(found.recordName, [...(dns.records.get(found.recordName) ?? []), found.recordValue, ...others])
  return found
}

const foundBy = ({ body }: Answer): unknown => body.result.data.isFound
const find = async (domain: string) => foundBy(await http.with(SESSION).post('/console/oidc/find', { domain }))
const start = (domain: string) =>
  new Browser().open(`${server.url}/console/oidc/start?${new URLSearchParams({ domain })}`, { until: provider.issuer })

/** Asserts that a domain directs nobody to a provider. */
async function leadsNowhere(domain: string): Promise<void> {
  assert.equal(await find(domain), false)
  const { status, text } = await start(domain)
  assert.equal(status, 404)
  assert.match(text, /No workspace of this server has set up sign-in/)
}

beforeEach(() => {
  dns.records.clear()
  dns.isSilent = false
})

describe('a domain of single sign-on', () => {
  it('has no effect while it is only claimed, whatever else the DNS has', async () => {
    const claiming = await newWorkspace('claimed.example')
    await leadsNowhere('claimed.example')
    assert.equal((await verify(claiming, 'claimed.example')).problem?.code, 'record_missing')
    const other = await newWorkspace('claimed.example')
    const { recordName, recordValue } = await publish(other, 'claimed.example')
    assert.match(recordName, /^_commonhold-challenge\.claimed\.example$/)
    assert.ok(!recordValue.includes(other.id))
    assert.equal((await verify(claiming, 'claimed.example')).problem?.code, 'record_differs')
    dns.records.set('claimed.example', [(await domainsOf(claiming))[0]?.recordValue ?? ''])
    assert.equal((await verify(claiming, 'claimed.example')).problem?.code, 'record_differs')
    assert.equal(await isVerified(claiming, 'claimed.example'), false)
    await leadsNowhere('claimed.example')
  })

  it('directs to the provider once the record exists, in any spelling, and signs in', async () => {
    const workspace = await newWorkspace('Example.COM', 'bücher.example')
    assert.match(
      (await workspace.token.call(getSsoConfig, {})).signInUrl,
      new RegExp(`/console/sign-in/${workspace.id}$`),
    )
    await publish(workspace, 'example.com', 'unrelated')
    await publish(workspace, 'xn--bcher-kva.example', 'x'.repeat(600))
    const before = (await eventsOfWorkspace(server.db, workspace.id)).length
    for (const domain of ['EXAMPLE.com', 'bücher.example', 'example.com'])
      assert.equal((await verify(workspace, domain)).problem, undefined, domain)
    const events = (await eventsOfWorkspace(server.db, workspace.id)).slice(before)
    assert.deepEqual(
      events.map(({ type, after }) => [type, after]),
      [
        ['sso_domain.verified', { domain: 'example.com' }],
        ['sso_domain.verified', { domain: 'xn--bcher-kva.example' }],
      ],
    )
    assert.match((await workspace.token.call(getSsoConfig, {})).signInUrl, /\/console\/sign-in\/example\.com$/)
    for (const domain of ['example.com', 'EXAMPLE.COM', 'example.com.', 'BÜCHER.example', 'nobody@example.com']) {
      assert.equal(await find(domain), true, domain)
      assert.ok((await start(domain)).url.startsWith(provider.issuer), domain)
    }
    for (const domain of ['sub.example.com', 'com', 'notexample.com', 'example.com.evil.test', '127.0.0.1', '%00', ' '])
      await leadsNowhere(domain)
    provider.account = { sub: 'ada', email: 'ada@example.com', email_verified: true }
    const browser = new Browser()
    await browser.open(`${server.url}/console/oidc/start?domain=example.com`)
    const cookie = `commonhold-console=${browser.cookie(server.url, 'commonhold-console')}`
    assert.equal((await whose(http.with({ ...SESSION, cookie }))).workspaceId, workspace.id)
  })

  it('has no effect once single sign-on is off, or the domain is removed', async () => {
    const workspace = await newWorkspace('leaving.example', 'staying.example')
    for (const domain of ['leaving.example', 'staying.example']) {
      await publish(workspace, domain)
      await verify(workspace, domain)
    }
    await workspace.token.call(updateSsoConfig, { domains: ['staying.example'] })
    await leadsNowhere('leaving.example')
    assert.equal(await find('staying.example'), true)
    await workspace.token.call(updateSsoConfig, { enabled: false })
    await leadsNowhere('staying.example')
    await workspace.token.call(updateSsoConfig, { enabled: true, domains: ['leaving.example', 'staying.example'] })
    assert.deepEqual([await find('staying.example'), await find('leaving.example')], [true, false])
  })

  it('stays with the workspace that verified it first, while its record exists', async () => {
    const [first, second] = [await newWorkspace('shared.example'), await newWorkspace('shared.example')]
    const { recordName } = await publish(first, 'shared.example')
    await verify(first, 'shared.example')
    const { recordValue } = await publish(second, 'shared.example')
    const events = (await eventsOfWorkspace(server.db, first.id)).length
    assert.equal((await verify(second, 'shared.example')).problem?.code, 'domain_taken')
    assert.deepEqual(
      [await isVerified(first, 'shared.example'), await isVerified(second, 'shared.example')],
      [true, false],
    )
    assert.equal((await eventsOfWorkspace(server.db, first.id)).length, events)

    dns.records.set(recordName, [recordValue])
    assert.equal((await verify(second, 'shared.example')).problem, undefined)
    assert.deepEqual(
      [await isVerified(first, 'shared.example'), await isVerified(second, 'shared.example')],
      [false, true],
    )
    const { type, actor, before } = (await eventsOfWorkspace(server.db, first.id)).at(-1) ?? assert.fail('no event')
    assert.deepEqual(
      [type, actor, before],
      ['sso_domain.lost', { system: 'domain verification' }, { domain: 'shared.example' }],
    )
  })

  it('is verified for one of several workspaces that verify it concurrently', async () => {
    const all = [
      await newWorkspace('raced.example'),
      await newWorkspace('raced.example'),
      await newWorkspace('raced.example'),
    ]
    for (const one of all) await publish(one, 'raced.example')
    const problems = await Promise.all(all.map(async (one) => (await verify(one, 'raced.example')).problem?.code))
    assert.equal(problems.filter((code) => code === undefined).length, 1)
    assert.equal(problems.filter((code) => code === 'domain_taken').length, 2)
  })

  it('stays verified when the DNS does not answer', async () => {
    const workspace = await newWorkspace('silent.example')
    await publish(workspace, 'silent.example')
    await verify(workspace, 'silent.example')
    dns.records.clear()
    assert.equal((await verify(workspace, 'silent.example')).problem?.code, 'record_missing')
    assert.equal(await find('silent.example'), true)
    const { problem } = await (await deaf()).call(verifySsoDomain, { domain: 'silent.example' })
    assert.deepEqual([problem?.code, problem?.setting], ['dns_failed', 'server'])
  })

  it('is refused if it is not a domain, or does not belong to the workspace', async () => {
    const workspace = await newWorkspace('example.org')
    for (const domain of [
      'example',
      '127.0.0.1',
      'a b.example',
      '*.example.com',
      'ada@example.com',
      '-a.example',
      'a..example',
    ]) {
      refusedField(await workspace.token.post(updateSsoConfig.path, { domains: [domain] }), 'domains[0]')
      refusedField(await workspace.token.post(verifySsoDomain.path, { domain }), 'domain')
    }
    const unknown = await workspace.token.post(verifySsoDomain.path, { domain: 'example.net' })
    assert.equal(refused(unknown, 'NOT_FOUND').reason, 'sso_domain_does_not_exist')
    assert.deepEqual(
      (await domainsOf(workspace)).map(({ domain }) => domain),
      ['example.org'],
    )
    for (const role of ['support', 'developer', 'admin'] as const)
      refused(
        await (await signInAs(workspace.token, role)).post(verifySsoDomain.path, { domain: 'example.org' }),
        'PERMISSION_DENIED',
      )
  })
})

/** A workspace of a server whose name server does not answer. */
async function deaf(): Promise<Client> {
  const other = await startServer()
  const { id, authToken } = await other.client.call(createWorkspace, { ownerEmail: 'ada@example.com' })
  const token = other.client.with({ 'x-service-workspace-id': id, 'x-service-auth-token': authToken })
  await token.call(updateSsoConfig, { domains: ['silent.example'] })
  return token
}

describe('looking up a domain', () => {
  it('is limited by address, and reveals nothing about people', async () => {
    const limited = await startServer({ RATE_LIMIT_PUBLIC: '3', DNS_SERVERS: dns.address })
    const anybody = createClient(limited.url).with(SESSION)
    const answers = []
    for (const domain of ['a.example', 'b.example', 'c.example'])
      answers.push(foundBy(await anybody.post('/console/oidc/find', { domain })))
    assert.deepEqual(answers, [false, false, false])
    refused(await anybody.post('/console/oidc/find', { domain: 'd.example' }), 'RESOURCE_EXHAUSTED')
    const page = await fetch(`${limited.url}/console/oidc/start?domain=d.example`)
    const text = await page.text()
    assert.deepEqual([page.status, page.headers.get('retry-after') !== null], [429, true])
    assert.match(text, /<h1>Too many attempts<\/h1>/)
    assert.ok(text.includes(page.headers.get('x-request-id') ?? '-'))
  })

  it('needs the header of the console', async () => {
    assert.equal(
      refused(await http.post('/console/oidc/find', { domain: 'a.example' }), 'INVALID_ARGUMENT').reason,
      'header_missing',
    )
  })
})
