/** The tokens of the workspace in the console: creating, replacing and revoking them. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { getApiKeys } from '#contract/keys/api-keys.ts'
import { getWorkspaceTokens, resetWorkspaceToken } from '#contract/workspace/workspace-tokens.ts'
import { createClient } from '#testing/client.ts'
import { assertRecent } from '#testing/recent.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace, type Somebody } from '../support/sign-in.ts'
import { button, dialog, row } from '../support/steps.ts'

const { server, visit } = await openConsole()

const secretOf = (page: Page, label: string) => page.getByLabel(label, { exact: true }).inputValue()

const openTokens = async () => {
  const somebody = await newWorkspace(server.url)
  const { page, faults } = await visit('keys', { as: somebody })
  await page.getByRole('link', { name: 'Workspace tokens' }).click()
  await page.getByRole('heading', { level: 1, name: 'Workspace tokens' }).waitFor()
  return { somebody, page, faults }
}

const by = ({ owner }: Somebody, token: string) =>
  createClient(server.url).with({ ...owner.headers, 'x-service-auth-token': token })
const httpOf = async (somebody: Somebody, token: string) => (await by(somebody, token).post(getApiKeys.path, {})).http

describe('the tokens of a workspace in the console', () => {
  it('are created with an expiry, listed with their last use, and revoked', async () => {
    const { page, somebody, faults } = await openTokens()
    await row(page, 'workspace').getByText('this session').waitFor()
    await row(page, 'this session').getByText('with the workspace').waitFor()
    await button(page, 'Create token').click()
    const making = dialog(page, 'Create token')
    await making.getByRole('button', { name: 'Create' }).click()
    await making.getByText('Enter a name.').waitFor()
    await making.getByLabel('Name').fill('deployment')
    await making.getByLabel('Expires').selectOption('30')
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await making.getByRole('button', { name: 'Create' }).click()
    const token = await secretOf(page, 'Workspace token deployment')
    await button(page, 'Done').click()
    const { tokens } = await somebody.owner.call(getWorkspaceTokens, {})
    assertRecent(((tokens[1]?.expiresAt ?? 0) - 30 * 86_400) * 1_000)
    await row(page, 'deployment').getByRole('cell', { name: 'never', exact: true }).waitFor()
    await row(page, 'deployment')
      .getByText(`${token.slice(0, 8)}…`)
      .waitFor()
    await row(page, 'deployment').getByText('by the workspace token “workspace”').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.equal(await httpOf(somebody, token), 200)

    await button(page, 'Revoke deployment').click()
    const revoking = dialog(page, 'Revoke token')
    await revoking.getByRole('textbox').fill('deployment')
    await revoking.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('The token deployment was revoked.').waitFor()
    assert.equal(await httpOf(somebody, token), 401)
    assert.deepEqual(faults, [])
  })

  it('are all replaced, and the session of the page continues with the new one', async () => {
    const { page, somebody, faults } = await openTokens()
    const old = somebody.workspaceToken
    await button(page, 'Replace all').click()
    const question = dialog(page, 'Replace all tokens')
    await question.getByLabel('Old tokens remain valid for', { exact: true }).fill('0')
    await question.getByRole('button', { name: 'Replace all' }).click()
    const token = await secretOf(page, 'New workspace token')
    assert.deepEqual([await httpOf(somebody, old), await httpOf(somebody, token)], [401, 200])
    await button(page, 'Done').click()
    await row(page, 'workspace').getByText('this session').waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'API keys' }).click()
    await page.getByRole('link', { name: 'Acme' }).waitFor()
    assert.deepEqual(faults, [])
  })

  it('cannot be revoked down to none', async () => {
    const { page } = await openTokens()
    await button(page, 'Revoke workspace').click()
    const revoking = dialog(page, 'Revoke token')
    await revoking.getByRole('textbox').fill('workspace')
    await revoking.getByRole('button', { name: 'Revoke' }).click()
    await revoking.getByText(/only token of the workspace that does not expire.* or replace all tokens\.$/).waitFor()
  })

  it('sign the page out when another person replaces them', async () => {
    const { page, somebody } = await openTokens()
    await somebody.owner.call(resetWorkspaceToken, {})
    await page.getByRole('navigation').getByRole('link', { name: 'API keys' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })
})
