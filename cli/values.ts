/** Converts the words of a command line to the `data` of a call, by the schemas of the contract. */
import type { TSchema } from 'typebox'
import { wrongUsage } from './failures.ts'

/** The keywords of a schema that are used here. */
export interface Schema {
  type?: string
  description?: string
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  default?: unknown
  maximum?: number
  additionalProperties?: boolean
}

/** Splits a path such as `organizations[0].organizationName`. */
const partsOf = (at: string): string[] => at.split('.').flatMap((part) => part.split(/(?=\[)/))

/** Returns the schema of the field at a path in `data`. */
export function schemaAt(schema: TSchema, at: string): Schema {
  let found = schema as Schema
  for (const part of at === '' ? [] : partsOf(at)) {
    const next = part.startsWith('[') ? found.items : found.properties?.[part]
    if (next === undefined) throw new TypeError(`the contract has no ${at}`)
    found = withoutNull(next)
  }
  return found
}

const withoutNull = (schema: Schema): Schema => schema.anyOf?.find(({ type }) => type !== 'null') ?? schema

/** Sets the value at a path; `[].` sets it in every item of the list. An object is merged into an existing object. */
export function put(data: Record<string, unknown>, at: string, value: unknown): void {
  const [list = '', field] = at.split('[].')
  if (field !== undefined) {
    for (const item of listAt(data, list)) put(item, field, value)
    return
  }
  const parts = partsOf(at.replace(/\[\]$/, '')).map((part) =>
    part.startsWith('[') ? Number(part.slice(1, -1)) : part,
  )
  let holder: Record<string | number, unknown> = data
  for (const [index, part] of parts.entries()) {
    if (index === parts.length - 1) {
      const existing = holder[part]
      holder[part] = isObject(existing) && isObject(value) ? { ...existing, ...value } : value
      return
    }
    holder[part] ??= typeof parts[index + 1] === 'number' ? [] : {}
    holder = holder[part] as Record<string | number, unknown>
  }
}

function listAt(data: Record<string, unknown>, at: string): Record<string, unknown>[] {
  let found: unknown = data
  for (const part of partsOf(at)) found = (found as Record<string, unknown> | undefined)?.[part]
  return Array.isArray(found) ? found : []
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses a word; `name` is the name of the argument or option on the command line. */
export type Reader = (word: string, name: string) => unknown

/** Returns the reader for the schema of a field. */
export const readerOf =
  ({ type, enum: values }: Schema): Reader =>
  (word, name) => {
    if (values !== undefined && !values.includes(word))
      throw wrongUsage(`${name} must be one of ${values.join(', ')}; it is ${JSON.stringify(word)}.`)
    if (type === 'integer') return wholeNumber(word, name)
    if (type === 'boolean') return yesOrNo(word, name)
    return word
  }

const wholeNumber: Reader = (word, name) => {
  if (!/^-?\d{1,15}$/.test(word)) throw wrongUsage(`${name} must be a whole number; it is ${JSON.stringify(word)}.`)
  return Number(word)
}

const yesOrNo: Reader = (word, name) => {
  if (word !== 'true' && word !== 'false')
    throw wrongUsage(`${name} must be true or false; it is ${JSON.stringify(word)}.`)
  return word === 'true'
}

const TYPES: Readonly<Record<string, string>> = {
  organization: 'organization',
  org: 'organization',
  folder: 'folder',
  document: 'document',
  doc: 'document',
}

/** Parses `document:roadmap`; `--org` adds the organization. */
export const resourceNamed: Reader = (word, name) => {
  const [, kind = '', id = ''] = /^([^:]*):(.+)$/s.exec(word) ?? []
  const type = TYPES[kind]
  if (type === undefined)
    throw wrongUsage(
      `${name} must be organization:ID, folder:ID or document:ID; it is ${JSON.stringify(word)}.`,
      'For example: document:roadmap --org acme',
    )
  return { type, id }
}

export const json: Reader = (word, name) => {
  try {
    return JSON.parse(word)
  } catch (error) {
    throw wrongUsage(`${name} must be JSON: ${(error as Error).message}.`)
  }
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 }

/** Parses a time: `2030-01-31T12:00:00Z`, seconds since 1970, or a span such as `30d`, counted from now or back from now. */
function momentOf(word: string, name: string, direction: 1 | -1): number {
  const [, count, unit = ''] = /^(\d{1,9})([smhdw])$/.exec(word) ?? []
  if (count !== undefined) return Date.now() + direction * Number(count) * (UNITS[unit] ?? 0) * 1_000
  if (/^\d{1,11}$/.test(word)) return Number(word) * 1_000
  const time = /^\d{4}-\d\d-\d\d/.test(word) ? Date.parse(word) : Number.NaN
  if (Number.isNaN(time))
    throw wrongUsage(
      `${name} must be a time such as 2030-01-31T12:00:00Z, seconds since 1970, or a span such as 30m, 12h or 7d; it is ${JSON.stringify(word)}.`,
    )
  return time
}

/** A time in seconds; a span counts from now. */
export const endSeconds: Reader = (word, name) => Math.floor(momentOf(word, name, 1) / 1_000)
/** A time in milliseconds; a span counts back from now. */
export const sinceMilliseconds: Reader = (word, name) => momentOf(word, name, -1)
/** A span in seconds: `12h`. */
export const spanSeconds: Reader = (word, name) => {
  const [, count, unit = 's'] = /^(\d{1,9})([smhdw])?$/.exec(word) ?? []
  if (count === undefined)
    throw wrongUsage(`${name} must be a span such as 90s, 30m, 12h or 7d; it is ${JSON.stringify(word)}.`)
  return Number(count) * (UNITS[unit] ?? 1)
}

/** Returns the port of a `--port` option; 0, which means a free one, if it is absent. */
export function portOf(port: string | undefined): number {
  if (port === undefined) return 0
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw wrongUsage('--port must be a number from 0 to 65535.')
  return Number(port)
}
