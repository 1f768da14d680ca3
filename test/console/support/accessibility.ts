/** What axe finds in a page: the rules of WCAG 2.2 AA. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** Each violation with the elements that have it; empty is good. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: { type: 'tag', values: ${JSON.stringify(TAGS)} } })`,
  )) as axe.AxeResults
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, any, all, none }) => {
      const [why] = [...any, ...all, ...none]
      return `${id}: ${help}: ${html.slice(0, 200)}: ${why?.message ?? ''}`
    }),
  )
}

/** In light and in dark. */
export async function violationsInBothSchemes(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
    found.push(...(await violations(page)).map((violation) => `${colorScheme}: ${violation}`))
  }
  return found
}
