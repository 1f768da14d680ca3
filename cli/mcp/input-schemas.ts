/** The input schemas of tools, taken from the contract, and a check that reports faults in the words of the contract. */
import { fromJsonSchema, type JsonSchemaType } from '@modelcontextprotocol/server'
import type { TSchema } from 'typebox'
import { findingSteps } from '#contract/validation/findings.ts'
import { PRIVATE_KEYWORDS, type SchemaNode } from '#contract/validation/schema.ts'
import { atOnce } from '#contract/validation/steps.ts'

/** The maximum number of faults in one message: more would not help to write the next call. */
const FAULTS_SHOWN_MAX = 10

/** Bounds of texts are checked, but not shown: they would be a quarter of the schemas that a model has to read. */
const UNPUBLISHED = new Set(['pattern', 'minLength', 'maxLength'])

/** A tool does not show longer lists of words, such as all types of events: `describe_operation` does. */
const WORDS_OF_TOOLS_MAX = 40

/**
 * Returns a schema as JSON Schema for a model: without bounds of texts, without lists of more than `wordsMax` words, and
 * without the private keywords of the contract.
 */
export function published(schema: SchemaNode, wordsMax = Number.POSITIVE_INFINITY): Record<string, unknown> {
  const { properties, items, anyOf, enum: values } = schema
  const known = Object.entries(schema).filter(
    ([keyword, value]) =>
      !(PRIVATE_KEYWORDS.has(keyword) || UNPUBLISHED.has(keyword)) &&
      !(keyword === 'enum' && (value as unknown[]).length > wordsMax),
  )
  return {
    // Some hosts require the type of the values.
    ...(values?.every((value) => typeof value === 'string') ? { type: 'string' } : {}),
    ...Object.fromEntries(known),
    ...(properties === undefined ? {} : { properties: publishedEach(properties, wordsMax) }),
    ...(items === undefined ? {} : { items: published(items, wordsMax) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((inner) => published(inner, wordsMax)) }),
  }
}

const publishedEach = (properties: Record<string, SchemaNode>, wordsMax: number): object =>
  Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, published(inner, wordsMax)]))

/** Returns the schema that a tool is registered with. Faults are sentences such as “userId is required”. */
export function inputSchemaOf(schema: TSchema) {
  const find = findingSteps(schema, 'refused')
  const check = (given: unknown) => {
    const data = structuredClone(given)
    const { faults } = atOnce(find(data, true))
    if (faults.length === 0) return { valid: true, data, errorMessage: undefined } as const
    const messages = faults.slice(0, FAULTS_SHOWN_MAX).map(({ message }) => message)
    return { valid: false, data: undefined, errorMessage: `${messages.join('; ')}.` } as const
  }
  return fromJsonSchema<Record<string, unknown>>(
    published(schema as SchemaNode, WORDS_OF_TOOLS_MAX) as JsonSchemaType,
    {
      getValidator: <Value>() => check as (given: unknown) => ReturnType<typeof check> & { data: Value },
    } as never,
  )
}
