/** Text of others in our mails: it stays in its line, in its direction and in its element. */
import { domainToASCII } from 'node:url'

const LONGEST_NAME = 120

/** Marks that turn the direction of what follows, and characters that show nothing but end a line. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu

/** A name as it may stand in a header, in a line of text, and, escaped, in HTML: one line, no turned direction, not too long. */
export function line(text: string): string {
  const plain = text.toWellFormed().replace(DIRECTIONS, '').replace(CONTROLS, ' ').replace(/\s+/g, ' ').trim()
  const characters = [...plain]
  return characters.length > LONGEST_NAME ? `${characters.slice(0, LONGEST_NAME - 1).join('')}…` : plain
}

/** HTML that may stand as it is. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = string | Html | readonly Html[]

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const written = (part: Part): string =>
  typeof part === 'string'
    ? part.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
    : part instanceof Html
      ? part.text
      : part.map(({ text }) => text).join('\n')

/** Everything put into it is escaped, but for HTML that was made the same way. */
export const html = (texts: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(texts.map((text, index) => text + (index < parts.length ? written(parts[index] ?? '') : '')).join(''))

/** The part before the @ as servers take it without quotes. */
const LOCAL = /^[^\s@"(),:;<>[\\\]\p{C}]{1,64}$/u
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Whether an address names one mailbox of one domain, and nothing else besides. */
export function isAddress(address: string): boolean {
  const [local = '', domain = '', ...more] = address.split('@')
  const labels = domainToASCII(domain).split('.')
  const isDomain =
    /^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) && labels.length > 1 && labels.every((label) => LABEL.test(label))
  return more.length === 0 && LOCAL.test(local) && !/^\.|\.\.|\.$/.test(local) && isDomain && address.length <= 254
}
