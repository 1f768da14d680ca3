/** Walks the request schemas of the contract and creates bodies with faults, with the expected messages. */
import { CALLER_ID_PATTERN } from '#contract/core/ids.ts'
import type { Operation } from '#contract/core/operation.ts'

/** Greater times are milliseconds. */
const FIRST_MILLISECONDS = 1e12

export interface Schema {
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  narrowing?: string[]
  items?: Schema
  additionalProperties?: unknown
  anyOf?: Schema[]
  enum?: unknown[]
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  metadata?: boolean
  recordFields?: readonly string[]
  roundsUp?: boolean
  emptyIsAbsent?: boolean
  minProperties?: number
  accessAdvice?: Record<string, string>
  unimplemented?: readonly string[]
}

type Path = (string | number)[]

/** A schema within a request, with its path. */
export interface Place {
  path: Path
  schema: Schema
  /** Null is also accepted: it clears the field. */
  nullable: boolean
  /** Null is the same as leaving the field out. */
  nullIsAbsent: boolean
}

/** Returns `['users', 0, 'userId']` as callers write it: `users[0].userId`. */
export const written = (path: Path): string =>
  path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  )

/** Returns the schema without “or null”: messages about a field are about its value. */
const bare = (schema: Schema): Schema => schema.anyOf?.find(({ type }) => type !== 'null') ?? schema

const isNullable = ({ anyOf = [] }: Schema): boolean => anyOf.some(({ type }) => type === 'null')

const takesAnything = ({ type, anyOf, enum: values }: Schema): boolean =>
  type === undefined && anyOf === undefined && values === undefined

/** Returns every schema below that of `data`; of a list, the schema of its first item. */
function places(schema: Schema, path: Path = [], nullIsAbsent = false): Place[] {
  const here = bare(schema)
  const inner = Object.entries(here.properties ?? {})
  const isChange = here.minProperties !== undefined || inner.some(([, property]) => isNullable(property))
  return [
    { path, schema: here, nullable: isNullable(schema), nullIsAbsent },
    ...inner
      .flatMap(([name, property]) =>
        places(property, [...path, name], !isChange && !takesAnything(property) && !here.narrowing?.includes(name)),
      )
      .map((place) => (here.minProperties === undefined ? place : { ...place, nullIsAbsent: false })),
    ...(here.items === undefined ? [] : places(here.items, [...path, 0])),
  ]
}

export const placesOf = ({ data }: Operation): Place[] => places(data as Schema)

/** Returns the smallest value that a schema accepts. */
function valid(wrapped: Schema): unknown {
  const schema = bare(wrapped)
  if (schema.enum !== undefined) return schema.enum[0]
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, valid(schema.properties?.[name] as Schema)]),
      )
    case 'array':
      return schema.minItems ? [valid(schema.items as Schema)] : []
    case 'string':
      return schema.pattern?.includes('http') ? 'https://example.com' : schema.pattern?.includes('@') ? 'a@b.c' : 'abc'
    case 'boolean':
      return true
    default:
      return schema.minimum ?? 1
  }
}

/** Returns the example of an operation with `value` at `path`. Missing parts of the path are created. */
export const exampleWith = (operation: Operation, path: Path, value: unknown): unknown =>
  exampleWithAll(operation, [{ path, value }])

/** Returns the example of an operation with several values, without those that are undefined. */
export function exampleWithAll(operation: Operation, changes: readonly { path: Path; value: unknown }[]): unknown {
  const root = { data: structuredClone(operation.example) as unknown }
  for (const { path, value } of changes) {
    let holder: Record<string | number, unknown> = root
    let schema: Schema = operation.data as Schema
    let key: string | number = 'data'
    for (const part of path) {
      holder[key] ??= valid(schema)
      holder = holder[key] as Record<string | number, unknown>
      schema = bare((typeof part === 'number' ? schema.items : schema.properties?.[part]) ?? {})
      key = part
    }
    if (value === undefined) delete holder[key]
    else holder[key] = value
  }
  return root.data
}

/** A response lists at most 100 faults. */
const FAULTS_MAX = 50
const CHARACTERS_MAX = 100_000

/**
 * Returns bodies that together have all the faults. Each body has many, in fields that do not contain each other. A
 * list that is too long has a body of its own, because the server does not examine its items.
 */
export function bodiesWith(operation: Operation, faults: readonly Case[]): { data: unknown; faults: Case[] }[] {
  const bodies: { fields: Set<string>; faults: Case[]; characters: number; isFull: boolean }[] = []
  for (const fault of faults) {
    const around = fault.path.map((_, length) => written(fault.path.slice(0, length + 1)))
    const characters = JSON.stringify(fault.value).length
    const isAlone = Array.isArray(fault.value) && fault.value.length > 1
    const fits = ({ isFull, faults, characters: taken, fields }: (typeof bodies)[number]) =>
      !isFull &&
      !isAlone &&
      faults.length < FAULTS_MAX &&
      taken + characters < CHARACTERS_MAX &&
      !around.some((field) => faults.some((one) => one.field === field)) &&
      !fields.has(fault.field)
    let body = bodies.find(fits)
    if (body === undefined) {
      body = { fields: new Set(), faults: [], characters: 0, isFull: isAlone }
      bodies.push(body)
    }
    for (const field of around) body.fields.add(field)
    body.faults.push(fault)
    body.characters += characters
  }
  return bodies.map(({ faults }) => ({ data: exampleWithAll(operation, faults), faults }))
}

const ARTICLES: Record<string, string> = {
  string: 'a string',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
}

const WRONG: Record<string, unknown[]> = {
  string: [7, true, {}, []],
  integer: ['1', 1.5, true, {}],
  boolean: ['true', 1, {}],
  object: ['text', 7, []],
  array: ['text', { length: 1 }],
}

export interface Case {
  path: Path
  field: string
  value: unknown
  /** The message after the name of the field, if it matters. */
  says?: string | undefined
}

const all = (schema: Schema): string => (schema.enum ?? []).map((value) => JSON.stringify(value)).join(', ')

/** Returns values of a wrong type for a field, with the message after its name. */
export function wrongTypes({ path, schema, nullable, nullIsAbsent }: Place): Case[] {
  const { type = '' } = schema
  const says = schema.enum === undefined ? `must be ${ARTICLES[type]}` : `must be one of ${all(schema)}`
  const wrong = schema.enum === undefined ? (WRONG[type] ?? []) : [7, 'nonsense', {}]
  if (wrong.length === 0) return [] // takes anything
  const refused = wrong.filter((value) => !(schema.roundsUp && typeof value === 'number'))
  return [...refused, ...(nullable || nullIsAbsent ? [] : [null])].map((value) => ({
    path,
    field: written(path),
    value,
    says,
  }))
}

/** Returns values just outside the limits of a field. */
export function outOfBounds({ path, schema }: Place): Case[] {
  const field = written(path)
  const cases: Case[] = []
  const add = (value: unknown, says: string) => cases.push({ path, field, value, says })
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = schema
  if (maxLength !== undefined) add('x'.repeat(maxLength + 1), `must not have more than ${maxLength} characters`)
  if (minLength === 1 && !schema.emptyIsAbsent) add('', 'must not be empty')
  else if (minLength !== undefined && minLength > 1)
    add('x'.repeat(minLength - 1), `must have at least ${minLength} characters`)
  if (minimum !== undefined) add(minimum - 1, `must not be less than ${minimum}`)
  // A greater integer is refused in every field, see exact-numbers.test.ts.
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER)
    add(
      maximum + 1,
      field.endsWith('expiresAt') && maximum < FIRST_MILLISECONDS
        ? 'must be in seconds; this value looks like milliseconds'
        : `must not be more than ${maximum}`,
    )
  if (minItems !== undefined) add([], `must have at least ${minItems} item${minItems === 1 ? '' : 's'}`)
  if (maxItems !== undefined)
    add(
      Array.from({ length: maxItems + 1 }, () => valid(schema.items as Schema)),
      `must not have more than ${maxItems} items`,
    )
  return cases
}

export const isCallerId = ({ schema }: Place): boolean => schema.pattern === CALLER_ID_PATTERN
export const isText = ({ schema }: Place): boolean => schema.type === 'string' && schema.enum === undefined
