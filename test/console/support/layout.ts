/** Checks that hostile ids and names neither make a page too wide nor reorder its words. */
import type { Page } from 'playwright-core'
import { patient } from '#testing/run/mode.ts'

/** Elements beyond the right edge that make the page scroll sideways. */
const WIDE = `(() => {
  const width = document.documentElement.clientWidth
  if (document.documentElement.scrollWidth <= width) return []
  const wide = [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > width + 1)
  return ['the page scrolls sideways', ...wide.slice(-3).map((one) => 'wide: ' + one.outerHTML.slice(0, 200))]
})()`

/** Texts with direction marks that share a line with other text without being isolated. */
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

const SETTLES_WITHIN_MS = patient(10_000)

/** Elements that stay too wide. Elements that have just opened may still be moving. */
const STAYS_WIDE = `new Promise((done) => {
  const end = performance.now() + ${SETTLES_WITHIN_MS}
  const look = () => {
    const wide = ${WIDE}
    if (wide.length === 0 || performance.now() > end) done(wide)
    else requestAnimationFrame(look)
  }
  look()
})`

export const misplaced = async (page: Page): Promise<string[]> => [
  ...((await page.evaluate(STAYS_WIDE)) as string[]),
  ...((await page.evaluate(MIXED)) as string[]),
]
