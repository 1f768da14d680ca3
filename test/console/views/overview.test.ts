/** The overview of the console: counts, traffic, health and latest events. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace } from '../support/sign-in.ts'

const { server, visit } = await openConsole()

async function openOverview({ hasData }: { hasData: boolean }) {
  const somebody = await newWorkspace(server.url)
  if (hasData) {
    await somebody.client.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
    const resources = ['a', 'b'].map((id) => ({ type: 'document' as const, id, organizationId: 'acme' }))
    await somebody.client.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources } })
  }
  const opened = await visit('', { as: somebody })
  await opened.page.getByRole('heading', { level: 2, name: 'Health' }).waitFor()
  return opened
}

describe('the overview', () => {
  it('shows counts, traffic and health', async () => {
    const { page, faults } = await openOverview({ hasData: true })
    const words = (await page.getByRole('main').innerText()).replaceAll(/\s+/g, ' ')
    assert.match(words, /API keys 1 Organizations 1 Folders 0 Documents 2 Users 0 Grants 2/)
    assert.match(words, /\d+ calls succeeded, 0 refused, 0 failed/)
    assert.match(words, /Documents are public by default Every user of this API key can edit/)
    assert.match(words, /Commonhold \S+ on (the embedded engine|PostgreSQL)/)
    assert.match(words, /Jobs: no migrations or erasures in progress/)
    assert.match(words, /Webhooks: none\./)
    assert.match(words, /E-mail: off\. This server has no mail server/)
    await page.getByRole('button', { name: /added the organization acme/ }).click()
    await page
      .getByRole('dialog')
      .getByText(/^An organization was added/)
      .waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(faults, [])
  })

  it('explains the empty state', async () => {
    const { page, faults } = await openOverview({ hasData: false })
    await page.getByRole('link', { name: 'Add organization' }).click()
    await page.getByRole('heading', { level: 1, name: 'Organizations' }).waitFor()
    assert.deepEqual(faults, [])
  })
})
