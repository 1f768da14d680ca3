/** Serves the OpenAPI 3.1 document, derived from the contract. */
import type { FastifyInstance } from 'fastify'
import type { Operation } from '#contract/core/operation.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { TAGS } from '#contract/tags.ts'
import { type Description, descriptionOf, operationOf, USER_TOKEN } from './operations.ts'
import { registerReference } from './reference.ts'
import { SchemaWriter } from './schemas.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation
    /** The description that a route outside the contract gives of itself. */
    described?: Description
  }
}

interface OtherRoute {
  url: string
  method: string
  described: Description
}

const INFO = {
  title: 'Commonhold',
  description:
    'Workspaces, API keys, organizations, folders, documents, users and permissions. Every operation under `/v2` is a POST with `{ "data": {…} }`; AuthZEN has bodies of its own.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
}

/** Adds the document and the page that shows it. Routes that are registered later are in it if they describe themselves. */
export async function registerOpenApi(app: FastifyInstance, version: string, headerPrefix: string): Promise<void> {
  const others: OtherRoute[] = []
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => JSON.stringify)
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.described !== undefined && method !== 'HEAD')
      others.push({ url, method: String(method), described: config.described })
  })
  let document: Promise<Buffer> | undefined
  app.get('/openapi.json', async (_request, reply) => {
    document ??= describe(others, version, headerPrefix) // when it is asked for, so that the server starts sooner
    return reply.type('application/json; charset=utf-8').send(await document)
  })
  await registerReference(app)
}

/** Returns the document as it is sent: anybody may ask for it, so it is written only once. */
async function describe(others: readonly OtherRoute[], version: string, headerPrefix: string): Promise<Buffer> {
  const recorded = await import('#contract/responses.json', { with: { type: 'json' } })
  const responses: Record<string, unknown> = recorded.default
  const schemas = new SchemaWriter(headerPrefix)
  const paths = OPERATIONS.map((operation) => {
    const described = descriptionOf(operation, headerPrefix)
    return [operation.path, { post: operationOf(schemas, described, responses[operation.name]) }]
  })
  const otherPaths = others.map(({ url, method, described }) => [
    url.replaceAll(/:(\w+)/g, '{$1}'),
    { [method.toLowerCase()]: operationOf(schemas, described, responses[described.operationId]) },
  ])
  const document = {
    openapi: '3.1.0',
    info: { ...INFO, version },
    servers: [{ url: '/', description: 'The server that this document comes from.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries([...paths, ...otherPaths]),
    components: { securitySchemes: securitySchemes(headerPrefix), schemas: schemas.components },
  }
  return Buffer.from(JSON.stringify(document))
}

function securitySchemes(headerPrefix: string): object {
  const header = (name: string, description: string) => ({
    [`x-${headerPrefix}-${name}`]: { type: 'apiKey', in: 'header', name: `x-${headerPrefix}-${name}`, description },
  })
  return {
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
  }
}
