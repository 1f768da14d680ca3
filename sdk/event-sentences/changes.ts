/** Says in words how the values of an event differ: “the name from A to B”. */
import { fieldInWords, isSpan } from './field-names.ts'
import { listed, type Sentence, say, value } from './parts.ts'

export type Values = Readonly<Record<string, unknown>>

/** The number of changed fields that the sentence of an event names; others are only counted. */
const SHOWN_MAX = 3
const VALUE_CHARACTERS_MAX = 60

const WORDS_OF_VALUES: Readonly<Record<string, string>> = {
  organizationPrivate: 'organization private',
  editorsAndReaders: 'editors, and readers see who has access',
  true: 'on',
  false: 'off',
}

/** Returns the word for a value that has one, such as an access type. */
export const wordOf = (given: unknown): string => WORDS_OF_VALUES[String(given)] ?? String(given)

const isAbsent = (given: unknown): boolean => given === undefined || given === null || given === ''

const isObject = (given: unknown): given is Values =>
  typeof given === 'object' && given !== null && !Array.isArray(given)

const shortened = (text: string): string =>
  text.length <= VALUE_CHARACTERS_MAX ? text : `${[...text].slice(0, VALUE_CHARACTERS_MAX).join('')}…`

/** Returns a value as a person reads it, short enough for a sentence. */
export function valueText(given: unknown): string {
  if (isAbsent(given)) return 'none'
  if (Array.isArray(given))
    return given.length === 0 ? 'none' : shortened(given.map(valueText).join(given.some(isObject) ? '; ' : ', '))
  if (isObject(given))
    return shortened(
      Object.entries(given)
        .map(([field, one]) => `${fieldInWords(field)} ${fieldValueText(field, one)}`)
        .join(', '),
    )
  return shortened(wordOf(given))
}

const UNITS: readonly (readonly [string, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

/** Returns a span of seconds in the largest unit that it is a whole number of; of 0 seconds, `none`. */
export function duration(seconds: unknown): string {
  const [unit, length] = UNITS.find(([, length]) => Number(seconds) % length === 0) ?? ['second', 1]
  const count = Number(seconds) / length
  return count > 0 ? `${count} ${unit}${count === 1 ? '' : 's'}` : 'none'
}

/** Returns the value of a field as a person reads it: a span of seconds in its largest unit. */
export const fieldValueText = (field: string, given: unknown): string =>
  isSpan(field) && typeof given === 'number' ? duration(given) : valueText(given)

const shown = (given: unknown): Sentence => say`${value(valueText(given))}`

/** Returns what changed, one sentence for each field; fields of objects are named with the object. */
function differences(before: Values, after: Values, prefix = ''): Sentence[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return fields.flatMap((field): Sentence[] => {
    const [from, to] = [before[field], after[field]]
    if (JSON.stringify(from ?? null) === JSON.stringify(to ?? null)) return []
    const name = prefix === 'metadata ' ? `${prefix}${field}` : `${prefix}${fieldInWords(field)}`
    if (isObject(from) || isObject(to))
      return differences(isObject(from) ? from : {}, isObject(to) ? to : {}, `${fieldInWords(field)} `)
    if (Array.isArray(from) && Array.isArray(to)) return [changedList(name, from, to)]
    return [say`${name} from ${value(fieldValueText(field, from))} to ${value(fieldValueText(field, to))}`]
  })
}

function changedList(name: string, from: readonly unknown[], to: readonly unknown[]): Sentence {
  const without = (one: readonly unknown[], other: readonly unknown[]) => {
    const there = new Set(other.map((item) => JSON.stringify(item)))
    return one.filter((item) => !there.has(JSON.stringify(item)))
  }
  const [added, removed] = [without(to, from), without(from, to)]
  if (added.length > 0 && removed.length > 0) return say`${name} (added ${shown(added)}, removed ${shown(removed)})`
  if (removed.length > 0) return say`${name} (removed ${shown(removed)})`
  return added.length > 0 ? say`${name} (added ${shown(added)})` : say`the order of ${name}`
}

/** Returns the differences in words; undefined if there are none. */
export function changesInWords(before: Values = {}, after: Values = {}): Sentence | undefined {
  const all = differences(before, after)
  if (all.length === 0) return undefined
  const more = all.length - SHOWN_MAX
  return listed(more <= 0 ? all : [...all.slice(0, SHOWN_MAX), `${more} more ${more === 1 ? 'field' : 'fields'}`])
}

/** Returns `3 folders, 214 documents and 1 grant` of the counts that are not 0; undefined if none are. */
export function countsInWords(values: Values, nouns: Readonly<Record<string, string>>): Sentence | undefined {
  const counts = Object.entries(nouns).flatMap(([field, noun]) => {
    const count = values[field]
    return typeof count === 'number' && count > 0
      ? [`${count.toLocaleString('en')} ${count === 1 ? noun : `${noun}s`}`]
      : []
  })
  return counts.length === 0 ? undefined : listed(counts)
}
