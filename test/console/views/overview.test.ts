/** The overview of the console: counts, usage, health and latest events. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { listAccountFindings, listFindings } from '#contract/access/findings.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { inviteOperator } from '#contract/workspace/operators.ts'
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

/** Reads the usage as a screen reader and as a spreadsheet get it, for each period. */
async function usageIn(page: Page): Promise<void> {
  const section = page.getByRole('region', { name: 'Usage' })
  assert.equal(await section.getByRole('rowheader').count(), 24)
  await section.getByText('30 days').click()
  await section.getByLabel('What is shown').selectOption({ label: 'Documents' })
  await section.getByText('2 documents in the current period.').waitFor()
  await section.getByText('13 months').click()
  await section.getByLabel('What is shown').selectOption({ label: 'Calls' })
  await section.getByRole('button', { name: 'Table' }).click()
  const last = section.getByRole('row').last()
  await last.getByRole('cell').first().waitFor()
  assert.deepEqual((await last.getByRole('cell').allInnerTexts()).slice(0, 7), ['2', '0', '0', '0', '0', '1', '2'])
  assert.equal(await section.getByRole('rowheader').count(), 13)
  const saving = page.waitForEvent('download')
  await section.getByRole('button', { name: 'Save CSV' }).click()
  const csv = readFileSync(await (await saving).path(), 'utf8')
  assert.match(
    csv,
    /^\uFEFFperiod \(UTC\),calls,refused,failed,checks,active users,organizations,documents,.*\r\n\d{4}-\d\d,2,0,0,0,0,1,2,/,
  )
}

/** Opens the page a day and an hour later, when the usage belongs to the previous period. */
async function usageOfTheDayBefore(page: Page): Promise<void> {
  await page.addInitScript('const now = Date.now; Date.now = () => now.call(Date) + 25 * 3_600_000')
  await page.reload()
  const section = page.getByRole('region', { name: 'Usage' })
  await section.getByText('0 in the 23 finished hours, 100 % fewer than 24 hours earlier (2).').waitFor()
  const [header = '', ...earlier] = await section.locator('tr > :last-child').allInnerTexts()
  assert.equal(header, 'Calls 24 hours earlier')
  assert.deepEqual(
    earlier.filter((count) => count !== '0'),
    ['2'],
  )
  const saving = page.waitForEvent('download')
  await section.getByRole('button', { name: 'Save CSV' }).click()
  const csv = readFileSync(await (await saving).path(), 'utf8')
  assert.match(csv, /^\uFEFFperiod \(UTC\),[a-z ,-]*\r?\n?$/, 'the time before is not in it')
  await section.getByText('13 months').click()
  await section.getByText('earlier').first().waitFor({ state: 'detached' })
}

describe('the overview', () => {
  it('shows counts, usage and health', async () => {
    const { page, faults } = await openOverview({ hasData: true })
    await page.getByText('first of all').waitFor()
    const words = (await page.getByRole('main').innerText()).replaceAll(/\s+/g, ' ')
    const counts = 'API keys 1 of the workspace Organizations 1 with disabled ones Folders 0 in all organizations'
    const more = 'Documents 2 in all organizations Users 0 with a profile Grants 2 of users and groups'
    assert.ok(words.includes(`${counts} ${more}`), words)
    assert.match(words, /2 calls succeeded, 0 refused, 0 failed/)
    await usageIn(page)
    assert.match(words, /Documents are public by default Every user of this API key can edit/)
    assert.match(words, /Commonhold \S+ on (the embedded engine|PostgreSQL)/)
    assert.match(words, /Jobs: no migrations or erasures in progress/)
    assert.match(words, /Webhooks: none\./)
    assert.match(words, /Worth a look: \d findings?, first of all: .+\. Findings/)
    assert.match(words, /E-mail: off\. This server has no mail server/)
    await page.getByRole('button', { name: /added the organization acme/ }).click()
    await page
      .getByRole('dialog')
      .getByText(/^An organization was added/)
      .waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await usageOfTheDayBefore(page)
    assert.deepEqual(faults, [])
  })

  it('counts the findings of the API key and of its workspace', async () => {
    const somebody = await newWorkspace(server.url)
    await somebody.owner.call(inviteOperator, { email: 'lou@example.com', role: 'admin' })
    const { findings } = await somebody.client.call(listFindings, {})
    const { findings: account } = await somebody.owner.call(listAccountFindings, {})
    assert.ok(account.some(({ kind }) => kind === 'no_second_factor'))
    const { page } = await visit('', { as: somebody })
    await page.getByText(new RegExp(`${findings.length + account.length} findings, first of all`)).waitFor()
  })

  it('explains the empty state', async () => {
    const { page, faults } = await openOverview({ hasData: false })
    await page.getByRole('link', { name: 'Add organization' }).click()
    await page.getByRole('heading', { level: 1, name: 'Organizations' }).waitFor()
    assert.deepEqual(faults, [])
  })
})
