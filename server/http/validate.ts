/** Checks `data` against its schema and says every fault in the caller's own words (decisions A2, A3). */
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { LIMITS } from '#contract/limits.ts'
import { metadataFaults, resembling, sizeFaults } from '#contract/metadata.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'

Settings.Set({ maxErrors: LIMITS.faultsMax })

export interface Fault {
  field: string
  message: string
}

interface SchemaNode {
  type?: string
  properties?: Record<string, SchemaNode>
  items?: SchemaNode
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

/** `/permissions/resources/2/id` as the caller wrote it: `permissions.resources[2].id`. */
function fieldOf(instancePath: string): string {
  let field = ''
  for (const part of instancePath.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    field += /^\d+$/.test(name) ? `[${name}]` : field === '' ? name : `.${name}`
  }
  return field
}

const within = (field: string, name: string): string => (field === '' ? name : `${field}.${name}`)

/** The schema of a field; `constructor` and other names that every object inherits are no fields. */
const propertyOf = ({ properties }: SchemaNode, name: string): SchemaNode | undefined =>
  properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined

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

function faultsOf(schema: SchemaNode, error: SchemaError): Fault[] {
  const field = fieldOf(error.instancePath)
  if (error.keyword === 'boolean' || error.keyword === 'anyOf') return [] // said by the errors beside them
  if (error.keyword === 'type' && error.params.type === 'null') return [] // the other side of “or null” says it
  const node = nodeAt(schema, error.instancePath)
  if (error.keyword === 'required')
    return (error.params.requiredProperties as string[]).map((name) => ({
      field: within(field, name),
      message: `${within(field, name)} is required`,
    }))
  if (error.keyword === 'additionalProperties')
    return (error.params.additionalProperties as string[]).map((name) => {
      const known = resembling(name, Object.keys(node.properties ?? {}))
      const hint = known === undefined ? '' : `; did you mean "${known}"?`
      return { field: within(field, name), message: `${within(field, name)} is not a known field${hint}` }
    })
  return [{ field, message: `${field || 'data'} ${sentence(error, node)}` }]
}

/** More than any valid request nests; deeper ones must not exhaust the stack before they are refused. */
const DEPTH_MAX = 2 * LIMITS.metadataDepthMax

/** What PostgreSQL cannot store: NUL, surrogates without their pair, numbers that a double does not reach. */
function storableFaults(value: unknown, field: string, depth = 0): Fault[] {
  if (typeof value === 'string')
    return value.includes('\0') || !value.isWellFormed()
      ? [{ field, message: `${field} must not contain NUL or unpaired surrogates` }]
      : []
  if (typeof value === 'number')
    return Number.isFinite(value) ? [] : [{ field, message: `${field} must not be a number beyond 1.8e308` }]
  if (typeof value !== 'object' || value === null) return []
  if (depth > DEPTH_MAX) return [{ field, message: `${field} nests too deep` }]
  if (Array.isArray(value)) return value.flatMap((item, index) => storableFaults(item, `${field}[${index}]`, depth + 1))
  return Object.entries(value).flatMap(([name, inner]) => [
    ...storableFaults(name, within(field, 'a field name'), depth + 1),
    ...storableFaults(inner, within(field, name), depth + 1),
  ])
}

/** What is wrong with the caller's own fields, in the objects of `data` that take some. */
function openObjectFaults(schema: SchemaNode, value: unknown, field: string): Fault[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) {
    const { items } = schema
    if (items === undefined) return []
    return value.flatMap((item, index) => openObjectFaults(items, item, `${field}[${index}]`))
  }
  const object = value as Record<string, unknown>
  const known = Object.entries(schema.properties ?? {})
  return [
    ...(schema.metadata ? metadataFaults(object, new Set(known.map(([name]) => name)), field) : []),
    ...(schema.freeform ? sizeFaults(object, field) : []),
    ...known.flatMap(([name, inner]) => openObjectFaults(inner, object[name], within(field, name))),
  ]
}

/** Removes what the schema does not know, for `STRICT_FIELDS=false`. */
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
    else if (
      schema.metadata &&
      metadataFaults({ [name]: null }, new Set(Object.keys(schema.properties ?? {})), '').length > 0
    )
      delete object[name]
  }
}

function refuseUnimplemented(schema: SchemaNode, data: unknown): void {
  if (typeof data !== 'object' || data === null) return
  const field = schema.unimplemented?.find((name) => Object.hasOwn(data, name))
  if (field !== undefined)
    throw new StatusError(
      'UNIMPLEMENTED',
      'field_not_implemented',
      `${field} belongs to a feature that Commonhold does not have; leave it out, or set STRICT_FIELDS=false to have such fields ignored.`,
      { details: [{ field, message: `${field} is not implemented` }] },
    )
}

/** Makes the check of one operation. It throws INVALID_ARGUMENT with every fault (the first 100), or UNIMPLEMENTED. */
export function dataCheck(schema: TSchema, strictFields: boolean): (data: unknown, suspect: boolean) => void {
  const compiled = Compile(schema)
  const node = schema as SchemaNode
  return (data, suspect) => {
    if (strictFields) refuseUnimplemented(node, data)
    else dropUnknown(node, data)
    const faults: Fault[] = compiled.Check(data)
      ? []
      : (compiled.Errors(data) as unknown as SchemaError[]).flatMap((error) => faultsOf(node, error))
    if (suspect) faults.push(...storableFaults(data, ''))
    if (faults.length === 0) faults.push(...openObjectFaults(node, data, ''))
    if (faults.length > 0) throw invalidArgument(faults.slice(0, LIMITS.faultsMax))
  }
}
