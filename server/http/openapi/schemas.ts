/** Converts schemas of the contract to schemas of the OpenAPI document: with references to named ones, and without our own keywords. */
import { LIMITS } from '#contract/core/limits.ts'
import * as SCHEMAS from '#contract/schemas.ts'
import { PRIVATE_KEYWORDS } from '#contract/validation/schema.ts'

const HOLDS_SCHEMA = new Set(['items', 'additionalProperties'])
const HOLDS_SCHEMAS = new Set(['properties', 'anyOf'])

const METADATA = `Takes fields of your own as metadata: up to ${LIMITS.metadataKeysMax}, together up to ${LIMITS.metadataBytesMax} bytes as JSON, nested up to ${LIMITS.metadataDepthMax} levels. They are stored and returned. Refused are names of fields of the record that is returned, names that are or nearly spell \`accessRole\`, \`accessType\`, \`expiresAt\` or \`disabled\`, and roles and access types under names that suggest access.`

export const code = (text: string): string => `\`${text}\``

interface Schema {
  type?: string
  $ref?: string
  $defs?: Record<string, object>
  enum?: readonly unknown[]
  metadata?: boolean
  unimplemented?: readonly string[]
  roundsUp?: boolean
  description?: string
}

const textOf = (schema: object): string => JSON.stringify(schema)
const withoutDescription = (schema: object): string => JSON.stringify({ ...schema, description: undefined })

/** The error envelope is called `Error` in the document. */
const NAMED = Object.entries(SCHEMAS).map(
  ([name, schema]) => [name === 'ErrorEnvelope' ? 'Error' : name, schema as Schema] as const,
)
const NAMES = new Map(NAMED.map(([name, schema]) => [textOf(schema), name]))
/** Those whose meaning is in their shape: the same shape with another description is the same type, the first of its names. */
const SHAPES = new Map(
  NAMED.toReversed()
    .filter(([, { type, enum: values }]) => type === 'object' || values !== undefined)
    .map((named) => [withoutDescription(named[1]), named]),
)

/** Writes schemas, and collects the named schemas to which they refer. */
export class SchemaWriter {
  readonly #components = new Map<string, object>()
  readonly #headerPrefix: string

  constructor(headerPrefix: string) {
    this.#headerPrefix = headerPrefix
  }

  /** Returns a description with the names of headers as this server has them. */
  words(text: string): string {
    return text.replaceAll('x-service-', `x-${this.#headerPrefix}-`)
  }

  /** Returns a schema, or the reference to it if the contract names it. */
  write(schema: object): object {
    if (NAMES.has(textOf(schema))) return this.define('', schema)
    const [name, same] = SHAPES.get(withoutDescription(schema)) ?? []
    if (name === undefined || same === undefined) return this.#shape(schema)
    const { description } = schema as Schema
    return { ...this.define(name, same), ...(description === undefined ? {} : { description }) }
  }

  /** Returns the reference to a schema, which gets this name if the contract has none for it. */
  define(ownName: string, schema: object): object {
    const name = NAMES.get(textOf(schema)) ?? ownName
    if (!this.#components.has(name)) {
      this.#components.set(name, {}) // for schemas that refer to themselves
      this.#components.set(name, this.#shape((schema as Schema).$defs?.[name] ?? schema))
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  /** The schemas that were referred to, by name. */
  get components(): Record<string, object> {
    return Object.fromEntries([...this.#components].sort(([one], [other]) => (one < other ? -1 : 1)))
  }

  #shape(schema: Schema): object {
    if (schema.$ref !== undefined) return { $ref: `#/components/schemas/${schema.$ref}` }
    const written: Record<string, unknown> = {}
    for (const [keyword, value] of Object.entries(schema))
      if (!PRIVATE_KEYWORDS.has(keyword)) Object.assign(written, this.#keyword(keyword, value))
    // Tools that generate code want to know the type of the values.
    if (schema.enum?.every((value) => typeof value === 'string')) written.type = 'string'
    if (schema.roundsUp) written.type = 'number'
    const words = this.words(wordsOf(schema))
    return words === '' ? written : { ...written, description: words }
  }

  #keyword(keyword: string, value: unknown): object {
    // Many tools know `enum` alone, and a map is an object with additional properties to them.
    if (keyword === 'const') return { enum: [value] }
    if (keyword === 'patternProperties')
      return { additionalProperties: this.write(Object.values(value as Record<string, object>)[0] ?? {}) }
    if (typeof value !== 'object' || value === null) return { [keyword]: value }
    if (HOLDS_SCHEMA.has(keyword)) return { [keyword]: this.write(value) }
    if (!HOLDS_SCHEMAS.has(keyword)) return { [keyword]: value }
    if (Array.isArray(value)) return { [keyword]: value.map((one) => this.write(one)) }
    return {
      [keyword]: Object.fromEntries(
        Object.entries<object>(value as Record<string, object>).map(([name, inner]) => [name, this.write(inner)]),
      ),
    }
  }
}

/** Returns the description, with what our own keywords mean. */
function wordsOf({ metadata, unimplemented, description }: Schema): string {
  const refused =
    unimplemented && `Answered with UNIMPLEMENTED, unless they are off: ${unimplemented.map(code).join(', ')}.`
  return [description, metadata && METADATA, refused].filter(Boolean).join(' ')
}
