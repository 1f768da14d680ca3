/** Converts the words of a command line to the `data` of a call, by the schemas of the contract. */
import type { TSchema } from 'typebox'
import { parseUnchanged } from '#contract/validation/numbers.ts'
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

/**
 * Sets the value at a path; `[].` sets it in every item of the list. An object is merged into an existing object, and at
 * the empty path into `data` itself.
 */
export function put(data: Record<string, unknown>, at: string, value: unknown): void {
  if (at === '') {
    Object.assign(data, value)
    return
  }
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
    return parseUnchanged(word)
  } catch (error) {
    throw wrongUsage(`${name} must be JSON: ${(error as Error).message}.`)
  }
}

/** Returns the port of a `--port` option; 0, which means a free one, if it is absent. */
export function portOf(port: string | undefined): number {
  if (port === undefined) return 0
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw wrongUsage('--port must be a number from 0 to 65535.')
  return Number(port)
}
