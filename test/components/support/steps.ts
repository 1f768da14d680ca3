/** Actions of a person in the components. */
import type { Locator, Page } from 'playwright-core'

export const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })

/** The field of a new comment. */
export const writing = (page: Page): Locator => page.getByRole('textbox', { name: 'Comment', exact: true })

export const thread = (page: Page, text: string): Locator => page.getByRole('article').filter({ hasText: text })

export async function post(page: Page, text: string): Promise<void> {
  await writing(page).fill(text)
  await button(page, 'Post').click()
}

/** Selects the first occurrence of this text on the page, inside one element. */
export async function select(page: Page, passage: string): Promise<void> {
  await page.evaluate(`{
    const walker = document.createTreeWalker(document.querySelector('#text'), NodeFilter.SHOW_TEXT)
    const passage = ${JSON.stringify(passage)}
    while (walker.nextNode()) {
      const at = walker.currentNode.data.indexOf(passage)
      if (at === -1) continue
      getSelection().setBaseAndExtent(walker.currentNode, at, walker.currentNode, at + passage.length)
      break
    }
  }`)
}
