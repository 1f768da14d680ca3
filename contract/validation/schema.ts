/** Reads the parts of a schema that the validation of bodies needs, and names fields in faults. */
import type { AccessAdvice } from '../access/access-words.ts'
import { LIMITS } from '../core/limits.ts'

export interface Fault {
  field: string
  message: string
}

export interface SchemaNode {
  type?: string
  properties?: Record<string, SchemaNode>
  items?: SchemaNode
  maxItems?: number
  minimum?: number
  maximum?: number
  minProperties?: number
  anyOf?: SchemaNode[]
  enum?: unknown[]
  additionalProperties?: unknown
  says?: string
  saysMaximum?: string
  /** Takes fields of the caller's own as metadata: their names and size are checked. */
  metadata?: boolean
  /** The fields of the record that is returned: metadata cannot have these names. */
  recordFields?: readonly string[]
  /** Metadata that is null is absent: programs send it for what they do not know, in each call that adds the object. */
  nullMetadataIsAbsent?: boolean
  /** Takes any fields: only their size is checked. */
  freeform?: boolean
  /** How many fields a freeform object may have, if not as many as metadata. */
  fieldsMax?: number
  /** Refuses words of access that look like protection, and says what to do instead. */
  accessAdvice?: AccessAdvice
  /** The value of an enumeration that only API keys with the role `commenter` know. */
  commenterOnly?: string
  unimplemented?: readonly string[]
  /** An empty text means that the field is absent. */
  emptyIsAbsent?: boolean
  /** Fields without which the call deletes or revokes more: their null is refused, because it could mean either. */
  narrowing?: readonly string[]
  /** Filters of the call that reads the same things. This call does not have all of them, and does more without them. */
  readFilters?: readonly string[]
  /** A fraction is rounded up. */
  roundsUp?: boolean
  /** `from` and `to` begin and end a period. A period that ends before it begins is refused, because nothing is in it. */
  isPeriod?: boolean
}

/** Keywords of this contract alone, which no other reader of JSON Schema knows, and ids of schemas, which have names instead. */
export const PRIVATE_KEYWORDS: ReadonlySet<string> = new Set([
  '$id',
  'says',
  'saysMaximum',
  'metadata',
  'recordFields',
  'accessAdvice',
  'commenterOnly',
  'freeform',
  'fieldsMax',
  'unimplemented',
  'emptyIsAbsent',
  'nullMetadataIsAbsent',
  'narrowing',
  'readFilters',
  'roundsUp',
  'isPeriod',
])

export const within = (field: string, name: string): string => (field === '' ? name : `${field}.${name}`)

/** Returns a schema; of “or null”, the other one, which all but null must match. */
export const besidesNull = (node: SchemaNode): SchemaNode => {
  if (node.anyOf === undefined) return node
  const [other, ...more] = node.anyOf.filter(({ type }) => type !== 'null')
  return other === undefined || more.length > 0 ? node : other
}

/** Returns the schema of a field. `constructor` and other names that every object inherits are not fields. */
export const propertyOf = ({ properties }: SchemaNode, name: string): SchemaNode | undefined =>
  properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined

/** Returns a function that computes its result once for each schema: requests are validated many times with few schemas. */
export function oncePerSchema<Result>(compute: (schema: SchemaNode) => Result): (schema: SchemaNode) => Result {
  const results = new WeakMap<SchemaNode, { result: Result }>()
  return (schema) => {
    const known = results.get(schema)
    if (known !== undefined) return known.result
    const result = compute(schema)
    results.set(schema, { result })
    return result
  }
}

export const knownNames = oncePerSchema(({ properties = {} }): ReadonlySet<string> => new Set(Object.keys(properties)))

/** Returns whether `matches` holds for the schema or for one within it. */
export function someSchema(schema: SchemaNode, matches: (node: SchemaNode) => unknown): boolean {
  const { items, properties = {} } = besidesNull(schema)
  return (
    Boolean(matches(besidesNull(schema))) ||
    (items !== undefined && someSchema(items, matches)) ||
    Object.values(properties).some((inner) => someSchema(inner, matches))
  )
}

export const isFull = (faults: readonly Fault[]): boolean => faults.length >= LIMITS.faultsMax
