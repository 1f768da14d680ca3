/** Steps on the access page. */
import type { Page } from 'playwright-core'
import { address, type Company, organizationId } from './company.ts'
import type { TestConsole } from './console.ts'
import { button, heading } from './steps.ts'

/** `title` is the name or the id. */
export async function openAccess(visit: TestConsole['visit'], company: Company, type: string, id: string, title = id) {
  const opened = await visit(`keys/${company.apiKey}/${address('access', { organizationId, type, id })}`, {
    as: company,
  })
  await heading(opened.page, title)
  return opened
}

/** Waits for a text in the preview. */
export const says = (page: Page, text: string) => page.getByRole('dialog').getByText(text, { exact: true }).waitFor()

export async function apply(page: Page): Promise<void> {
  await button(page, 'Apply').click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

export async function chooseUsers(page: Page, ...userIds: string[]): Promise<void> {
  const field = page.getByRole('dialog').getByRole('combobox', { name: 'Users' })
  for (const userId of userIds) {
    await field.fill(userId)
    await page.getByRole('option').filter({ hasText: userId }).first().click()
  }
  await field.press('Escape')
}

export const grantOf = async (company: Company, userId: string, id: string) =>
  (await company.grants()).find((grant) => grant.userId === userId && grant.id === id)
