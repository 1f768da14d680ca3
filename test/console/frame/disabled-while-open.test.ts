/** A key that is disabled elsewhere while one of its pages is open: the page says so, keeps what was typed, and recovers. */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { disableApiKey, enableApiKey } from '#contract/keys/api-keys.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { violations } from '../support/accessibility.ts'
import { newCompany } from '../support/company.ts'
import { openConsole } from '../support/console.ts'

const { server, visit } = await openConsole()

it('a page says that its key was disabled, and is up to date once it is enabled again', async () => {
  const company = await newCompany(server)
  const { apiKey, owner, client } = company
  const { page, faults } = await visit(`keys/${apiKey}/organizations`, { as: company })
  const row = (name: string) => page.getByRole('row').filter({ hasText: name })
  await row('Acme').waitFor()
  await page.getByRole('button', { name: 'Add organization' }).click()
  await page.getByRole('textbox', { name: 'Id', exact: true }).fill('typed')
  const note = page.getByText('This API key was disabled while the page was open')
  await owner.call(disableApiKey, { apiKey })
  await note.waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Id', exact: true }).inputValue(), 'typed')
  assert.deepEqual(await violations(page), [])
  await owner.call(enableApiKey, { apiKey })
  await client.call(addOrganizations, { organizations: [{ organizationId: 'bolt', organizationName: 'Bolt' }] })
  await note.waitFor({ state: 'detached' })
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
  await row('Bolt').waitFor()
  await row('typed').waitFor()
  await owner.call(disableApiKey, { apiKey })
  await page.getByRole('button', { name: 'Enable API key' }).click()
  await note.waitFor({ state: 'detached' })
  await row('Acme').waitFor()
  assert.deepEqual(faults, [])
})
