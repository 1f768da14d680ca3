/** Says a fault of a call as people read it: with the field in words, “Owner e-mail must be an e-mail address”. */
import type { Fault } from '#sdk/errors.ts'

const WORDS: Readonly<Record<string, string>> = { api: 'API', email: 'e-mail', uri: 'URI', url: 'URL' }

/** `organizations[0].organizationName` is “organization name”, and `allowedDomains[1]` “allowed domains 2”. */
function wordsOf(field: string): string {
  const last = field.split('.').at(-1) ?? field
  const [, name = last, index] = /^(.*)\[(\d+)\]$/.exec(last) ?? []
  const words = name.split(/(?<=[a-z])(?=[A-Z])/).map((word) => WORDS[word.toLowerCase()] ?? word.toLowerCase())
  return index === undefined ? words.join(' ') : [...words, Number(index) + 1].join(' ')
}

/** The name of another field in a message; quoted texts are values. */
const OTHER_FIELD = /(?<!["\w.-])[a-z]+(?:[A-Z][a-z]+)+(?!["\w.-])/g

/** A field that is in words already stays. */
export function inWords({ field, message }: Fault): string {
  if (!message.startsWith(`${field} `) || !/^[a-z][\w.[\]]*$/i.test(field)) return message
  const text = wordsOf(field) + message.slice(field.length).replaceAll(OTHER_FIELD, wordsOf)
  return text.charAt(0).toUpperCase() + text.slice(1)
}
