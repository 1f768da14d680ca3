/** Routes that only the console calls: sign-in, session, sign-out and overview. */
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

/** The secret of a link that was sent by mail. */
const UseLink = Type.Object({ link: Type.String({ minLength: 1, maxLength: 200 }) }, { additionalProperties: false })

/** Sign-in credentials: the id of a workspace or of an API key, and its secret. */
export interface SignIn {
  workspaceId?: string | undefined
  apiKey?: string | undefined
  token: string
}

export interface ConsoleDeps extends CookieOptions {
  sessions: {
    hours: number
    start(signIn: SignIn): Promise<string>
    startWithLink(link: string, address: string): Promise<{ secret: string; workspaceId: string }>
    find(secret: string): Promise<SignedIn | undefined>
    end(secret: string): Promise<void>
  }
  overview(caller: Caller): Promise<object>
}

export function consoleRoutes({ app, authentication, limits }: Pipeline, deps: ConsoleDeps): void {
  const { sessions, overview, headerPrefix } = deps

  const cookie = (request: FastifyRequest, reply: FastifyReply, secret: string) =>
    setSessionCookie(request, reply, { secret, hours: sessions.hours }, deps)

  /** Returns the secret of the session. Without the header, a form on another site could sign a user in to another account. */
  function sessionSecret(request: FastifyRequest): string {
    const secret = sessionSecretOf(request, deps)
    if (secret !== undefined) return secret
    const field = `x-${headerPrefix}-session`
    throw invalidArgument([{ field, message: `The header ${field} is required.` }], 'header_missing')
  }

  consoleRoute(app, 'session/start', StartSession, 'Signed in.', async (data, request, reply) => {
    const before = sessionSecret(request)
    await limits.perAddress.consume(request.ip, reply)
    const { workspaceId, apiKey, token } = data()
    if ((workspaceId === undefined) === (apiKey === undefined))
      throw invalidArgument([{ field: 'workspaceId', message: 'exactly one of workspaceId and apiKey must be given' }])
    cookie(request, reply, await sessions.start({ workspaceId, apiKey, token }))
    if (before !== '') await sessions.end(before) // the new cookie replaces it
    return { workspaceId, apiKey }
  })

  // A call like the one above, not a form: with a form, another site could sign a user in with a link of its own.
  consoleRoute(app, 'session/link', UseLink, 'Signed in.', async (data, request, reply) => {
    const before = sessionSecret(request)
    await limits.perAddress.consume(request.ip, reply)
    const { secret, workspaceId } = await sessions.startWithLink(data().link, request.ip)
    cookie(request, reply, secret)
    if (before !== '') await sessions.end(before) // the new cookie replaces it
    return { workspaceId }
  })

  consoleRoute(app, 'session/get', NoData, 'Session retrieved.', async (_data, request) => {
    const signedIn = await sessions.find(sessionSecret(request))
    return signedIn === undefined ? {} : { signedIn: { workspaceId: signedIn.workspaceId, apiKey: signedIn.apiKeyId } }
  })

  consoleRoute(app, 'session/end', NoData, 'Signed out.', async (_data, request, reply) => {
    await sessions.end(sessionSecret(request))
    cookie(request, reply, '')
    return undefined
  })
  consoleRoute(app, 'overview/get', NoData, 'Overview retrieved.', async (data, request, reply) => {
    const caller = await authentication.apiKey(request, 'read')
    await limits.perKey.consume(caller, reply)
    data()
    return overview(caller)
  })
}
