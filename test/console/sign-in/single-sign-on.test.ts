/** Single sign-on in the console: an owner sets it up, and an operator signs in with the provider in a real browser. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { getSsoConfig } from '#contract/workspace/sso-config.ts'
import { CLIENT, startIdentityProvider } from '#testing/stand-ins/identity-provider.ts'
import { violations, violationsInBothSchemes } from '../support/accessibility.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace } from '../support/sign-in.ts'

const { server, visit } = await openConsole({ WEBHOOK_ALLOW_PRIVATE: 'true' })

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

describe('single sign-on in the console', () => {
  it('is set up by an owner, and signs an operator in', async () => {
    const somebody = await newWorkspace(server.url)
    const { page, faults } = await visit('keys', { as: somebody })
    await page.getByRole('link', { name: 'Single sign-on' }).click()
    const redirectUri = `${server.url}/console/oidc/callback`
    await page.getByText(redirectUri).waitFor()
    const provider = await startIdentityProvider(redirectUri)
    await page.getByLabel('Issuer URL').fill(provider.issuer)
    await page.getByLabel('Client id').fill(CLIENT.clientId)
    await page.getByLabel('Client secret').fill(CLIENT.clientSecret)
    await button(page, 'Add rule').click()
    await page.getByLabel('Value of rule 1').fill('example.com')
    await button(page, 'Add rule').click()
    await page.getByLabel('Kind of rule 2').selectOption('group')
    await page.getByLabel('Value of rule 2').fill('platform')
    await page.getByLabel('Role of rule 2').selectOption('developer')
    await button(page, 'Move rule 2 up').click()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByLabel('Operators can sign in with the provider').check()
    await button(page, 'Save').click()
    await page.getByText('The settings of single sign-on were saved.').waitFor()
    const { redirectUri: _, ...stored } = await somebody.owner.call(getSsoConfig, {})
    assert.deepEqual(stored, {
      ...{ enabled: true, issuer: provider.issuer, clientId: CLIENT.clientId, hasClientSecret: true },
      roles: [
        { group: 'platform', role: 'developer' },
        { emailDomain: 'example.com', role: 'support' },
      ],
    })

    provider.account = { sub: 'kim', email: 'kim@example.com', email_verified: true, name: 'Kim', groups: ['platform'] }
    const other = await visit()
    await button(other.page, 'Sign in with your company').click()
    await button(other.page, 'Continue to your company').click()
    await other.page.getByRole('alert').getByText('Enter the workspace id.').waitFor()
    await other.page.getByLabel('Id of the workspace of your company').fill(somebody.workspaceId)
    assert.deepEqual(await violationsInBothSchemes(other.page), [])
    await button(other.page, 'Continue to your company').click()
    await button(other.page, 'Account').waitFor()
    assert.deepEqual([faults, other.faults], [[], []])
    await other.page.goto(`${server.url}/console/oidc/callback?state=used`)
    await other.page.getByText('This sign-in has expired, was already used').waitFor()
    // A page of the server has no colours of its own, and axe does not know those of a dark browser.
    await other.page.emulateMedia({ colorScheme: 'light' })
    assert.deepEqual(await violations(other.page), [])
  })
})
