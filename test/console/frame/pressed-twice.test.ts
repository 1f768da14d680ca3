/** A button that acts at once does so once, however often it is pressed until the server has answered, and shows that it works. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import { it } from 'vitest'
import { addDomains } from '#contract/keys/domains.ts'
import { newCompany } from '../support/company.ts'
import { openConsole } from '../support/console.ts'
import { signedIn } from '../support/sign-in.ts'

const { server, visit } = await openConsole()
const SLOW_MS = 500

/** Holds calls of a path back; returns how many there were. */
async function slowly(page: Page, path: string): Promise<() => number> {
  let count = 0
  await page.route(`**${path}`, async (route) => {
    count++
    await sleep(SLOW_MS)
    await route.continue()
  })
  return () => count
}

async function pressTwice(button: Locator): Promise<void> {
  await button.press('Enter')
  await button.and(button.page().locator(':disabled')).waitFor()
  await button.page().keyboard.press('Enter')
  await button.waitFor({ state: 'detached' })
}

it('removes a domain once, and says so once', async () => {
  const company = await newCompany(server)
  await company.client.call(addDomains, { domains: ['one.example.com', 'two.example.com'] })
  const { page } = await visit(`keys/${company.apiKey}/settings/domains`, { as: company })
  const calls = await slowly(page, '/workspace/domains/delete')
  await pressTwice(page.getByRole('button', { name: 'Remove one.example.com' }))
  await page.getByText('one.example.com is no longer allowed.').waitFor()
  assert.equal(await page.getByText('had already been removed').count(), 0)
  assert.equal(calls(), 1)
})

it('ends a session once, without a fault', async () => {
  const company = await newCompany(server)
  const { page } = await visit('people', { as: company })
  await page.getByRole('button', { name: /^End the session/ }).waitFor()
  await signedIn(server.url, company)
  await page.reload()
  const calls = await slowly(page, '/console/sessions/end')
  const other = page.getByRole('row').filter({ hasNotText: 'this session' }).getByRole('button', { name: /^End/ })
  await pressTwice(other)
  assert.equal(await page.getByRole('alert').count(), 0)
  assert.equal(calls(), 1)
})
