/** Signing in and out of the console: with a workspace or an API key, refusals, and ended sessions. */
import assert from 'node:assert/strict'
import type { BrowserContext, Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { getOrganizations } from '#contract/resources/organizations.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { createClient } from '#testing/client.ts'
import { FULL } from '#testing/run/mode.ts'
import { startServer } from '#testing/server.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { address, newCompany } from '../support/company.ts'
import { openConsole } from '../support/console.ts'
import { fillIn, newWorkspace, signIn, signInWithKey } from '../support/sign-in.ts'
import { heading } from '../support/steps.ts'

const { server, visit } = await openConsole()
const somebody = await newWorkspace(server.url)
const { apiKey } = somebody

const stored = (page: Page) =>
  page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])') as Promise<string>

async function cookieOf(context: BrowserContext) {
  const cookie = (await context.cookies()).find(({ name }) => name.endsWith('commonhold-console'))
  assert.ok(cookie)
  return cookie
}

interface Cookie {
  name: string
  value: string
}

/** Returns who is signed in with a cookie. */
async function signedInWith(cookie: Cookie): Promise<unknown> {
  const { data } = await ask('get', cookie)
  return data?.signedIn
}

const endSession = (cookie: Cookie) => ask('end', cookie)

async function ask(verb: string, cookie: Cookie): Promise<{ data?: { signedIn?: unknown } }> {
  const response = await fetch(`${server.url}/console/session/${verb}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-service-session': 'console',
      cookie: `${cookie.name}=${cookie.value}`,
    },
    body: '{"data":{}}',
  })
  return ((await response.json()) as { result: { data?: { signedIn?: unknown } } }).result
}

describe('signing in', () => {
  it('opens the first API key of a workspace', async () => {
    const { page, faults } = await visit()
    await signIn(page, somebody)
    await heading(page, 'Overview')
    assert.equal(new URL(page.url()).pathname, `/console/keys/${apiKey}`)
    assert.equal(await page.getByRole('combobox', { name: 'API key' }).first().inputValue(), 'Acme')
    assert.deepEqual(faults, [])
  })

  it('gives an auth token access to its own API key only', async () => {
    const somebody = await newWorkspace(server.url)
    const { apiKey: sibling } = await somebody.owner.call(createApiKey, createApiKey.example)
    const { page, faults } = await visit()
    await signInWithKey(page, somebody)
    await heading(page, 'Overview')
    for (const other of [sibling, (await newWorkspace(server.url)).apiKey]) {
      await page.goto(`${server.url}/console/keys/${other}/settings/tokens`)
      await heading(page, 'Not found')
    }
    await page.goto(`${server.url}/console/keys`)
    await page.getByText('Only the workspace can do this').waitFor()
    assert.deepEqual(faults, [])
  })

  it('shows a workspace no data of another one, whichever link it opens', async () => {
    const company = await newCompany(server)
    const answers: string[] = []
    const { page, faults } = await visit(`keys/${company.apiKey}`)
    await signIn(page, somebody)
    page.on('response', async (response) => {
      // The previous page has no text any more.
      if (response.request().method() === 'POST') answers.push(await response.text().catch(() => ''))
    })
    const document = { organizationId: 'acme', type: 'document', id: 'roadmap' }
    for (const view of [
      '',
      '/organizations',
      `/${address('access', document)}`,
      `/${address('why', { ...document, userId: 'ada' })}`,
      '/users',
      '/events',
      '/settings/tokens',
      '/webhooks',
    ]) {
      await page.goto(`${server.url}/console/keys/${company.apiKey}${view}`)
      await heading(page, 'Not found')
      await page.waitForLoadState('networkidle')
    }
    assert.doesNotMatch(answers.join(), /Road map|Lovelace/)
    assert.deepEqual(faults, [])
  })

  it.runIf(FULL)('accepts values pasted with spaces and quotation marks', async () => {
    const { page } = await visit()
    await fillIn(page, 'workspace', ` "${somebody.workspaceId}" `, `'${somebody.workspaceToken}'  `)
    await heading(page, 'Overview')
  })

  it.runIf(FULL)('lists several API keys to choose from, and remembers the last one', async () => {
    const other = await newWorkspace(server.url)
    await other.owner.call(createApiKey, { ownerEmail: 'ada@example.com', type: 'testing', apiKeyName: 'Second' })
    const { page } = await visit()
    await signIn(page, other)
    await heading(page, 'API keys')
    await page.getByRole('link', { name: 'Acme' }).click()
    await heading(page, 'Overview')
    await page.goto(`${server.url}/console/`)
    await heading(page, 'Overview')
    assert.equal(new URL(page.url()).pathname, `/console/keys/${other.apiKey}`)
  })

  it('opens the view of the link', async () => {
    const { page } = await visit(`keys/${apiKey}/organizations`)
    await signIn(page, somebody)
    await heading(page, 'Organizations')
  })

  it('survives a reload without anything that scripts can read', async () => {
    const { page, context } = await visit()
    await signIn(page, somebody)
    await page.reload()
    await heading(page, 'Overview')
    const text = await stored(page)
    const { value, httpOnly, sameSite } = await cookieOf(context)
    assert.deepEqual({ httpOnly, sameSite }, { httpOnly: true, sameSite: 'Strict' })
    for (const secret of [somebody.workspaceToken, value]) assert.equal(text.includes(secret), false)
  })
})

describe('a person without a workspace', () => {
  const SIGNUP_TOKEN = 'a-signup-token-of-28-letters'

  it('creates one with the link that the server prints, and enters the console', async () => {
    const { url } = await startServer({ SIGNUP: 'token', SIGNUP_TOKEN })
    const { page, faults } = await visit()
    await page.goto(`${url}/console#signup=${SIGNUP_TOKEN}`)
    await page.getByLabel('Workspace name').fill('Umbrella')
    await page.getByLabel('Your e-mail address').fill('ada@example.com')
    assert.doesNotMatch(page.url(), /signup/)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByRole('button', { name: 'Create a workspace' }).click()
    assert.match(await page.getByRole('region', { name: 'Workspace token' }).innerText(), /^chw_\w+$/)
    const copied = await page.getByRole('region', { name: 'For your app' }).innerText()
    const [, apiKey = '', token = ''] = /_API_KEY=(\w+)\nCOMMONHOLD_AUTH_TOKEN=(\w+)$/.exec(copied) ?? []
    const app = createClient(url, { 'x-service-api-key': apiKey, 'x-service-auth-token': token })
    assert.deepEqual(await app.call(getOrganizations, {}), [])
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByRole('button', { name: 'Continue to the console' }).click()
    await heading(page, 'Overview')
    assert.deepEqual(faults, [])
    assert.doesNotMatch(await stored(page), /signup|chw_|cht_/)
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByText('ada@example.com, owner').waitFor()
    await page.goto(`${url}/console/keys`)
    await page.getByText('created the workspace Umbrella').waitFor()
  })

  it.runIf(FULL)('sees what is wrong with the token or the address', async () => {
    const { url } = await startServer({ SIGNUP: 'token', SIGNUP_TOKEN })
    const { page } = await visit()
    await page.goto(`${url}/console`)
    await page.getByRole('button', { name: 'No workspace yet?' }).click()
    const create = async (email: string, token: string, failure: RegExp) => {
      await page.getByLabel('Your e-mail address').fill(email)
      await page.getByLabel('Sign-up token', { exact: true }).fill(token)
      await page.getByRole('button', { name: 'Create a workspace' }).click()
      await page.getByRole('alert').getByText(failure).waitFor()
    }
    await create('ada@example.com', 'wrong', /This is not the sign-up token of this server/)
    await create('ada', SIGNUP_TOKEN, /^Owner e-mail must be an e-mail address/)
  })

  it('is not asked for a token where everybody may create a workspace, and not for anything where nobody may', async () => {
    const { page } = await visit()
    await page.getByRole('button', { name: 'No workspace yet?' }).click()
    await page.getByLabel('Your e-mail address').fill('eve@example.com')
    assert.equal(await page.getByLabel('Sign-up token').count(), 0)
    await page.getByRole('button', { name: 'Create a workspace' }).click()
    await page.getByText('Your workspace is ready.').waitFor()

    const { url } = await startServer({ SIGNUP: 'closed' })
    await page.goto(`${url}/console`)
    await page.getByRole('button', { name: 'No workspace yet?' }).click()
    await page.getByText('Creating workspaces is closed on this server.').waitFor()
    assert.equal(await page.getByLabel('Your e-mail address').count(), 0)
    assert.deepEqual(await violationsInBothSchemes(page), [])
  })
})

describe('a failed sign-in', () => {
  it('explains what to check, focuses the token and stores nothing', async () => {
    const { page, faults, context } = await visit()
    const wrong = somebody.authToken
    await fillIn(page, 'workspace', somebody.workspaceId, wrong)
    await page.getByRole('alert').getByText('do not match').waitFor()
    assert.equal(await page.getByRole('alert').filter({ hasText: 'do not match' }).count(), 1, 'it is announced twice')
    await page
      .getByRole('alert')
      .getByText(/^Request \S/)
      .waitFor()
    await page.locator('input[name=token]:focus').waitFor()
    assert.equal((await stored(page)).includes(wrong), false)
    assert.deepEqual(await context.cookies(), [])
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(faults, [])
  })

  it.runIf(FULL)('reports too many attempts, and when to try again', async () => {
    const { url } = await startServer({ RATE_LIMIT_PUBLIC: '1' })
    const { page } = await visit()
    await page.goto(`${url}/console/`)
    await fillIn(page, 'workspace', 'nobody', 'nothing')
    await page.getByRole('alert').getByText('do not match').waitFor()
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page
      .getByRole('alert')
      .getByText(/Too many attempts from this address\. Try again in \d+ seconds\./)
      .waitFor()
  })

  it.runIf(FULL)('names the missing field', async () => {
    const { page } = await visit()
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('alert').getByText('Enter the Workspace id.').waitFor()
    await page.locator('input[name=id]:focus').waitFor()
  })

  it.runIf(FULL)('explains that user tokens cannot sign in', async () => {
    const { token } = await somebody.client.call(generateToken, { userId: 'ada' })
    const { page, context } = await visit()
    await fillIn(page, 'apiKey', apiKey, token)
    await page.getByRole('alert').getByText('This is a user token.').waitFor()
    assert.deepEqual(await context.cookies(), [])
  })
})

describe('signing out', () => {
  it('ends the session on the server and hides all data', async () => {
    const { page, context, faults } = await visit()
    await signIn(page, somebody)
    await heading(page, 'Overview')
    await page.getByRole('navigation').getByRole('link', { name: 'Organizations' }).click()
    await heading(page, 'Organizations')
    const cookie = await cookieOf(context)
    assert.partialDeepStrictEqual(await signedInWith(cookie), { workspaceId: somebody.workspaceId })
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await heading(page, 'Sign in to the console')
    assert.equal(await signedInWith(cookie), undefined)
    await page.goBack()
    await heading(page, 'Sign in to the console')
    assert.equal(await page.getByRole('dialog').count(), 0)
    assert.deepEqual(faults, [])
  })

  it.runIf(FULL)('signs out the other tabs', async () => {
    const { page, context } = await visit()
    await signIn(page, somebody)
    await heading(page, 'Overview')
    const second = await context.newPage()
    await second.goto(page.url())
    await second.getByRole('button', { name: 'Account' }).click()
    await second.getByRole('menuitem', { name: 'Sign out' }).click()
    await heading(second, 'Sign in to the console')
    await heading(page, 'Sign in to the console')
  })

  it('takes effect with the next call when the session was ended elsewhere', async () => {
    const { page, context } = await visit()
    await signIn(page, somebody)
    await heading(page, 'Overview')
    await page.waitForLoadState('networkidle') // so that the click makes the next call
    await endSession(await cookieOf(context))
    // The page may refresh itself before the click: then that is the next call.
    const clicked = page.getByRole('navigation').getByRole('link', { name: 'Organizations' }).click()
    const again = page.getByRole('dialog', { name: 'Sign in again' })
    await Promise.race([clicked, again.waitFor()])
    await again.waitFor()
    await again.getByRole('button', { name: 'Leave this page' }).click()
    await heading(page, 'Sign in to the console')
  })
})
