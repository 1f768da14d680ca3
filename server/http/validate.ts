/** Validates `data` against its schema and reports every fault in the caller's terms (rules/contract.md#faults-of-a-body, rules/contract.md#unknown-fields). */
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { LIMITS } from '#contract/limits.ts'
import { countFaults, meantBy, metadataFaults, resembling, sizeFaults } from '#contract/metadata.ts'
import { atOnce, type Steps } from '#platform/slices.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'

/**
 * The validator stops after this many errors. It reports up to three for one fault, and one for each unknown field before
 * the error that names them all; we drop the duplicates. With a lower maximum, a body could fail without any reported fault.
 */
Settings.Set({ maxErrors: 10 * LIMITS.faultsMax })

export interface Fault {
  field: string
  message: string
}

interface SchemaNode {
  type?: string
  properties?: Record<string, SchemaNode>
  items?: SchemaNode
  maxItems?: number
  additionalProperties?: unknown
  says?: string
  saysMaximum?: string
  /** Takes fields of the caller's own as metadata: their names and size are checked. */
  metadata?: boolean
  /** Takes any fields: only their size is checked. */
  freeform?: boolean
  unimplemented?: readonly string[]
}

interface SchemaError {
  keyword: string
  instancePath: string
  params: Record<string, unknown>
  message: string
}

const ARTICLES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
}

/** Returns `/permissions/resources/2/id` as the caller writes it: `permissions.resources[2].id`. */
function fieldOf(instancePath: string): string {
  let field = ''
  for (const part of instancePath.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    field += /^\d+$/.test(name) ? `[${name}]` : field === '' ? name : `.${name}`
  }
  return field
}

const within = (field: string, name: string): string => (field === '' ? name : `${field}.${name}`)

/** Returns the schema of a field. `constructor` and other names that every object inherits are not fields. */
const propertyOf = ({ properties }: SchemaNode, name: string): SchemaNode | undefined =>
  properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined

const namesOf = new WeakMap<SchemaNode, ReadonlySet<string>>()

function knownNames(schema: SchemaNode): ReadonlySet<string> {
  const names = namesOf.get(schema) ?? new Set(Object.keys(schema.properties ?? {}))
  namesOf.set(schema, names)
  return names
}

function nodeAt(schema: SchemaNode, instancePath: string): SchemaNode {
  return instancePath
    .split('/')
    .slice(1)
    .reduce<SchemaNode>((node, part) => propertyOf(node, part) ?? node.items ?? {}, schema)
}

const quoted = (values: unknown): string => (values as unknown[]).map((value) => JSON.stringify(value)).join(', ')
const count = (limit: unknown, noun: string): string => `${limit} ${noun}${limit === 1 ? '' : 's'}`

function sentence({ keyword, params, message }: SchemaError, node: SchemaNode): string {
  switch (keyword) {
    case 'type':
      return `must be ${ARTICLES[String(params.type)] ?? String(params.type)}`
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${count(params.limit, 'character')}`
    case 'maxLength':
      return `must not have more than ${count(params.limit, 'character')}`
    case 'minItems':
      return `must have at least ${count(params.limit, 'item')}`
    case 'maxItems':
      return `must not have more than ${count(params.limit, 'item')}`
    case 'minProperties':
      return 'must have at least one field'
    case 'minimum':
      return `must not be less than ${params.limit}`
    case 'maximum':
      return `must ${node.saysMaximum ?? `not be more than ${params.limit}`}`
    case 'pattern':
      return `must ${node.says ?? `match ${params.pattern}`}`
    case 'enum':
      return `must be one of ${quoted(params.allowedValues)}`
    default:
      return message
  }
}

function unknownField(schema: SchemaNode, field: string, name: string): Fault {
  const known = resembling(name, knownNames(schema))
  const hint = known === undefined ? '' : `; did you mean "${known}"?`
  return { field: within(field, name), message: `${within(field, name)} is not a known field${hint}` }
}

function faultsOf(schema: SchemaNode, error: SchemaError): Fault[] {
  const field = fieldOf(error.instancePath)
  if (error.keyword === 'boolean' || error.keyword === 'anyOf') return [] // other errors report the fault
  if (error.keyword === 'type' && error.params.type === 'null') return [] // the error of the other type in “or null” reports it
  const node = nodeAt(schema, error.instancePath)
  if (error.keyword === 'required')
    return (error.params.requiredProperties as string[]).map((name) => ({
      field: within(field, name),
      message: `${within(field, name)} is required`,
    }))
  if (error.keyword === 'additionalProperties')
    return (error.params.additionalProperties as string[]).map((name) => unknownField(node, field, name))
  return [{ field: field || 'data', message: `${field || 'data'} ${sentence(error, node)}` }]
}

const isFull = (faults: readonly Fault[]): boolean => faults.length >= LIMITS.faultsMax

/**
 * Finds lists and objects with too many elements to validate within one call. A body without any is small enough for
 * every other check. Unknown fields count where they are refused.
 */
function countLimitFaults(
  schema: SchemaNode,
  value: unknown,
  field: string,
  strictFields: boolean,
  faults: Fault[],
): void {
  if (typeof value !== 'object' || value === null || isFull(faults)) return
  if (Array.isArray(value)) {
    const { items, maxItems } = schema
    if (maxItems !== undefined && value.length > maxItems)
      faults.push({ field, message: `${field} must not have more than ${count(maxItems, 'item')}` })
    else if (items !== undefined)
      for (const [index, item] of value.entries())
        countLimitFaults(items, item, `${field}[${index}]`, strictFields, faults)
    return
  }
  const { properties = {}, additionalProperties, metadata, freeform } = schema
  if (metadata || freeform) faults.push(...countFaults(value, knownNames(schema), field))
  else if (additionalProperties === false && strictFields) {
    const unknown = Object.keys(value).filter((name) => !Object.hasOwn(properties, name))
    if (unknown.length >= LIMITS.faultsMax)
      faults.push(...unknown.slice(0, LIMITS.faultsMax).map((name) => unknownField(schema, field, name)))
  }
  for (const [name, inner] of Object.entries(properties))
    countLimitFaults(inner, (value as Record<string, unknown>)[name], within(field, name), strictFields, faults)
}

/** Returns whether `countLimitFaults` may find a fault. It rarely does, and then building the paths is skipped. */
function mayExceedCounts(schema: SchemaNode, value: unknown, strictFields: boolean): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { items, maxItems, properties = {} } = schema
  if (Array.isArray(value))
    return (
      (maxItems !== undefined && value.length > maxItems) ||
      (items !== undefined && value.some((item) => mayExceedCounts(items, item, strictFields)))
    )
  if (schema.metadata || schema.freeform) return true
  if (schema.additionalProperties === false && strictFields && Object.keys(value).length >= LIMITS.faultsMax)
    return true
  for (const name in properties)
    if (mayExceedCounts(properties[name] as SchemaNode, (value as Record<string, unknown>)[name], strictFields))
      return true
  return false
}

/** Returns whether `matches` holds for the schema or for one within it. */
const someSchema = (schema: SchemaNode, matches: (node: SchemaNode) => unknown): boolean =>
  Boolean(matches(schema)) ||
  (schema.items !== undefined && someSchema(schema.items, matches)) ||
  Object.values(schema.properties ?? {}).some((inner) => someSchema(inner, matches))

/** Deeper than any valid request. A deeper body must be refused before it exhausts the stack. */
const DEPTH_MAX = 2 * LIMITS.metadataDepthMax

/** Returns why PostgreSQL cannot store a text or number: NUL, unpaired surrogates, numbers beyond the range of a double. */
export function unstorable(value: unknown): string | undefined {
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed()))
    return 'must not contain NUL or unpaired surrogates'
  return typeof value === 'number' && !Number.isFinite(value) ? 'must not be a number beyond 1.8e308' : undefined
}

/** A body with more values than this is refused without naming the field that cannot be stored. */
const SEARCHED_MAX = 100_000

/** Finds the texts and numbers in `value` that cannot be stored, up to the maximum number of faults. */
function storableFaults(
  value: unknown,
  field: string,
  faults: Fault[],
  depth = 0,
  search = { left: SEARCHED_MAX },
): void {
  if (isFull(faults)) return
  if (--search.left <= 0) {
    if (search.left === 0) faults.push({ field: 'data', message: `data ${unstorable('\0')}` })
    return
  }
  const why = unstorable(value)
  if (why !== undefined) faults.push({ field, message: `${field} ${why}` })
  if (typeof value !== 'object' || value === null) return
  if (depth > DEPTH_MAX) {
    faults.push({ field, message: `${field} nests too deep` })
    return
  }
  if (Array.isArray(value)) {
    // There can be millions of elements: build a path only for those that need one.
    for (let index = 0; index < value.length && !isFull(faults) && search.left > 0; index++)
      if (typeof value[index] === 'object' || unstorable(value[index]) !== undefined)
        storableFaults(value[index], `${field}[${index}]`, faults, depth + 1, search)
    return
  }
  for (const [name, inner] of Object.entries(value)) {
    if (search.left <= 0) return
    storableFaults(name, within(field, 'a field name'), faults, depth + 1, search)
    storableFaults(inner, within(field, name), faults, depth + 1, search)
  }
}

/** Finds faults in the caller's own fields, in the objects of `data` that accept them. */
function* openObjectFaults(schema: SchemaNode, value: unknown, field: string, faults: Fault[]): Steps<void> {
  if (typeof value !== 'object' || value === null || isFull(faults)) return
  if (Array.isArray(value)) {
    const { items } = schema
    if (items !== undefined)
      for (const [index, item] of value.entries()) yield* openObjectFaults(items, item, `${field}[${index}]`, faults)
    return
  }
  const object = value as Record<string, unknown>
  if (schema.metadata) faults.push(...metadataFaults(object, knownNames(schema), field))
  if (schema.freeform) faults.push(...sizeFaults(object, field))
  yield
  for (const [name, inner] of Object.entries(schema.properties ?? {}))
    yield* openObjectFaults(inner, object[name], within(field, name), faults)
}

/** Removes unknown fields, for `STRICT_FIELDS=false`. */
function dropUnknown(schema: SchemaNode, value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const item of value) if (schema.items !== undefined) dropUnknown(schema.items, item)
    return
  }
  const object = value as Record<string, unknown>
  for (const name of Object.keys(object)) {
    const inner = propertyOf(schema, name)
    if (inner !== undefined) dropUnknown(inner, object[name])
    else if (schema.additionalProperties === false) delete object[name]
    else if (schema.metadata && meantBy(name, knownNames(schema)) !== undefined) delete object[name]
  }
}

function refuseUnimplemented(schema: SchemaNode, data: unknown, at = ''): void {
  if (typeof data !== 'object' || data === null) return
  const name = schema.unimplemented?.find((known) => Object.hasOwn(data, known))
  if (name === undefined) {
    for (const [inner, node] of Object.entries(schema.properties ?? {}))
      refuseUnimplemented(node, (data as Record<string, unknown>)[inner], within(at, inner))
    return
  }
  const field = within(at, name)
  throw new StatusError(
    'UNIMPLEMENTED',
    'field_not_implemented',
    `${field} belongs to a feature that Commonhold does not have; leave it out, or set STRICT_FIELDS=false to have such fields ignored.`,
    { details: [{ field, message: `${field} is not implemented` }] },
  )
}

type FindFaults<Result> = (value: unknown, mayBeUnstorable: boolean) => Result

/**
 * Returns a function that finds the faults of a value in steps, the first 100; without faults the value matches the schema.
 * The schema is compiled with the first value: the server starts a quarter of a second sooner, and most servers never serve
 * every operation.
 */
function faultSteps(schema: TSchema, strictFields: boolean): FindFaults<Steps<Fault[]>> {
  let validator: Validator | undefined
  const compiled = () => {
    validator ??= Compile(schema)
    return validator
  }
  const node = schema as SchemaNode
  const hasOpenObjects = someSchema(node, ({ metadata, freeform }) => metadata || freeform)
  return function* (value, mayBeUnstorable) {
    const faults: Fault[] = []
    if (mayExceedCounts(node, value, strictFields)) countLimitFaults(node, value, '', strictFields, faults)
    yield
    if (faults.length === 0) {
      if (!strictFields) dropUnknown(node, value)
      if (!compiled().Check(value))
        for (const error of compiled().Errors(value) as unknown as SchemaError[]) faults.push(...faultsOf(node, error))
      yield
      if (mayBeUnstorable) storableFaults(value, '', faults)
    }
    if (faults.length === 0 && hasOpenObjects) yield* openObjectFaults(node, value, '', faults)
    return faults.slice(0, LIMITS.faultsMax)
  }
}

/** Returns a function that finds the faults of a value at once. */
export function faultFinder(schema: TSchema, strictFields: boolean): FindFaults<Fault[]> {
  const steps = faultSteps(schema, strictFields)
  return (value, mayBeUnstorable) => atOnce(steps(value, mayBeUnstorable))
}

/** Returns the check of one operation. It throws INVALID_ARGUMENT with every fault, or UNIMPLEMENTED. */
export function checkSteps(schema: TSchema, strictFields: boolean): FindFaults<Steps<void>> {
  const faultsOfData = faultSteps(schema, strictFields)
  const refusesSome = strictFields && someSchema(schema as SchemaNode, ({ unimplemented }) => unimplemented)
  return function* (data, mayBeUnstorable) {
    if (refusesSome) refuseUnimplemented(schema as SchemaNode, data)
    const faults = yield* faultsOfData(data, mayBeUnstorable)
    if (faults.length > 0) throw invalidArgument(faults)
  }
}

/** Returns the same check, done at once. */
export function dataCheck(schema: TSchema, strictFields: boolean): FindFaults<void> {
  const steps = checkSteps(schema, strictFields)
  return (data, mayBeUnstorable) => atOnce(steps(data, mayBeUnstorable))
}
