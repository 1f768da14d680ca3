/**
 * Single sign-on in the console: an owner tests a connection, sets it up and verifies a domain, and operators sign in with the
 * provider in a real browser, by their address or by the link of a colleague.
 */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { getOperators } from '#contract/workspace/operators.ts'
import { getSsoConfig } from '#contract/workspace/sso-config.ts'
import { CLIENT, startIdentityProvider } from '#testing/stand-ins/identity-provider.ts'
import { startNameServer } from '#testing/stand-ins/name-server.ts'
import { violations, violationsInBothSchemes } from '../support/accessibility.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace } from '../support/sign-in.ts'
import { button } from '../support/steps.ts'

const dns = await startNameServer()
const { server, visit } = await openConsole({ WEBHOOK_ALLOW_PRIVATE: 'true', DNS_SERVERS: dns.address })

const alert = (page: Page, text: string | RegExp) => page.getByRole('alert').getByText(text).waitFor()

/** Pages of the server follow the browser. */
async function violationsOfServerPage(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    found.push(...(await violations(page)))
  }
  return found
}

describe('single sign-on in the console', () => {
  it('is tested and set up by an owner, and signs operators in by their address or a link', async () => {
    const somebody = await newWorkspace(server.url)
    const { page, faults } = await visit('keys', { as: somebody })
    await page.getByRole('link', { name: 'Single sign-on' }).click()
    const { redirectUri } = await somebody.owner.call(getSsoConfig, {})
    await page.getByText(redirectUri).waitFor()
    const provider = await startIdentityProvider(redirectUri)
    provider.account = { sub: 'kim', email: 'kim@example.com', email_verified: true, name: 'Kim', groups: ['platform'] }
    await page.getByLabel('Operators can sign in with the provider').check()
    await button(page, 'Save').click()
    await alert(page, 'Single sign-on needs Issuer URL and Client id. Set both, then switch it on.')
    await button(page, 'Discard').click()
    await page.getByLabel('Issuer URL').fill(`${provider.issuer}?realm=acme`)
    await button(page, 'Test connection').click()
    await alert(page, 'Issuer URL must not contain a query or a fragment')
    await page.getByLabel('Issuer URL').fill(provider.issuer)
    await page.getByLabel('Client id').fill(CLIENT.clientId)
    await page.getByLabel('Client secret').fill('wrong')
    await button(page, 'Add rule').click()
    await page.getByLabel('Value of rule 1').fill('example.com')
    await button(page, 'Add rule').click()
    await page.getByLabel('Kind of rule 2').selectOption('group')
    await page.getByLabel('Value of rule 2').fill('platform')
    await page.getByLabel('Role of rule 2').selectOption('developer')
    await button(page, 'Move rule 2 up').click()
    await button(page, 'Test connection').click()
    await alert(page, /does not accept the client secret/)
    assert.deepEqual(await violationsInBothSchemes(page), [])

    await page.getByLabel('Client secret').fill(CLIENT.clientSecret)
    await button(page, 'Test connection').click()
    const opened = page.context().waitForEvent('page')
    await page.getByRole('link', { name: 'Sign in at the provider' }).click()
    const result = await opened
    await result.getByRole('heading', { name: 'The connection works' }).waitFor()
    await result.getByText('a new operator, with the role developer, by rule 1').waitFor()
    assert.deepEqual(await violationsOfServerPage(result), [])
    await result.close()
    assert.equal((await somebody.owner.call(getOperators, {})).operators.length, 1)
    assert.equal((await somebody.owner.call(getSsoConfig, {})).issuer, '')

    await page.getByLabel('Operators can sign in with the provider').check()
    await button(page, 'Save').click()
    await page.getByText('The settings of single sign-on were saved.').waitFor()
    const { redirectUri: _, signInUrl, domains, ...stored } = await somebody.owner.call(getSsoConfig, {})
    assert.deepEqual(stored, {
      ...{ enabled: true, issuer: provider.issuer, clientId: CLIENT.clientId, hasClientSecret: true },
      roles: [
        { group: 'platform', role: 'developer' },
        { emailDomain: 'example.com', role: 'support' },
      ],
    })
    await page.getByText(signInUrl).waitFor()
    assert.deepEqual(domains, [])

    const other = await visit('account')
    await button(other.page, 'Sign in with your company').click()
    await other.page.getByLabel('Workspace token').waitFor({ state: 'detached' })
    await button(other.page, 'Continue to your company').click()
    await alert(other.page, 'Enter your e-mail address.')
    await other.page.getByLabel('Your e-mail address at work').fill('kim@example.com')
    await button(other.page, 'Continue to your company').click()
    await alert(other.page, /Nobody has set up sign-in with a company for addresses at example\.com/)
    assert.deepEqual(await violationsInBothSchemes(other.page), [])

    await page.getByLabel('Domain of e-mail addresses').fill('Example.com')
    await button(page, 'Add domain').click()
    await button(page, 'Verify example.com').click()
    await alert(page, /There is no TXT record/)
    const [domain] = (await somebody.owner.call(getSsoConfig, {})).domains
    await page.getByText(domain?.recordValue ?? '', { exact: true }).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    dns.records.set(domain?.recordName ?? '', [domain?.recordValue ?? ''])
    await button(page, 'Verify example.com').click()
    await page.getByText('example.com is verified.').waitFor()
    await page.getByText(`${server.url}/console/sign-in/example.com`).waitFor()

    await button(other.page, 'Continue to your company').click()
    await button(other.page, 'Account').waitFor()
    assert.equal(new URL(other.page.url()).pathname, '/console/account')

    await other.context.clearCookies()
    await other.page.getByRole('navigation').getByRole('link', { name: 'API keys' }).click()
    const again = other.page.getByRole('dialog', { name: 'Sign in again' })
    const signedInAgain = other.context.waitForEvent('page')
    await again.getByRole('button', { name: 'Continue to your company' }).click()
    await button(await signedInAgain, 'Account').waitFor()
    await again.waitFor({ state: 'detached' })
    await other.page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()

    const colleague = await visit('sign-in/example.com')
    await colleague.page.getByRole('heading', { name: 'Sign in with your company' }).waitFor()
    assert.deepEqual(await violationsInBothSchemes(colleague.page), [])
    await button(colleague.page, 'Continue to your company').click()
    await button(colleague.page, 'Account').waitFor()
    await colleague.page.goto(`${server.url}/console/sign-in/example.com`)
    await button(colleague.page, 'Account').waitFor()
    assert.deepEqual([faults, other.faults, colleague.faults], [[], [], []])

    await other.page.goto(`${server.url}/console/oidc/callback?state=used`)
    await other.page.getByText('This sign-in has expired, was already used').waitFor()
    await other.page.getByText('Reference:').waitFor()
    assert.deepEqual(await violationsOfServerPage(other.page), [])
    await other.page.getByRole('link', { name: 'Back to sign-in' }).click()
    await button(other.page, 'Account').waitFor()
  })
})
