/**
 * The parts of a sentence about an event: plain text, and the things that it names. For the console and the command line; not
 * part of the published package.
 */

/** The thing that a part names: a record of the server, or a person or token that did something. */
export type PartKind =
  | 'organization'
  | 'folder'
  | 'document'
  | 'user'
  | 'userGroup'
  | 'apiKey'
  | 'operator'
  | 'webhookEndpoint'
  | 'token'

/** A named thing. `text` is its name, or its id where no name is known. */
export interface NamedPart {
  kind: PartKind
  text: string
  /** Absent for things without an id, such as tokens, which events name only. */
  id?: string
}

/** A value that was changed, such as a role or a name. It can hold any characters. */
export interface ValuePart {
  kind: 'value'
  text: string
}

export type SentencePart = string | NamedPart | ValuePart

export type Sentence = readonly SentencePart[]

export const value = (text: string): ValuePart => ({ kind: 'value', text })

type Said = Sentence | SentencePart | undefined

/** Joins text and parts to one sentence; undefined adds nothing. */
export function say(texts: TemplateStringsArray, ...parts: readonly Said[]): Sentence {
  const sentence: SentencePart[] = []
  const add = (part: SentencePart) => {
    const last = sentence.at(-1)
    if (part === '') return
    if (typeof part === 'string' && typeof last === 'string') sentence[sentence.length - 1] = last + part
    else sentence.push(part)
  }
  for (const [index, text] of texts.entries()) {
    add(text)
    const part = parts[index]
    if (part === undefined) continue
    if (typeof part === 'string' || !isList(part)) add(part)
    else part.forEach(add)
  }
  return sentence
}

const isList = (part: Sentence | NamedPart | ValuePart): part is Sentence => Array.isArray(part)

/** Returns the sentence as text. Where a name and another id are known, only the name is in it. */
export const sentenceText = (sentence: Sentence): string =>
  sentence.map((part) => (typeof part === 'string' ? part : part.text)).join('')

/** Ends a sentence with a full stop. The name at its end may have one, such as Acme Inc. */
export const withFullStop = (sentence: string): string => (sentence.endsWith('.') ? sentence : `${sentence}.`)

/** Joins the items with commas and “and”. */
export function listed(items: readonly (Sentence | SentencePart)[]): Sentence {
  return items.reduce<Sentence>((all, item, index) => {
    if (index === 0) return say`${item}`
    return index === items.length - 1 ? say`${all} and ${item}` : say`${all}, ${item}`
  }, [])
}
