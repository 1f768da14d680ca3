/** Random bodies of a schema: valid ones, and nearly valid ones, in which a value is replaced, removed or added. */
import fc from 'fast-check'
import type { TSchema } from 'typebox'

interface Schema {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  patternProperties?: Record<string, Schema>
  items?: Schema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
}

/** There are few ids, so that calls are about objects that earlier calls have created. */
const IDS = ['acme', 'a', 'b', 'c', 'd', 'ada', 'grace', 'root', 'd1', 'd2', 'f1', 'f2']
const ODD = ['', ' ', 'ä', '\u202e', "'; drop table grants; --", '__proto__', '\ud83d\ude00', 'x'.repeat(300), '\u0000']
const ITEMS_MAX = 4

const text = ({ minLength = 0, maxLength = 1_000 }: Schema): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...IDS) },
    { weight: 1, arbitrary: fc.string({ minLength, maxLength: Math.min(maxLength, 40) }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('ada@example.com', 'https://example.com/hook', 'example.com', '2033-05-18'),
    },
  )

function object({
  properties = {},
  required = [],
  additionalProperties,
  patternProperties,
}: Schema): fc.Arbitrary<unknown> {
  const known = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valid(schema)]))
  const record = fc.record(known, { requiredKeys: required })
  const [values] = patternProperties === undefined ? [additionalProperties] : Object.values(patternProperties)
  if (values === undefined || values === false) return record
  const extra = fc.dictionary(
    fc.constantFrom(...IDS),
    values === true ? fc.jsonValue({ maxDepth: 2 }) : valid(values),
    {
      maxKeys: ITEMS_MAX,
    },
  )
  return fc.tuple(extra, record).map(([more, own]) => ({ ...more, ...own }))
}

/** Returns values that the schema allows, except for rules that it does not state. */
function valid(schema: Schema): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(valid))
  if (schema.allOf !== undefined)
    return fc.tuple(...schema.allOf.map(valid)).map((parts) => Object.assign({}, ...(parts as object[])))
  const { minimum = -1_000_000, maximum = 4_000_000_000 } = schema
  switch (schema.type) {
    case 'object':
      return object(schema)
    case 'array':
      return fc.array(schema.items === undefined ? fc.jsonValue() : valid(schema.items), {
        minLength: Math.min(schema.minItems ?? 0, ITEMS_MAX),
        maxLength: Math.min(schema.maxItems ?? ITEMS_MAX, ITEMS_MAX),
      })
    case 'string':
      return text(schema)
    case 'integer':
      return fc.integer({ min: Math.ceil(minimum), max: Math.floor(maximum) })
    case 'number':
      return fc.double({ min: minimum, max: maximum, noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

const odd = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(...ODD), fc.constantFrom(-1, 1e300, 2 ** 53, null))

/** Changes a body at the position that `path` chooses: replaces the value, removes it, or adds a field. */
function changed(body: unknown, path: readonly number[], value: unknown, way: number): unknown {
  if (typeof body !== 'object' || body === null || path.length === 0) return value
  const names = Object.keys(body)
  const name = names[(path[0] ?? 0) % Math.max(names.length, 1)]
  if (name === undefined || way === 0) return { ...body, [`extra${way}`]: value }
  const copy = structuredClone(body) as Record<string, unknown>
  if (way === 1 && path.length === 1) delete copy[name]
  else copy[name] = changed(copy[name], path.slice(1), value, way)
  return copy
}

/** Returns bodies for a schema, half of them valid and half of them nearly valid. */
export const randomBodies = (schema: TSchema): fc.Arbitrary<unknown> => {
  const body = valid(schema as Schema)
  const nearly = fc
    .tuple(body, fc.array(fc.nat(20), { minLength: 1, maxLength: 4 }), odd, fc.nat(3))
    .map(([value, path, other, way]) => changed(value, path, other, way))
  return fc.oneof(body, nearly)
}
