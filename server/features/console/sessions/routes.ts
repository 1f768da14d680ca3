/** Routes of console sessions: signing in and out, who is signed in, and the sessions of a workspace. */
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { ClosedObject } from '#contract/core/fields.ts'
import { LEAST_TO_READ } from '#contract/workspace/operator-roles.ts'
import type { SignedIn } from '#http/credentials/credentials.ts'
import type { Needs } from '#http/credentials/operator-access.ts'
import type { Pipeline } from '#http/pipeline.ts'
import { credentialsInvalid, invalidArgument } from '#platform/status-error.ts'
import { consoleRoute, NoData } from '../call.ts'
import { type CookieOptions, isAskedFor, sessionSecretOf, setSessionCookie } from './cookie.ts'
import type { SessionLists } from './lists.ts'
import type { OperatorSession, OperatorSessions } from './operator-sessions.ts'
import type { Account, Origin, Sessions, StartedSession } from './sessions.ts'

const Text = Type.String({ minLength: 1, maxLength: 200 })

/** The response of an authenticator, as the browser writes it; the library checks it. */
export const Signed = Type.Object(
  { id: Type.String({ maxLength: 2_000 }), response: Type.Object({ clientDataJSON: Type.String() }) },
  { additionalProperties: true },
)

const StartSession = ClosedObject({
  workspaceId: Type.Optional(Text),
  apiKey: Type.Optional(Text),
  token: Type.Optional(Text),
  link: Type.Optional(Text),
  passkey: Type.Optional(Signed),
})
const OneLink = ClosedObject({ link: Text })
const OneSession = ClosedObject({ sessionId: Text })

/** Everybody who is signed in to a workspace may see their sessions. */
const NEEDS: Needs = { roles: LEAST_TO_READ, freshSignIn: false }

export interface SessionDeps extends CookieOptions {
  sessions: Pick<Sessions, 'startWithToken' | 'find' | 'lookUp' | 'end'>
  operatorSessions: OperatorSessions
  lists: SessionLists
  /** Returns whose link it is; undefined if it is not valid. */
  findLink(secret: string): Promise<{ workspaceName: string; name: string; email: string } | undefined>
}

export const originOf = ({ ip, headers }: FastifyRequest): Origin => ({
  address: ip,
  userAgent: headers['user-agent'] ?? '',
})

/** Returns functions that read the session of a request. */
export function sessionReader(
  { authentication }: Pick<Pipeline, 'authentication'>,
  { sessions, headerPrefix, ...cookie }: Pick<SessionDeps, 'sessions' | keyof CookieOptions>,
) {
  /** Returns the secret of the session. Without the header, a form on another site could sign a user in to another account. */
  function secret(request: FastifyRequest): string {
    const found = sessionSecretOf(request, { headerPrefix, ...cookie })
    if (found !== undefined) return found
    const field = `x-${headerPrefix}-session`
    throw invalidArgument([{ field, message: `The header ${field} is required.` }], 'header_missing')
  }
  const isFor = (signedIn: SignedIn, request: FastifyRequest) =>
    isAskedFor(signedIn, request, { headerPrefix, ...cookie })
  return {
    secret,
    isFor,
    /** Returns the operator of the session. Refuses sessions that stand for a token, and a page that acts for somebody else. */
    async operator(request: FastifyRequest): Promise<OperatorSession> {
      const own = secret(request)
      const signedIn = await authentication.attempt(request, async () => {
        const found = await sessions.find(own)
        return found && isFor(found, request) ? found : undefined
      })
      if (signedIn?.operator === undefined) throw credentialsInvalid()
      const { workspaceId, operator } = signedIn
      return { secret: own, workspaceId, operator }
    },
  }
}

export function sessionRoutes(pipeline: Pipeline, deps: SessionDeps): void {
  const { app, authentication, limits } = pipeline
  const { sessions, operatorSessions, lists, findLink } = deps
  const read = sessionReader(pipeline, deps)

  const cookie = (request: FastifyRequest, reply: FastifyReply, session: StartedSession) =>
    setSessionCookie(request, reply, session, deps)

  consoleRoute(app, 'session/start', StartSession, 'Signed in.', async (data, request, reply) => {
    const before = read.secret(request)
    await limits.perAddress.consume(request.ip, reply)
    const { link, passkey, ...token } = data()
    const origin = originOf(request)
    const started = await (link !== undefined
      ? operatorSessions.startWithLink(link, origin)
      : passkey !== undefined
        ? operatorSessions.startWithPasskey(passkey as AuthenticationResponseJSON, origin)
        : sessions.startWithToken(tokenSignIn(token), origin))
    cookie(request, reply, started)
    if (before !== '') await sessions.end(before) // the new cookie replaces it
    return accountOf(await sessions.find(started.secret))
  })

  consoleRoute(app, 'session/get', NoData, 'Session retrieved.', async (_data, request) => {
    const own = read.secret(request)
    const signedIn = own === '' ? undefined : await authentication.attempt(request, () => sessions.find(own))
    return signedIn === undefined ? {} : { signedIn: accountOf(signedIn) }
  })

  consoleRoute(app, 'session/end', NoData, 'Signed out.', async (_data, request, reply) => {
    const own = read.secret(request)
    const end = async () => {
      const signedIn = await sessions.lookUp(own)
      return signedIn && !read.isFor(signedIn, request) ? 'kept' : sessions.end(own)
    }
    // Somebody else has signed in to another tab since, and stays.
    if (own !== '' && (await authentication.attempt(request, end)) === 'kept') return undefined
    cookie(request, reply, { secret: '', hours: 0 })
    return undefined
  })

  consoleRoute(app, 'link/get', OneLink, 'Link retrieved.', async (data, request, reply) => {
    read.secret(request)
    await limits.perAddress.consume(request.ip, reply)
    const found = await findLink(data().link)
    if (found === undefined) throw credentialsInvalid()
    const { workspaceName, name, email } = found
    return { workspaceName, name, email }
  })

  consoleRoute(app, 'sessions/list', NoData, 'Sessions retrieved.', async (data, request, reply) => {
    const secret = read.secret(request)
    const caller = await authentication.workspace(request, NEEDS)
    await limits.perKey.consume(caller, reply)
    data()
    return lists.list(caller, secret)
  })

  consoleRoute(app, 'sessions/end', OneSession, 'Session ended.', async (data, request) => {
    read.secret(request)
    const caller = await authentication.workspace(request, NEEDS)
    await lists.end(caller, data().sessionId)
    return undefined
  })
}

/** The facts about the signed-in person that the page may know. */
const accountOf = (signedIn: Account | undefined) => {
  if (signedIn === undefined) throw credentialsInvalid()
  const { workspaceId, workspaceName, apiKeyId: apiKey, operator, scopes } = signedIn
  if (operator === undefined) return { workspaceId, workspaceName, apiKey, scopes }
  const { id, name, email, role } = operator
  return { workspaceId, workspaceName, operator: { id, name, email, role } }
}

type TokenFields = Partial<Record<'workspaceId' | 'apiKey' | 'token', string | undefined>>

/** Returns the credentials if exactly one account is named. */
function tokenSignIn({ workspaceId, apiKey, token }: TokenFields) {
  if (token === undefined) throw invalidArgument([{ field: 'data.token', message: 'data.token is required' }])
  if (workspaceId !== undefined && apiKey === undefined) return { workspaceId, token }
  if (apiKey !== undefined && workspaceId === undefined) return { apiKey, token }
  throw invalidArgument([{ field: 'workspaceId', message: 'exactly one of workspaceId and apiKey must be given' }])
}
