/** Steps on any page of the console. */
import type { Page } from 'playwright-core'

export const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
export const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
export const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })

/** Chooses an action in the menu of what is called like this in its row. */
export async function act(page: Page, of: string, action: string | RegExp): Promise<void> {
  await button(page, `Actions for ${of}`).click()
  await page.getByRole('menuitem', { name: action }).click()
}
