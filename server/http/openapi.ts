/** Serves the OpenAPI 3.1 document, derived from the contract. */
import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import Type from 'typebox'
import { ErrorEnvelope } from '#contract/envelope.ts'
import { LIMITS } from '#contract/limits.ts'
import { type Operation, takesIdempotencyKey } from '#contract/operation.ts'
import { reasonsByStatus } from '#contract/reasons.ts'
import { STATUS } from '#contract/status.ts'
import { registerReference } from './reference.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation
  }
}

const HEADERS: Record<Operation['credentials'], string[]> = {
  none: [],
  workspace: ['workspace-id', 'auth-token'],
  apiKey: ['api-key', 'auth-token'],
}

const USER_TOKEN = 'user-token'

/** The name of the error envelope among the components of the document. */
const ERROR = 'Error'

/** Returns the failures of an operation by HTTP code, each with its statuses and reasons. */
function failuresOf(operation: Operation): Record<string, object> {
  const byCode = Map.groupBy(reasonsByStatus(operation), ([status]) => STATUS[status].http)
  return Object.fromEntries(
    [...byCode].map(([http, statuses]) => [
      http,
      {
        $ref: `${ERROR}#`,
        description: statuses.map(([status, reasons]) => `${status}: ${reasons.map(code).join(', ')}`).join('; '),
      },
    ]),
  )
}

const code = (text: string): string => `\`${text}\``

/** Our own keywords, which the validation of bodies reads (`validate.ts`). The published document describes them in words. */
const PRIVATE_KEYWORDS = new Set([
  ...['says', 'saysMaximum', 'metadata', 'recordFields', 'accessAdvice', 'freeform', 'unimplemented'],
  ...['emptyIsAbsent', 'roundsUp'],
])
const HOLDS_SCHEMA = new Set(['items', 'additionalProperties', 'not'])
const HOLDS_SCHEMAS = new Set(['properties', 'patternProperties', '$defs', 'anyOf', 'allOf', 'oneOf'])

const METADATA = `Takes fields of your own as metadata: up to ${LIMITS.metadataKeysMax}, together up to ${LIMITS.metadataBytesMax} bytes as JSON, nested up to ${LIMITS.metadataDepthMax} levels. They are stored and returned. Refused are names of fields of the record that is returned, names that are or nearly spell \`accessRole\`, \`accessType\`, \`expiresAt\` or \`disabled\`, and roles and access types under names that suggest access.`

/** Returns a schema without the keywords that only this server knows. */
export function published(schema: object): object {
  const { metadata, unimplemented, roundsUp, description } = schema as SchemaKeywords
  const words = [
    description,
    ...(metadata ? [METADATA] : []),
    ...(unimplemented
      ? [`Answered with UNIMPLEMENTED, unless they are off: ${unimplemented.map(code).join(', ')}.`]
      : []),
  ]
  const entries = Object.entries(schema).filter(([keyword]) => !PRIVATE_KEYWORDS.has(keyword))
  return {
    ...Object.fromEntries(
      entries.map(([keyword, value]) => {
        if (typeof value !== 'object' || value === null) return [keyword, value]
        if (HOLDS_SCHEMA.has(keyword)) return [keyword, published(value)]
        if (!HOLDS_SCHEMAS.has(keyword)) return [keyword, value]
        if (Array.isArray(value)) return [keyword, value.map(published)]
        return [
          keyword,
          Object.fromEntries(
            Object.entries<object>(value as Record<string, object>).map(([name, inner]) => [name, published(inner)]),
          ),
        ]
      }),
    ),
    ...(roundsUp ? { type: 'number' } : {}),
    ...(words.length > 1 ? { description: words.filter((text) => text !== undefined).join(' ') } : {}),
  }
}

interface SchemaKeywords {
  metadata?: boolean
  unimplemented?: readonly string[]
  roundsUp?: boolean
  description?: string
}

const IDEMPOTENCY_KEY = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      description:
        'Makes the call safe to repeat: for 24 hours a repeat with the same key and body gets the answer of the first, with `Idempotent-Replayed: true`, and changes nothing. Take a new one, such as a UUID, for each change.',
      minLength: 1,
      maxLength: LIMITS.idempotencyKeyCharactersMax,
    }),
  ),
})

const WARNINGS = Type.Array(Type.String(), {
  description:
    'What may not have the effect that was wanted, and what to do. For people; absent when there is nothing to say.',
})

/** Returns the description of an operation in the document. `validate.ts` does the validation, not Fastify. */
function openApiSchema(operation: Operation, headerPrefix: string): FastifySchema {
  const { data, result, example } = operation
  const success = {
    result: Type.Object({
      status: Type.Literal('success'),
      message: Type.String({ examples: [operation.success] }),
      ...(result === undefined ? {} : { data: result }),
      ...('pageSize' in ((data as { properties?: object }).properties ?? {})
        ? { nextPageToken: Type.Optional(Type.String()) }
        : {}),
      ...(operation.warns ? { warnings: Type.Optional(WARNINGS) } : {}),
    }),
  }
  const scope = operation.scope === undefined ? '' : `\n\nNeeds an auth token with the scope \`${operation.scope}\`.`
  const aliases = operation.aliases === undefined ? '' : `\n\nAlso called at ${operation.aliases.map(code).join(', ')}.`
  return {
    operationId: operation.name,
    tags: [operation.name.split('.')[0] ?? ''],
    summary: operation.summary,
    description: operation.description + scope + aliases,
    ...(takesIdempotencyKey(operation) ? { headers: IDEMPOTENCY_KEY } : {}),
    body: published(Type.Object({ data }, { additionalProperties: false, examples: [{ data: example }] })),
    security:
      HEADERS[operation.credentials].length === 0
        ? []
        : [
            Object.fromEntries(HEADERS[operation.credentials].map((name) => [`x-${headerPrefix}-${name}`, []])),
            ...(operation.userToken ? [{ [USER_TOKEN]: [] }] : []),
          ],
    response: {
      200: published(Type.Object(success, { description: operation.success })),
      ...failuresOf(operation),
    },
  } as FastifySchema
}

export async function registerOpenApi(app: FastifyInstance, version: string, headerPrefix: string): Promise<void> {
  const header = (name: string, description: string) => ({
    [`x-${headerPrefix}-${name}`]: {
      type: 'apiKey' as const,
      in: 'header' as const,
      name: `x-${headerPrefix}-${name}`,
      description,
    },
  })
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => JSON.stringify)
  app.addSchema({ ...ErrorEnvelope, $id: ERROR })
  await app.register(swagger, {
    // The schema is made when the document is requested. Making it with each route took a tenth of the server's start.
    transform: ({ schema, url, route }) => {
      const operation = route.config?.operation
      return { url, schema: operation?.path === url ? openApiSchema(operation, headerPrefix) : schema }
    },
    refResolver: { buildLocalReference: ({ $id }, _baseUri, _fragment, index) => String($id ?? `schema-${index}`) },
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Commonhold',
        version,
        description:
          'Workspaces, API keys, organizations, folders, documents, users and permissions. Every operation under `/v2` is a POST with `{ "data": {…} }`; AuthZEN has bodies of its own.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: {
        securitySchemes: {
          ...header('workspace-id', 'The id of the workspace.'),
          ...header('api-key', 'The API key: names the data set.'),
          ...header('auth-token', 'The secret: an auth token of the API key, or the token of the workspace.'),
          [USER_TOKEN]: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description:
              'A token of `user-tokens.generate`, which names its API key. From browsers only on pages of the allowed domains of the key.',
          },
        },
      },
    },
  })
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger())
  await registerReference(app)
}
