/** Says a fault of a call as people read it: with the field in words, “Owner e-mail must be an e-mail address”. */
import type { Fault } from '#sdk/errors.ts'

const WORDS: Readonly<Record<string, string>> = { api: 'API', email: 'e-mail', uri: 'URI', url: 'URL' }

/** Fields whose labels in the console are other words. */
const LABELS: Readonly<Record<string, string>> = {
  documentUrl: 'page of a document',
  photoUrl: 'picture URL',
  processedNotificationUrl: 'URL for processed notifications',
  rawNotificationUrl: 'URL for raw notifications',
  userCode: 'code',
}

/**
 * `organizations[0].organizationName` is “organization name”, `allowedDomains[1]` “allowed domain 2”, and the first of a list,
 * which is often the only one, `domains[0]`, is “domain”.
 */
function wordsOf(field: string): string {
  const last = field.split('.').at(-1) ?? field
  const [, name = last, index] = /^(.*)\[(\d+)\]$/.exec(last) ?? []
  const label = LABELS[name]
  if (label !== undefined) return label
  const words = name.split(/(?<=[a-z])(?=[A-Z])/).map((word) => WORDS[word.toLowerCase()] ?? word.toLowerCase())
  if (index === undefined) return words.join(' ')
  const one = words.join(' ').replace(/s$/, '')
  return Number(index) === 0 ? one : `${one} ${Number(index) + 1}`
}

/** The name of another field in a message; quoted texts are values. */
const OTHER_FIELD = /(?<!["\w.-])[a-z]+(?:[A-Z][a-z]+)+(?!["\w.-])/g

/** Leaves out that a field is too short if it has another fault, from which that follows. */
export const withoutLengths = (faults: readonly Fault[]): readonly Fault[] =>
  faults.filter(
    (fault) =>
      !/ must have at least \d+ characters?$/.test(fault.message) ||
      !faults.some((other) => other !== fault && other.field === fault.field),
  )

/** A field that is in words already stays; one before a colon says nothing to people. */
export function inWords({ field, message }: Fault): string {
  const sentence = message.startsWith(`${field}: `) ? message.slice(field.length + 2) : undefined
  if (sentence !== undefined) return capitalized(sentence.replaceAll(OTHER_FIELD, wordsOf))
  if (!message.startsWith(`${field} `) || !/^[a-z][\w.[\]]*$/i.test(field)) return message
  return capitalized(wordsOf(field) + message.slice(field.length).replaceAll(OTHER_FIELD, wordsOf))
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
