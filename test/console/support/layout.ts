/** What hostile ids and names do to a page: whether it is wider than the screen, and whether they change the order of words. */
import type { Page } from 'playwright-core'

/** Elements beyond the right edge that make the page scroll sideways. */
const WIDE = `(() => {
  const width = document.documentElement.clientWidth
  if (document.documentElement.scrollWidth <= width) return []
  const wide = [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > width + 1)
  return ['the page scrolls sideways', ...wide.slice(-3).map((one) => 'wide: ' + one.outerHTML.slice(0, 200))]
})()`

/** Texts with marks of direction that share a line with others, in no element that isolates them. */
const MIXED = `(() => {
  const found = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode
    if (!/[\\u202a-\\u202e]/.test(data.replace(/\\u2068.*?\\u2069/gs, '')) || parentElement.closest('script')) continue
    const isolates = (one) => /isolate|plaintext/.test(getComputedStyle(one).unicodeBidi)
    let around = parentElement
    while (!isolates(around) && getComputedStyle(around).display === 'inline') around = around.parentElement
    if (!isolates(around) && around.textContent.trim() !== data.trim())
      found.push('not isolated: ' + parentElement.outerHTML.slice(0, 200))
  }
  return found
})()`

const SETTLES_WITHIN_MS = 3_000

/** Both; what has just opened may still be on its way to its place. */
export async function misplaced(page: Page): Promise<string[]> {
  await page.waitForFunction(`${WIDE}.length === 0`, null, { timeout: SETTLES_WITHIN_MS }).catch(() => {})
  return [...((await page.evaluate(WIDE)) as string[]), ...((await page.evaluate(MIXED)) as string[])]
}
