/** People who leave their company lose access with their account at its provider (rules/operators.md#single-sign-on). */
import assert from 'node:assert/strict'
import { afterEach, beforeAll, describe, it } from 'vitest'
import { inviteOperator, updateOperator } from '#contract/workspace/operators.ts'
import { createLoginLink } from '#contract/workspace/owner-email.ts'
import { updateSsoConfig } from '#contract/workspace/sso-config.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import type { Client } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import { Browser, CLIENT, type IdentityProvider, startIdentityProvider } from '#testing/stand-ins/identity-provider.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { secretOfLink, signIn, startSession, whose } from '../../../test/conformance/support/console-session.ts'
import { refused } from '../../../test/conformance/support/refused.ts'

const inbox = await startMailServer()
const server = await startServer({
  ...{ SMTP_URL: inbox.url, MAIL_FROM: 'mail@commonhold.example', WEBHOOK_ALLOW_PRIVATE: 'true' },
})
const { client } = server
let provider: IdentityProvider
let workspace: Client
let start: string
beforeAll(async () => {
  provider = await startIdentityProvider(`${server.url}/console/oidc/callback`)
  const { id, authToken } = await client.call(createWorkspace, { ownerEmail: 'owner@example.com' })
  workspace = client.with({ 'x-service-workspace-id': id, 'x-service-auth-token': authToken })
  start = `${server.url}/console/oidc/start?workspace=${id}`
  const roles = [{ group: 'staff', role: 'admin' } as const, { group: 'founders', role: 'owner' } as const]
  await workspace.call(updateSsoConfig, { enabled: true, issuer: provider.issuer, ...CLIENT, roles })
})

async function signInWithCompany(sub: string, ...groups: string[]): Promise<string> {
  const email = `${sub}@example.com`
  provider.account = { sub, email, email_verified: true, groups }
  const browser = new Browser()
  await browser.open(start)
  assert.ok(browser.cookie(server.url, 'commonhold-console'))
  return email
}

/** Requests a link by mail, and returns its secret. */
async function linkOf(email: string): Promise<string> {
  await client.call(createLoginLink, { email })
  const { text = '' } = await inbox.mailTo(email)
  return secretOfLink(/\S+#link=[\w-]{43}/.exec(text)?.[0] ?? assert.fail(text))
}

it('an operator whose role comes from a rule signs in with the company alone, while single sign-on is on', async () => {
  const link = await linkOf(await signInWithCompany('lee', 'staff'))
  const answer = await startSession(client, { link })
  assert.equal(refused(answer, 'PERMISSION_DENIED').reason, 'company_sign_in_required')
  assert.equal(answer.headers.get('set-cookie'), null)
  await workspace.call(updateSsoConfig, { enabled: false })
  assert.equal((await startSession(client, { link })).http, 200)
  await workspace.call(updateSsoConfig, { enabled: true })
})

it('an owner signs in another way too, to set up single sign-on again when it does not work', async () => {
  const link = await linkOf(await signInWithCompany('ada', 'founders'))
  assert.equal((await startSession(client, { link })).http, 200)
})

describe('a session that an operator whose role comes from a rule began in another way', () => {
  afterEach(() => server.clock.set(null))
  const HOURS = 3_600_000

  /** Returns a session that began with a link, and the id of its operator. */
  async function sessionOf(sub: string, role: 'support' | 'owner' = 'support') {
    const email = `${sub}@example.com`
    const { operator } = await workspace.call(inviteOperator, { email, role })
    const { text = '' } = await inbox.mailTo(email)
    const link = secretOfLink(/\S+#link=[\w-]{43}/.exec(text)?.[0] ?? assert.fail(text))
    return { session: await signIn(client, { link }), operatorId: operator.id }
  }

  /** Uses a session two hours before the twelve hours are over, and after them. */
  async function lastsTwelveHours(session: () => Promise<unknown>): Promise<void> {
    const began = Date.now()
    server.clock.set(new Date(began + 10 * HOURS))
    assert.notEqual(await session(), undefined)
    server.clock.set(new Date(began + 13 * HOURS))
    assert.equal(await session(), undefined)
  }

  it('ends within twelve hours of the first sign-in with the company, and so does a command line of it', async () => {
    const { session } = await sessionOf('kim')
    const call = async (by: Client, name: string, data: object) =>
      (await by.post(`/console/${name}`, data)).body.result?.data
    const [one, other] = [
      await call(client, 'device/start', { machine: 'a' }),
      await call(client, 'device/start', { machine: 'b' }),
    ]
    for (const { userCode } of [one, other]) await call(session, 'device/approve', { userCode })
    const redeemed = await call(client, 'device/poll', { deviceCode: one.deviceCode })
    await signInWithCompany('kim', 'staff')
    const later = await call(client, 'device/poll', { deviceCode: other.deviceCode })
    const commandLine = (secret: string) => client.with({ 'x-service-auth-token': secret })
    await lastsTwelveHours(async () => {
      const open = [
        await whose(session),
        await call(commandLine(redeemed.session), 'command-line/get', {}),
        await call(commandLine(later.session), 'command-line/get', {}),
      ].filter((one) => one !== undefined)
      return open.length === 3 ? open : open[0]
    })
  })

  it('ends within twelve hours after single sign-on is switched on again', async () => {
    const link = await linkOf(await signInWithCompany('max', 'staff'))
    await workspace.call(updateSsoConfig, { enabled: false })
    const session = await signIn(client, { link })
    await workspace.call(updateSsoConfig, { enabled: true })
    await lastsTwelveHours(() => whose(session))
  })

  it('ends within twelve hours after the operator is no longer an owner', async () => {
    const { session, operatorId } = await sessionOf('sue', 'owner')
    await signInWithCompany('sue', 'founders')
    await workspace.call(updateOperator, { operatorId, role: 'admin' })
    await lastsTwelveHours(() => whose(session))
  })

  it('lasts as long as before if the operator is an owner or was invited in person', async () => {
    const sessions = [await sessionOf('amy', 'owner'), await sessionOf('ned')]
    await signInWithCompany('amy', 'founders')
    await signInWithCompany('ned')
    for (const hours of [10, 20]) {
      server.clock.set(new Date(Date.now() + hours * HOURS))
      for (const { session } of sessions) assert.notEqual(await whose(session), undefined)
    }
  })
})
