/** HTML in template strings that escape the values put into them. */

/** HTML that needs no escaping. */
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

/** Escapes everything that is put into it, except HTML that was made the same way. */
export const html = (texts: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(texts.map((text, index) => text + (index < parts.length ? written(parts[index] ?? '') : '')).join(''))
