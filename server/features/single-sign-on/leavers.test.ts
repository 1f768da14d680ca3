/** People who leave their company lose access with their account at its provider (rules/operators.md#single-sign-on). */
import assert from 'node:assert/strict'
import { beforeAll, it } from 'vitest'
import { createLoginLink } from '#contract/workspace/owner-email.ts'
import { updateSsoConfig } from '#contract/workspace/sso-config.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import type { Client } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import { Browser, CLIENT, type IdentityProvider, startIdentityProvider } from '#testing/stand-ins/identity-provider.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { secretOfLink, startSession } from '../../../test/conformance/support/console-session.ts'
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
