/**
 * Signing in at the console, asking who is signed in, and signing out. They look like operations, so that the client can
 * call them, and are none of the contract: only the console does.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static, type TSchema } from 'typebox'
import { invalidArgument } from '#platform/status-error.ts'
import type { SignedIn } from './authenticate.ts'
import { sessionSecretOf, setSessionCookie } from './console-cookie.ts'
import { isSuspect } from './json-body.ts'
import type { RateLimit } from './rate-limit.ts'
import { dataCheck } from './validate.ts'

const ID = Type.Optional(Type.String({ minLength: 1, maxLength: 200 }))
const StartSession = Type.Object(
  { workspaceId: ID, apiKey: ID, token: Type.String({ minLength: 1, maxLength: 200 }) },
  { additionalProperties: false },
)
const Nothing = Type.Object({}, { additionalProperties: false })

/** What somebody signs in with: the id of a workspace or of an API key, and its secret. */
export interface SignIn {
  workspaceId?: string | undefined
  apiKey?: string | undefined
  token: string
}

export interface ConsoleSessionDeps {
  /** Of the slice of console sessions. */
  sessions: {
    hours: number
    start(signIn: SignIn): Promise<string>
    whose(secret: string): Promise<SignedIn | undefined>
    end(secret: string): Promise<void>
  }
  perAddress: RateLimit
  headerPrefix: string
  /** Where browsers reach this server; over https the cookie goes nowhere else. */
  publicUrl: () => string
}

export function registerConsoleSession(app: FastifyInstance, deps: ConsoleSessionDeps): void {
  const { sessions, perAddress, headerPrefix, publicUrl } = deps

  const cookie = (reply: FastifyReply, secret: string) =>
    setSessionCookie(reply, secret, { secure: publicUrl().startsWith('https:'), hours: sessions.hours })

  function post<Data extends TSchema>(
    verb: string,
    schema: Data,
    message: string,
    handle: (data: Static<Data>, secret: string, reply: FastifyReply) => Promise<object | undefined>,
  ): void {
    const check = dataCheck(Type.Object({ data: schema }, { additionalProperties: false }), true)
    app.post(`/console/session/${verb}`, { schema: { hide: true } }, async (request, reply) => {
      const secret = askedFor(request)
      check(request.body, isSuspect(request))
      const { data } = request.body as { data: Static<Data> }
      const answer = await handle(data, secret, reply)
      reply.header('cache-control', 'no-store')
      return { result: { status: 'success', message, ...(answer && { data: answer }) } }
    })
  }

  /** Without the header a form of another page could sign somebody in as somebody else. */
  function askedFor(request: FastifyRequest): string {
    const secret = sessionSecretOf(request, headerPrefix)
    if (secret !== undefined) return secret
    const field = `x-${headerPrefix}-session`
    throw invalidArgument([{ field, message: `The header ${field} is required.` }], 'header_missing')
  }

  post('start', StartSession, 'Signed in.', async ({ workspaceId, apiKey, token }, _secret, reply) => {
    await perAddress.consume(reply.request.ip, reply)
    if ((workspaceId === undefined) === (apiKey === undefined))
      throw invalidArgument([{ field: 'workspaceId', message: 'exactly one of workspaceId and apiKey must be given' }])
    cookie(reply, await sessions.start({ workspaceId, apiKey, token }))
    return { workspaceId, apiKey }
  })

  post('get', Nothing, 'Who is signed in.', async (_data, secret) => {
    const signedIn = await sessions.whose(secret)
    return signedIn === undefined ? {} : { signedIn: { workspaceId: signedIn.workspaceId, apiKey: signedIn.apiKeyId } }
  })

  post('end', Nothing, 'Signed out.', async (_data, secret, reply) => {
    await sessions.end(secret)
    cookie(reply, '')
    return undefined
  })
}
