/** Describes the faults that the validator found, in the words of the caller (rules/contract.md#faults-of-a-body). */
import { resembling } from '../core/metadata.ts'
import { besidesNull, type Fault, knownNames, propertyOf, type SchemaNode, within } from './schema.ts'

export interface SchemaError {
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

function nodeAt(schema: SchemaNode, instancePath: string): SchemaNode {
  return instancePath
    .split('/')
    .slice(1)
    .reduce<SchemaNode>((node, part) => {
      const inner = besidesNull(node)
      return propertyOf(inner, part) ?? inner.items ?? {}
    }, schema)
}

const quoted = (values: unknown): string => (values as unknown[]).map((value) => JSON.stringify(value)).join(', ')
export const oneOf = (values: unknown): string => `must be one of ${quoted(values)}`
export const count = (limit: unknown, noun: string): string => `${limit} ${noun}${limit === 1 ? '' : 's'}`

const notMoreThan = (limit: unknown): string => `not be more than ${limit}`

/**
 * Returns what a number of a field must be, if it is beyond all numbers that programs keep exactly; undefined if the
 * field takes other values too.
 */
export function boundOf(schema: SchemaNode, isNegative: boolean): string | undefined {
  const [number, ...others] = [schema, ...(schema.anyOf ?? [])].filter(({ type = 'null' }) => type !== 'null')
  if (others.length > 0 || !(number?.type === 'integer' || number?.type === 'number')) return undefined
  const { minimum = -Number.MAX_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER, saysMaximum } = number
  return `must ${isNegative ? `not be less than ${minimum}` : (saysMaximum ?? notMoreThan(maximum))}`
}

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
      return `must ${node.saysMaximum ?? notMoreThan(params.limit)}`
    case 'pattern':
      return `must ${node.says ?? `match ${params.pattern}`}`
    case 'enum':
      return oneOf(params.allowedValues)
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`
    default:
      return message
  }
}

export function unknownField(schema: SchemaNode, field: string, name: string): Fault {
  const known = resembling(name, knownNames(schema))
  const hint = known === undefined ? '' : `; did you mean "${known}"?`
  return { field: within(field, name), message: `${within(field, name)} is not a known field${hint}` }
}

export function faultsOf(schema: SchemaNode, error: SchemaError): Fault[] {
  const field = fieldOf(error.instancePath)
  if (error.keyword === 'boolean' || error.keyword === 'anyOf') return [] // other errors report the fault
  if (error.keyword === 'type' && error.params.type === 'null') return [] // the error of the other type in “or null” reports it
  const node = besidesNull(nodeAt(schema, error.instancePath))
  if (error.keyword === 'required')
    return (error.params.requiredProperties as string[]).map((name) => ({
      field: within(field, name),
      message: `${within(field, name)} is required`,
    }))
  if (error.keyword === 'additionalProperties')
    return (error.params.additionalProperties as string[]).map((name) => unknownField(node, field, name))
  return [{ field: field || 'data', message: `${field || 'data'} ${sentence(error, node)}` }]
}
