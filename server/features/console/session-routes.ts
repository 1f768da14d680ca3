/** Routes of console sessions: signing in and out, who is signed in, and the sessions of a workspace. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { LEAST_TO_READ } from '#contract/operator-roles.ts'
import type { SignedIn } from '#http/credentials.ts'
import type { Needs } from '#http/operator-access.ts'
import type { Pipeline } from '#http/pipeline.ts'
import { credentialsInvalid, invalidArgument } from '#platform/status-error.ts'
import { consoleRoute, NoData } from './call.ts'
import { type CookieOptions, sessionSecretOf, setSessionCookie } from './cookie.ts'
import type { SessionLists } from './session-lists.ts'
import type { Origin, Sessions, StartedSession } from './sessions.ts'

const Text = Type.String({ minLength: 1, maxLength: 200 })
const StartSession = Type.Object(
  {
    workspaceId: Type.Optional(Text),
    apiKey: Type.Optional(Text),
    token: Type.Optional(Text),
    link: Type.Optional(Text),
  },
  { additionalProperties: false },
)
const OneLink = Type.Object({ link: Text }, { additionalProperties: false })
const OneSession = Type.Object({ sessionId: Text }, { additionalProperties: false })

/** Everybody who is signed in to a workspace may see their sessions. */
const NEEDS: Needs = { roles: LEAST_TO_READ, freshSignIn: false }

export interface SessionDeps extends CookieOptions {
  sessions: Pick<Sessions, 'startWithToken' | 'startWithLink' | 'find' | 'end'>
  lists: SessionLists
  /** Returns whose link it is; undefined if it is not valid. */
  findLink(secret: string): Promise<{ workspaceName: string; name: string; email: string } | undefined>
}

export function sessionRoutes({ app, authentication, limits }: Pipeline, deps: SessionDeps): void {
  const { sessions, lists, headerPrefix, findLink } = deps

  const cookie = (request: FastifyRequest, reply: FastifyReply, session: StartedSession) =>
    setSessionCookie(request, reply, session, deps)

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
    const { workspaceId, apiKey, token, link } = data()
    const origin = originOf(request)
    const started =
      link === undefined
        ? await sessions.startWithToken(tokenSignIn({ workspaceId, apiKey, token }), origin)
        : await sessions.startWithLink(link, origin)
    cookie(request, reply, started)
    if (before !== '') await sessions.end(before) // the new cookie replaces it
    return accountOf(await sessions.find(started.secret))
  })

  consoleRoute(app, 'session/get', NoData, 'Session retrieved.', async (_data, request) => {
    const signedIn = await sessions.find(sessionSecret(request))
    return signedIn === undefined ? {} : { signedIn: accountOf(signedIn) }
  })

  consoleRoute(app, 'session/end', NoData, 'Signed out.', async (_data, request, reply) => {
    await sessions.end(sessionSecret(request))
    cookie(request, reply, { secret: '', hours: 0 })
    return undefined
  })

  consoleRoute(app, 'link/get', OneLink, 'Link retrieved.', async (data, request, reply) => {
    sessionSecret(request)
    await limits.perAddress.consume(request.ip, reply)
    const found = await findLink(data().link)
    if (found === undefined) throw credentialsInvalid()
    const { workspaceName, name, email } = found
    return { workspaceName, name, email }
  })

  consoleRoute(app, 'sessions/list', NoData, 'Sessions retrieved.', async (data, request, reply) => {
    const secret = sessionSecret(request)
    const caller = await authentication.workspace(request, NEEDS)
    await limits.perKey.consume(caller, reply)
    data()
    return lists.list(caller, secret)
  })

  consoleRoute(app, 'sessions/end', OneSession, 'Session ended.', async (data, request) => {
    sessionSecret(request)
    const caller = await authentication.workspace(request, NEEDS)
    await lists.end(caller, data().sessionId)
    return undefined
  })
}

const originOf = ({ ip, headers }: FastifyRequest): Origin => ({ address: ip, userAgent: headers['user-agent'] ?? '' })

/** What the page may know of who is signed in. */
const accountOf = (signedIn: SignedIn | undefined) => {
  if (signedIn === undefined) throw credentialsInvalid()
  const { workspaceId, apiKeyId: apiKey, operator } = signedIn
  if (operator === undefined) return { workspaceId, apiKey }
  const { id, name, email, role } = operator
  return { workspaceId, operator: { id, name, email, role } }
}

/** Returns the credentials if exactly one account is named. */
function tokenSignIn({
  workspaceId,
  apiKey,
  token,
}: Partial<Record<'workspaceId' | 'apiKey' | 'token', string | undefined>>) {
  if (token === undefined) throw invalidArgument([{ field: 'data.token', message: 'data.token is required' }])
  if (workspaceId !== undefined && apiKey === undefined) return { workspaceId, token }
  if (apiKey !== undefined && workspaceId === undefined) return { apiKey, token }
  throw invalidArgument([{ field: 'workspaceId', message: 'exactly one of workspaceId and apiKey must be given' }])
}
