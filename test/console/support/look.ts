/** The rules for the look of a page: weights of type, greys, primary actions. */
import type { Page } from 'playwright-core'

/** A button of the default variant is filled. */
const PRIMARY = `(() => {
  const dialog = [...document.querySelectorAll('[role=dialog]')].at(-1)
  const buttons = (dialog ?? document.querySelector('main')).querySelectorAll('.mantine-Button-root, .mantine-ActionIcon-root')
  return [...buttons]
    .filter((one) => ['filled', undefined].includes(one.dataset.variant) && !one.disabled && one.checkVisibility())
    .map((one) => one.textContent.trim() + (one.style.getPropertyValue('--button-bg').includes('red') ? ', red' : ''))
})()`

/**
 * Returns the texts of the filled buttons of the open dialog or else of the view; those of destructive ones end in “,
 * red”.
 */
export const primaryActions = async (page: Page): Promise<string[]> => (await page.evaluate(PRIMARY)) as string[]

/** Texts of badges and links of tables that do not fit, and tables that scroll sideways. */
const CUT = `(() => {
  const isCut = (one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1
  const texts = [...document.querySelectorAll('main td .mantine-Badge-label, main td a')].filter(isCut)
  const tables = [...document.querySelectorAll('main table')].filter((one) => isCut(one.parentElement))
  return [...texts, ...tables].map((one) => one.outerHTML.slice(0, 200))
})()`

export const cutTexts = async (page: Page): Promise<string[]> => (await page.evaluate(CUT)) as string[]

/** Elements with a text of their own, or a colour, that breaks a rule; each is reported once for each value. */
const FAULTS = `(() => {
  const root = getComputedStyle(document.documentElement)
  const hexOf = (name) => root.getPropertyValue(name).trim().toLowerCase()
  const names = ['--mantine-color-dimmed', '--mantine-color-placeholder']
  const shades = [...Array(10).keys()].map((shade) => '--mantine-color-dark-' + shade)
  const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16))
  const greys = new Set([...shades, ...names].map(hexOf).filter((hex) => /^#[0-9a-f]{6}$/.test(hex)).map((hex) => channels(hex).join()))
  const isGrey = ([r, g, b]) => Math.max(r, g, b) - Math.min(r, g, b) <= 16 && Math.max(r, g, b) < 255
  const found = new Set()
  for (const one of document.querySelectorAll('body, body *')) {
    if (!one.checkVisibility() || one.closest('svg') !== null || one.closest('[data-disabled], :disabled') !== null) continue
    const style = getComputedStyle(one)
    const hasText = [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '')
    const where = one.outerHTML.slice(0, 120)
    if (hasText && !['400', '500', '600'].includes(style.fontWeight)) found.add('weight ' + style.fontWeight + ': ' + where)
    const used = [style.backgroundColor, ...(hasText ? [style.color] : [])]
    for (const side of ['Top', 'Right', 'Bottom', 'Left'])
      if (style['border' + side + 'Width'] !== '0px' && style['border' + side + 'Style'] !== 'none') used.push(style['border' + side + 'Color'])
    for (const colour of used) {
      const [, text = ''] = /^rgb\\((.*)\\)$/.exec(colour) ?? []
      const rgb = text.split(', ').map(Number)
      if (rgb.length === 3 && isGrey(rgb) && !greys.has(rgb.join())) found.add('grey ' + colour + ': ' + where)
    }
  }
  const kinds = new Map([...found].map((fault) => [fault.split(':')[0], fault]))
  return [...kinds.values()]
})()`

/** Returns the faults in the look of the page, which must be dark. */
export async function faultsOfLook(page: Page): Promise<string[]> {
  const faults = (await page.evaluate(FAULTS)) as string[]
  const primary = await primaryActions(page)
  return [...faults, ...(primary.length > 1 ? [`${primary.length} primary actions: ${primary.join(' | ')}`] : [])]
}
