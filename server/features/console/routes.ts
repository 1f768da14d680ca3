/** What the console alone calls: signing in, asking who is signed in, signing out, and its first page. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { SignedIn } from '#http/authenticate.ts'
import type { Pipeline } from '#http/pipeline.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { consoleRoute, NoData } from './call.ts'
import { type CookieOptions, sessionSecretOf, setSessionCookie } from './cookie.ts'

const ID = Type.Optional(Type.String({ minLength: 1, maxLength: 200 }))
const StartSession = Type.Object(
  { workspaceId: ID, apiKey: ID, token: Type.String({ minLength: 1, maxLength: 200 }) },
  { additionalProperties: false },
)

/** What somebody signs in with: the id of a workspace or of an API key, and its secret. */
export interface SignIn {
  workspaceId?: string | undefined
  apiKey?: string | undefined
  token: string
}

export interface ConsoleDeps extends CookieOptions {
  sessions: {
    hours: number
    start(signIn: SignIn): Promise<string>
    whose(secret: string): Promise<SignedIn | undefined>
    end(secret: string): Promise<void>
  }
  overview(caller: Caller): Promise<object>
}

export function consoleRoutes({ app, authentication, limits }: Pipeline, deps: ConsoleDeps): void {
  const { sessions, overview, headerPrefix } = deps

  const cookie = (request: FastifyRequest, reply: FastifyReply, secret: string) =>
    setSessionCookie(request, reply, { secret, hours: sessions.hours }, deps)

  /** Without the header a form of another page could sign somebody in as somebody else. */
  function askedFor(request: FastifyRequest): string {
    const secret = sessionSecretOf(request, deps)
    if (secret !== undefined) return secret
    const field = `x-${headerPrefix}-session`
    throw invalidArgument([{ field, message: `The header ${field} is required.` }], 'header_missing')
  }

  consoleRoute(app, 'session/start', StartSession, 'Signed in.', async (data, request, reply) => {
    const before = askedFor(request)
    await limits.perAddress.consume(request.ip, reply)
    const { workspaceId, apiKey, token } = data()
    if ((workspaceId === undefined) === (apiKey === undefined))
      throw invalidArgument([{ field: 'workspaceId', message: 'exactly one of workspaceId and apiKey must be given' }])
    cookie(request, reply, await sessions.start({ workspaceId, apiKey, token }))
    if (before !== '') await sessions.end(before) // its cookie is no more
    return { workspaceId, apiKey }
  })

  consoleRoute(app, 'session/get', NoData, 'Who is signed in.', async (_data, request) => {
    const signedIn = await sessions.whose(askedFor(request))
    return signedIn === undefined ? {} : { signedIn: { workspaceId: signedIn.workspaceId, apiKey: signedIn.apiKeyId } }
  })

  consoleRoute(app, 'session/end', NoData, 'Signed out.', async (_data, request, reply) => {
    await sessions.end(askedFor(request))
    cookie(request, reply, '')
    return undefined
  })
  consoleRoute(app, 'overview/get', NoData, 'What there is, and how it does.', async (data, request) => {
    const caller = await authentication.apiKey(request, 'read')
    data()
    return overview(caller)
  })
}
