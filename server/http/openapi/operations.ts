/** Describes operations in the OpenAPI document: the operations of the contract, and other routes that describe themselves. */
import Type, { type TSchema } from 'typebox'
import { ErrorEnvelope } from '#contract/core/envelope.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { type Operation, takesIdempotencyKey } from '#contract/core/operation.ts'
import { STATUS } from '#contract/core/status.ts'
import { Warnings } from '#contract/core/warnings.ts'
import { reasonsByStatus } from '#contract/reasons/reasons.ts'
import { code, type SchemaWriter } from './schemas.ts'

/** The description that a route outside the contract gives of itself, as its `schema`. */
export interface Description {
  operationId: string
  tags: readonly string[]
  summary: string
  description: string
  security?: readonly object[]
  parameters?: readonly object[]
  body?: { schema: TSchema; example: object }
  /** The responses by HTTP code. */
  response: Record<string, { schema: TSchema; description: string; contentType?: string; example?: object }>
}

const HEADERS: Record<Operation['credentials'], string[]> = {
  none: [],
  workspace: ['workspace-id', 'auth-token'],
  apiKey: ['api-key', 'auth-token'],
}

export const USER_TOKEN = 'user-token'

const JSON_TYPE = 'application/json'

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes the call safe to repeat: for 24 hours a repeat with the same key and body gets the answer of the first, with `Idempotent-Replayed: true`, and changes nothing. Take a new one, such as a UUID, for each change.',
  schema: { type: 'string', minLength: 1, maxLength: LIMITS.idempotencyKeyCharactersMax },
}

/** Returns `UserGroupsAdd` of `user-groups.add`. */
const typeName = (operationId: string): string =>
  operationId.replaceAll(/(?:^|[-.])(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Returns the description of an operation of the contract. */
export function descriptionOf(operation: Operation, headerPrefix: string): Description {
  const { name, aliases, credentials, data, example, scope, success, summary, userToken } = operation
  const headers = Object.fromEntries(HEADERS[credentials].map((header) => [`x-${headerPrefix}-${header}`, []]))
  const needs = scope === undefined ? '' : `\n\nNeeds an auth token with the scope \`${scope}\`.`
  const also = aliases === undefined ? '' : `\n\nAlso called at ${aliases.map(code).join(', ')}.`
  return {
    operationId: name,
    tags: [name.split('.')[0] ?? ''],
    summary,
    description: operation.description + needs + also,
    security: credentials === 'none' ? [] : [headers, ...(userToken ? [{ [USER_TOKEN]: [] }] : [])],
    ...(takesIdempotencyKey(operation) ? { parameters: [IDEMPOTENCY_KEY] } : {}),
    body: { schema: Type.Object({ data }, { additionalProperties: false }), example: { data: example } },
    response: { 200: { schema: resultOf(operation), description: success }, ...failuresOf(operation) },
  }
}

/** Returns the envelope of a success. */
function resultOf({ data, result, success, warns }: Operation): TSchema {
  const { properties = {} } = data as { properties?: object }
  return Type.Object({
    result: Type.Object({
      status: Type.Literal('success'),
      message: Type.String({ examples: [success] }),
      ...(result === undefined ? {} : { data: result }),
      ...('pageSize' in properties ? { nextPageToken: Type.Optional(Type.String()) } : {}),
      ...(warns ? { warnings: Type.Optional(Warnings) } : {}),
    }),
  })
}

/** Returns the failures of an operation by HTTP code, each with its statuses and reasons. */
function failuresOf(operation: Operation): Description['response'] {
  const byCode = Map.groupBy(reasonsByStatus(operation), ([status]) => STATUS[status].http)
  return Object.fromEntries(
    [...byCode].map(([http, statuses]) => [
      http,
      {
        schema: ErrorEnvelope,
        description: statuses.map(([status, reasons]) => `${status}: ${reasons.map(code).join(', ')}`).join('; '),
      },
    ]),
  )
}

/**
 * Returns a description in the form of the document. `recorded` is a successful response, unless the description has an
 * example of its own.
 */
export function operationOf(
  schemas: SchemaWriter,
  { operationId, description, security = [], body, response, ...described }: Description,
  recorded: unknown,
): object {
  const name = typeName(operationId)
  const responses = Object.entries(response).map(
    ([http, { schema, description, contentType = JSON_TYPE, example }]) => {
      const content =
        http === '200'
          ? { schema: schemas.define(`${name}Response`, schema), example: example ?? recorded }
          : { schema: schemas.write(schema) }
      return [http, { description, content: { [contentType]: content } }]
    },
  )
  const request = body && { schema: schemas.define(`${name}Request`, body.schema), example: body.example }
  return {
    operationId,
    ...described,
    description: schemas.words(description),
    security,
    ...(request && { requestBody: { required: true, content: { [JSON_TYPE]: request } } }),
    responses: Object.fromEntries(responses),
  }
}
