/**
 * Finds whose credentials a request carries: in its headers, in the session of a console, or in that of a command line
 * (rules/contract.md#header-names).
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiKeyId, WorkspaceId } from '#contract/core/ids.ts'
import { isCommandLineSession, isWellFormedToken, tokenHash } from '#platform/secrets/tokens.ts'
import { credentialsInvalid, StatusError } from '#platform/status-error.ts'
import type { Actor, UserCaller, WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { allowOrigin } from '../cors.ts'
import type { AuthenticatedKey, CredentialLookups, SignedIn } from './credentials.ts'
import { type Needs, requireOperator, type SignedInOperator } from './operator-access.ts'

/** An API key of a call, and whose doing it is. */
export type KeyOfCall = Omit<AuthenticatedKey, 'tokenName'> & { by: Pick<Actor, 'token' | 'operator'> }

export const keyDisabled = () => new StatusError('PERMISSION_DENIED', 'api_key_disabled', 'The API key is disabled.')

const originNotAllowed = (origin: string) =>
  new StatusError(
    'PERMISSION_DENIED',
    'origin_not_allowed',
    `The API key does not allow calls from pages of ${origin.slice(0, 300)}; workspace/domains/add adds their host.`,
  )

const named = ({ id, name }: SignedInOperator) => ({ id, name })

function byToken(found: AuthenticatedKey | undefined): KeyOfCall | undefined {
  if (found === undefined) return undefined
  const { tokenName, ...key } = found
  return { ...key, by: { token: tokenName } }
}

/** Returns a function that returns a header of ours, without the prefix in its name; undefined if it is empty. */
export const headersWith =
  (headerPrefix: string) =>
  (request: FastifyRequest, name: string): string | undefined => {
    const value = request.headers[`x-${headerPrefix}-${name}`]
    return typeof value === 'string' && value !== '' ? value : undefined
  }

export interface PresentedCredentialsOptions {
  headerPrefix: string
  /**
   * Returns the URL at which callers reach this server, the origin of its own pages. It never comes from the Host
   * header, which a page on another site can choose.
   */
  publicUrl: () => string
  /** Throws UNAVAILABLE if a key whose row is here is in another database: one that it was moved away from may have that for a minute. */
  requirePlace: (apiKeyId: string) => Promise<void>
}

/** Creates the functions that look up whose credentials a request carries. They throw or return undefined if these are wrong. */
export function createPresentedCredentials(
  lookups: CredentialLookups,
  { headerPrefix, publicUrl, requirePlace }: PresentedCredentialsOptions,
) {
  const header = headersWith(headerPrefix)
  const required = (request: FastifyRequest, name: string): string => {
    const value = header(request, name)
    if (value !== undefined) return value
    const field = `x-${headerPrefix}-${name}`
    const message = `The header ${field} is required.`
    throw new StatusError('INVALID_ARGUMENT', 'header_missing', message, { details: [{ field, message }] })
  }

  /**
   * Returns the workspace's token. Beside `workspace-auth-token`, clients send the token of an API key as `auth-token`
   * with every call (rules/contract.md#header-names).
   */
  const workspaceToken = (request: FastifyRequest): string =>
    header(request, 'workspace-auth-token') ?? required(request, 'auth-token')

  const warnOfBrowserUse = (request: FastifyRequest): void => {
    const { origin } = request.headers
    if (origin !== undefined && origin !== publicUrl())
      request.log.warn({ origin }, 'a web page sent an auth token, so the secret has reached a browser; replace it')
  }

  /** Returns the session that a command line sends as its token. A page that sends one has stolen it. */
  const commandLine = async (request: FastifyRequest, secret: string): Promise<SignedIn | undefined> =>
    request.headers.origin === undefined ? lookups.commandLineSession(secret) : undefined

  /** Returns the API key of a call: the key in its headers, or one that the session of a console or command line may use. */
  async function keyOf(request: FastifyRequest, needs: Needs): Promise<KeyOfCall | undefined> {
    const secret = lookups.sessionSecret(request)
    if (secret === undefined) {
      const apiKeyId = required(request, 'api-key')
      const token = required(request, 'auth-token')
      if (!isWellFormedToken(apiKeyId) || !isWellFormedToken(token)) throw credentialsInvalid()
      if (isCommandLineSession(token)) return keyOfSession(request, await commandLine(request, token), needs)
      const found = await lookups.apiKey(apiKeyId as ApiKeyId, tokenHash(token))
      if (found !== undefined) warnOfBrowserUse(request)
      return byToken(found)
    }
    return keyOfSession(request, await lookups.session(request, secret), needs)
  }

  async function keyOfSession(request: FastifyRequest, signedIn: SignedIn | undefined, needs: Needs) {
    if (signedIn === undefined) return undefined
    if (signedIn.apiKeyId !== undefined) {
      // The page may still show an earlier session: a call for one key must not change another.
      const other = (header(request, 'api-key') ?? signedIn.apiKeyId) !== signedIn.apiKeyId
      return other ? undefined : byToken(await lookups.apiKey(signedIn.apiKeyId, signedIn.tokenHash))
    }
    const apiKeyId = required(request, 'api-key')
    if (!isWellFormedToken(apiKeyId)) return undefined
    const by = await actingIn(signedIn)
    const found =
      by === undefined ? undefined : await lookups.keyOfWorkspace(signedIn.workspaceId, apiKeyId as ApiKeyId)
    if (by === undefined || found === undefined) return undefined
    await requirePlace(apiKeyId)
    const { type, ...key } = found
    if (signedIn.operator !== undefined) requireOperator(signedIn.operator, needs, type)
    return { ...key, by }
  }

  /** Returns who acts in a session of a workspace; undefined when its token is no longer valid. */
  async function actingIn(signedIn: SignedIn & { workspaceId: WorkspaceId }): Promise<KeyOfCall['by'] | undefined> {
    if (signedIn.operator !== undefined) return { operator: named(signedIn.operator) }
    const token = await lookups.workspace(signedIn.workspaceId, signedIn.tokenHash)
    return token === undefined ? undefined : { token: token.tokenName }
  }

  /** Returns the workspace of a call, with its token or operator: of the headers, or of the session of a console or command line. */
  async function workspaceOf(request: FastifyRequest, needs: Needs): Promise<WorkspaceCaller> {
    const secret = lookups.sessionSecret(request)
    const given = secret === undefined ? await workspaceHeaders(request) : await lookups.session(request, secret)
    if (given?.workspaceId === undefined) throw credentialsInvalid()
    const { workspaceId, operator } = given
    const address = request.ip
    if (operator !== undefined) {
      requireOperator(operator, needs, 'testing')
      const { id, role } = operator
      return { workspaceId, operator: { id, role }, actor: { operator: named(operator), address } }
    }
    const found = await lookups.workspace(workspaceId, given.tokenHash)
    if (found === undefined) throw credentialsInvalid()
    if (secret === undefined) warnOfBrowserUse(request)
    return { workspaceId, tokenId: found.tokenId, actor: { token: found.tokenName, address } }
  }

  async function workspaceHeaders(request: FastifyRequest): Promise<SignedIn | undefined> {
    const workspaceId = required(request, 'workspace-id') as WorkspaceId
    const token = workspaceToken(request)
    if (!isWellFormedToken(token)) return undefined
    if (!isCommandLineSession(token)) return { workspaceId, tokenHash: tokenHash(token) }
    const signedIn = await commandLine(request, token)
    return signedIn?.workspaceId === workspaceId ? signedIn : undefined
  }

  async function user(request: FastifyRequest, reply: FastifyReply, token: string): Promise<UserCaller> {
    const found = await lookups.userToken(token, header(request, 'api-key'))
    const { origin } = request.headers
    const isAllowed = origin === undefined || origin === publicUrl() || found?.allowsOrigin(origin) === true
    if (isAllowed && origin !== undefined) allowOrigin(reply, origin) // before any refusal, so that the page can read it
    if (found?.caller === undefined) throw credentialsInvalid()
    request.context.apiKeyId = found.apiKeyId
    if (!isAllowed) throw originNotAllowed(origin)
    if (found.disabled) throw keyDisabled()
    if (found.caller instanceof StatusError) throw found.caller
    return found.caller
  }

  return { keyOf, workspaceOf, userOf: user }
}
