/** Checks a page with axe against WCAG 2.2 AA. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'

const AA: axe.RunOnly = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }

/** The rules that depend on the colour scheme. */
const COLOURS: axe.RunOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }

/** Returns each violation with its element. */
export async function violations(page: Page, rules = AA): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] })`,
  )) as axe.AxeResults
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, any, all, none }) => {
      const [why] = [...any, ...all, ...none]
      return `${id}: ${help}: ${html.slice(0, 200)}: ${why?.message ?? ''}`
    }),
  )
}

/** Checks all rules in light, and the colour rules in dark. */
export async function violationsInBothSchemes(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const [colorScheme, rules] of [
    ['light', AA],
    ['dark', COLOURS],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
    const seen = await violations(page, rules)
    found.push(...seen.map((violation) => `${colorScheme}: ${violation}`))
  }
  return found
}
