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

/**
 * Texts that end in dots or have them in the middle because they do not fit, and what scrolls sideways without a cue. Ids
 * and keys may be cut: they can be copied, and upright names of columns have their full text on hover. Tables do not
 * scroll sideways at all.
 */
const CUT = `(() => {
  const isCut = (one) => one.checkVisibility() && one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1
  const isClamped = (one) => one.checkVisibility() && one.scrollHeight > one.clientHeight + 1
  const isId = (one) => getComputedStyle(one).fontFamily.includes('monospace')
  const found = []
  const pen = document.createElement('canvas').getContext('2d')
  for (const one of document.querySelectorAll('main select')) {
    const style = getComputedStyle(one)
    pen.font = style.font
    const room = one.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)
    const chosen = one.selectedOptions[0]?.textContent ?? ''
    if (one.checkVisibility() && pen.measureText(chosen).width > room) found.push('cut: ' + chosen + ' in a select')
  }
  for (const one of document.querySelectorAll('main *')) {
    const style = getComputedStyle(one)
    const hasDots = style.textOverflow === 'ellipsis' && style.overflowX !== 'visible' && !isId(one)
    const isShort = (hasDots && !one.matches('input') && isCut(one)) || (style.webkitLineClamp !== 'none' && isClamped(one))
    const isCutInside = one.dataset.cut && one.closest('[role=columnheader]') === null
    if (isShort || isCutInside) found.push('cut: ' + one.textContent + ' in ' + one.closest('td, tr, section, div').outerHTML.slice(0, 80))
    const scrolls = ['auto', 'scroll'].includes(style.overflowX) && isCut(one)
    if (scrolls && (one.querySelector(':scope > table') || !one.dataset.cue))
      found.push('scrolls: ' + one.outerHTML.slice(0, 200))
  }
  return found
})()`

/** Links and buttons with the name of a row, or in a line of text, that stand higher or lower than the words beside them. */
const UNEVEN = `(() => {
  const texts = (one) => {
    const walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT)
    const found = []
    while (walker.nextNode()) if (walker.currentNode.data.trim() && walker.currentNode.parentElement.checkVisibility()) found.push(walker.currentNode)
    return found
  }
  const styleOf = (text) => getComputedStyle(text.parentElement)
  const middle = (text) => {
    const range = document.createRange()
    range.selectNodeContents(text)
    const [box] = range.getClientRects()
    return box && (box.top + box.bottom) / 2
  }
  const found = []
  for (const one of document.querySelectorAll('main td > button, main td > a, main p > a, main p > span > a')) {
    const [name] = texts(one)
    const line = one.closest('p, tr')
    if (!name || line.getBoundingClientRect().height > (line.matches('p') ? 30 : 48)) continue
    for (const other of texts(line)) {
      const cell = other.parentElement.closest('p, td, th')
      if (one.contains(other) || styleOf(other).fontSize !== styleOf(name).fontSize) continue
      if (!cell.matches('p') && texts(cell).length > 1) continue // two lines
      if (other.parentElement.closest('.mantine-Badge-root, .mantine-Button-root') || middle(other) === undefined) continue
      const off = middle(other) - middle(name)
      if (Math.abs(off) > 1) found.push('uneven by ' + off.toFixed(1) + ' px: ' + name.data + ', ' + other.data)
    }
  }
  return found
})()`

export const unevenLines = async (page: Page): Promise<string[]> => (await page.evaluate(UNEVEN)) as string[]

export const cutTexts = async (page: Page): Promise<string[]> => (await page.evaluate(CUT)) as string[]

/** Boxes, circles and switches that are off, whose outline has a contrast of less than 3:1 to the ground of the page. */
const FAINT = `(() => {
  const channel = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
  const lightness = (colour) => {
    const [red, green, blue] = colour.match(/[\\d.]+/g).map((value) => channel(value / 255))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const ground = lightness(getComputedStyle(document.body).backgroundColor)
  const outlineOf = (one) => {
    if (one.getAttribute('role') !== 'switch') return getComputedStyle(one).borderTopColor
    return /rgb[^)]*\\)/.exec(getComputedStyle(one.nextElementSibling).boxShadow)?.[0] ?? 'rgb(255, 255, 255)'
  }
  const found = new Set()
  for (const one of document.querySelectorAll('main [type=checkbox], main [type=radio]')) {
    if (one.checked || one.indeterminate || one.disabled || one.closest('.mantine-SegmentedControl-root')) continue
    const other = lightness(outlineOf(one))
    const contrast = (Math.max(ground, other) + 0.05) / (Math.min(ground, other) + 0.05)
    if (contrast < 3) found.add('faint: ' + (one.getAttribute('role') ?? one.type) + ', ' + contrast.toFixed(2))
  }
  return [...found]
})()`

export const faintOutlines = async (page: Page): Promise<string[]> => (await page.evaluate(FAINT)) as string[]

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
