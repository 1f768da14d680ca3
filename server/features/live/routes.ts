/** `POST /v2/live`: opens a stream of server-sent events for the user of a token (rules/comments.md#live). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LIVE_EXAMPLE, LIVE_PATH, LiveBody, LiveEvent, LiveRequest } from '#contract/comments/live.ts'
import { ErrorEnvelope } from '#contract/core/envelope.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { faultFinder } from '#contract/validation/findings.ts'
import { registerPreflight } from '#http/cors.ts'
import { bearerOf } from '#http/credentials/named-key.ts'
import { NEEDS_TO_READ } from '#http/credentials/operator-access.ts'
import { type Description, USER_TOKEN } from '#http/openapi/operations.ts'
import type { Pipeline } from '#http/pipeline.ts'
import type { PageTokens } from '#platform/secrets/page-token.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { UserCaller } from '#tenancy/callers/caller.ts'
import { isUser } from '#tenancy/callers/own-user.ts'
import type { LiveReader } from './reader.ts'
import { LiveStream } from './stream.ts'

export interface LiveDeps {
  reader: LiveReader
  pageTokens: PageTokens
  headerPrefix: string
}

/** A position as it is in an id: of the feed, and of the inbox. */
type Position = [feed: string, inbox: readonly [string, string] | null]

/**
 * The newest notification of an organization can be hidden from the user, so the length of an id must not reveal whether
 * there is one, nor how long its own id is. Ids of notifications have ASCII characters only, of one byte each.
 */
const POSITION_CHARACTERS = LIMITS.idCharactersMax + 128

export function liveRoutes({ app, authentication, limits }: Pipeline, deps: LiveDeps): void {
  const { reader, pageTokens, headerPrefix } = deps
  registerPreflight(app, LIVE_PATH, headerPrefix)
  app.addHook('preClose', async () => reader.endAll())
  app.route({
    method: 'POST',
    url: LIVE_PATH,
    config: { described: DESCRIBED, ofApiKey: true },
    onRequest: async (request, reply) => {
      const caller = await authentication.apiKeyOrUser(request, reply, NEEDS_TO_READ)
      await limits.perKey.consume(caller, reply, { isStream: true })
      request.context.caller = caller
    },
    handler: async (request, reply) => {
      const { caller } = request.context
      if (caller === undefined || !('apiKeyId' in caller) || !isUser(caller)) throw userTokenMissing()
      const data = dataOf(request)
      await reader.withRoom(caller, () => begin(request, reply, caller, data))
    },
  })

  async function begin(request: FastifyRequest, reply: FastifyReply, caller: UserCaller, data: LiveRequest) {
    const { organizationId, documentIds = [], inbox = false } = data
    const scope = ['live', caller.apiKeyId, caller.userId, organizationId]
    const resumed = positionOf(request, scope, pageTokens)
    const position = resumed?.[0] ?? (await reader.begin())
    const stream = new LiveStream(
      {
        ...{ caller, token: bearerOf(request) ?? '', origin: request.headers.origin, organizationId, hasInbox: inbox },
        namedKey: request.headers[`x-${headerPrefix}-api-key`] as string | undefined,
        documentIds: [...new Set(documentIds)],
      },
      position,
      reply.raw,
      ({ position: feed, inboxPosition }) =>
        pageTokens.encode(scope, JSON.stringify([feed, inboxPosition]).padEnd(POSITION_CHARACTERS)),
    )
    stream.inboxPosition = inbox ? (resumed?.[1] ?? null) : null
    await reader.prepare(stream)
    open(reply)
    reader.add(stream)
  }
}

/** The description of the route in the OpenAPI document. */
const DESCRIBED: Description = {
  operationId: 'live.follow',
  tags: ['threads'],
  summary: 'Follow threads and the inbox live',
  description:
    'Opens a stream of server-sent events for the user of the token: changes of the threads of documents, and new notifications. Each event has the `event` and, as one line of JSON, the `data` of the schema; blocks with an `id` alone say from where a lost stream is resumed. A comment every 15 seconds keeps the connection open.',
  security: [{ [USER_TOKEN]: [] }],
  parameters: [
    {
      name: 'Last-Event-ID',
      in: 'header',
      description:
        'Resumes the stream of the same user and organization after the block with this `id`, on any server.',
      schema: { type: 'string' },
    },
  ],
  body: {
    schema: LiveBody,
    example: { data: LIVE_EXAMPLE },
  },
  response: {
    200: {
      schema: LiveEvent,
      description: 'The stream.',
      contentType: 'text/event-stream',
      example: { event: 'ready', data: { documents: { roadmap: true } } },
    },
    400: { schema: ErrorEnvelope, description: 'INVALID_ARGUMENT: `invalid_argument`, `page_token_invalid`' },
    401: { schema: ErrorEnvelope, description: 'UNAUTHENTICATED: `credentials_invalid`' },
    403: { schema: ErrorEnvelope, description: 'PERMISSION_DENIED: `user_disabled`, `origin_not_allowed`' },
    429: { schema: ErrorEnvelope, description: 'RESOURCE_EXHAUSTED: `rate_limited`' },
  },
}

const userTokenMissing = () =>
  invalidArgument([{ field: 'authorization', message: 'A stream needs a user token, as Authorization: Bearer' }])

const faultsOf = faultFinder(LiveRequest)

function dataOf({ body, context }: FastifyRequest): LiveRequest {
  const data = (body as { data?: unknown } | undefined)?.data
  const faults = faultsOf(data ?? {}, context.mayBeUnstorable)
  if (faults.length > 0) throw invalidArgument(faults)
  return data as LiveRequest
}

/** Returns the position that the page had reached, or undefined: it begins. */
function positionOf(request: FastifyRequest, scope: readonly unknown[], tokens: PageTokens): Position | undefined {
  const id = request.headers['last-event-id']
  if (typeof id !== 'string' || id === '') return undefined
  const token = tokens.decode(scope, id, 'Last-Event-ID')
  return token === null ? undefined : JSON.parse(token)
}

/** Begins the response. Proxies must not collect it. */
function open(reply: FastifyReply): void {
  reply.hijack()
  const headers = Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  reply.raw.writeHead(200, {
    ...Object.fromEntries(headers),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    // Caddy 2.6 ignores `no-transform`: with `encode` it would compress a stream, and pass nothing on.
    'content-encoding': 'identity',
    'x-accel-buffering': 'no',
  })
  reply.raw.flushHeaders()
}
