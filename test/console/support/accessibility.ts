/** Checks a page with axe against WCAG 2.2 AA, and its best practices. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { FULL } from '#testing/run/mode.ts'

const AA: axe.RunOnly = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
}

/** The rules that depend on the colour scheme; the most expensive ones. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']
const COLOURS: axe.RunOnly = { type: 'rule', values: COLOUR_RULES }
const NO_COLOURS = Object.fromEntries(COLOUR_RULES.map((rule) => [rule, { enabled: false }]))

/** Returns each violation of the drawn page with its element. Colours are checked by `npm run test:full`. */
export async function violations(page: Page, runOnly = AA): Promise<string[]> {
  await page.locator('h1, dialog').first().waitFor({ state: 'attached' }) // a page that is not drawn yet has no faults
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate(
    `axe.run(document, ${JSON.stringify({ runOnly, rules: FULL ? {} : NO_COLOURS, resultTypes: ['violations'] })})`,
  )) as axe.AxeResults
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, any, all, none }) => {
      const [why] = [...any, ...all, ...none]
      return `${id}: ${help}: ${html.slice(0, 200)}: ${why?.message ?? ''}`
    }),
  )
}

/** Checks all rules in light, and the colour rules in dark, which is for the full run. */
export async function violationsInBothSchemes(page: Page): Promise<string[]> {
  if (!FULL) return violations(page)
  const found: string[] = []
  for (const [colorScheme, rules] of [
    ['light', AA],
    ['dark', COLOURS],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
    // Some colours change gradually, and one half-way may have too little contrast.
    await page.evaluate(
      'Promise.all(document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished)).catch(() => {})',
    )
    const seen = await violations(page, rules)
    found.push(...seen.map((violation) => `${colorScheme}: ${violation}`))
  }
  return found
}
