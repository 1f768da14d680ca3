/** Leaves out the middle of a text that is too long for its element. */

const DOTS = '…'

/** The end is one third of the characters that stay. */
const END_PART = 1 / 3

/** A part of each line stays empty, more of it where lines break between words. */
const FILLED_PART = 0.92
const FILLED_PART_BY_WORDS = 0.75

let pen: CanvasRenderingContext2D | null | undefined

const isVertical = ({ writingMode }: CSSStyleDeclaration): boolean => writingMode.startsWith('vertical')

/** Returns the length of a line of an element. */
export const lineWidthOf = (element: HTMLElement): number =>
  isVertical(getComputedStyle(element)) ? element.clientHeight : element.clientWidth

/** Returns the text if it fits into the element, which shows it; else its beginning and its end. */
export function cutToWidth(element: HTMLElement, text: string): string {
  const { clientWidth, clientHeight, scrollWidth, scrollHeight } = element
  if (scrollWidth <= clientWidth + 1 && scrollHeight <= clientHeight + 1) return text
  const style = getComputedStyle(element)
  const lineHeight = Number.parseFloat(style.lineHeight) || Number.parseFloat(style.fontSize)
  const lines = isVertical(style) ? 1 : Math.max(1, Math.round(clientHeight / lineHeight))
  const filled = lines === 1 ? 1 : /\s/.test(text) ? FILLED_PART_BY_WORDS : FILLED_PART
  const roomPx = lines * lineWidthOf(element) * filled
  pen ??= document.createElement('canvas').getContext('2d')
  if (pen === null) return text
  pen.font = style.font
  const characters = [...text]
  let kept = Math.floor((characters.length * roomPx) / pen.measureText(text).width)
  while (kept > 2 && pen.measureText(middleCut(characters, kept)).width > roomPx) kept--
  return kept < characters.length ? middleCut(characters, kept) : text
}

/** Returns as many characters of the beginning and the end as are kept, with dots between them. */
function middleCut(characters: readonly string[], kept: number): string {
  const end = Math.floor(kept * END_PART)
  return `${characters.slice(0, kept - end).join('')}${DOTS}${characters.slice(characters.length - end).join('')}`
}
