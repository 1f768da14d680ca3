/** Checks the credentials of a request before its body is read, and independently of it (rules/contract.md#header-names, rules/contract.md#credentials-first). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiKeyId, WorkspaceId } from '#contract/ids.ts'
import type { Scope } from '#contract/operation.ts'
import { credentialsInvalid, StatusError } from '#platform/status-error.ts'
import { isWellFormedToken, tokenHash } from '#platform/tokens.ts'
import type { Caller, PublicCaller, UserCaller, WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { allowOrigin } from './cors.ts'

/** The credentials that a console session was exchanged for. */
export type SignedIn = { tokenHash: Buffer } & (
  | { workspaceId: WorkspaceId; apiKeyId?: undefined }
  | { apiKeyId: ApiKeyId; workspaceId?: undefined }
)

type AuthenticatedKey = Omit<Caller, 'actor'> & { tokenName: string; scopes: Scope[]; disabled: boolean }

interface AuthenticatedWorkspace {
  tokenId: string
  tokenName: string
}

/** The look-ups of credentials that features offer. Undefined means that the pair does not match or is not valid now. */
export interface CredentialLookups {
  apiKey(apiKeyId: ApiKeyId, hash: Buffer): Promise<AuthenticatedKey | undefined>
  workspace(workspaceId: WorkspaceId, hash: Buffer): Promise<AuthenticatedWorkspace | undefined>
  /** Returns the secret in the session cookie of a call that asks for its session, or '' without a cookie. Undefined: the call does not use a session. */
  sessionSecret(request: FastifyRequest): string | undefined
  /** Finds a session by the secret of its cookie; undefined when it has expired or was signed out. */
  session(secret: string): Promise<SignedIn | undefined>
  keyOfWorkspace(workspaceId: WorkspaceId, apiKeyId: ApiKeyId): Promise<Omit<AuthenticatedKey, 'tokenName'> | undefined>
  /** Checks a user token of `namedKey`, or else of the API key that the token names. `caller` is undefined when the token is not valid now, and an error when its user may not call. */
  userToken(
    token: string,
    namedKey: string | undefined,
  ): Promise<
    | { allowsOrigin: (origin: string) => boolean; disabled: boolean; caller: UserCaller | StatusError | undefined }
    | undefined
  >
}

export interface Authentication {
  /** Authenticates an auth token. Refuses one without `scope`. */
  apiKey(request: FastifyRequest, scope: Scope | undefined): Promise<Caller>
  /** Authenticates a user token if there is one and no auth token, otherwise an auth token. Refuses pages that the API key does not allow. */
  apiKeyOrUser(request: FastifyRequest, reply: FastifyReply, scope: Scope | undefined): Promise<Caller | UserCaller>
  workspace(request: FastifyRequest): Promise<WorkspaceCaller>
  anonymous(request: FastifyRequest): PublicCaller
}

const scopeMissing = (scope: Scope | undefined) =>
  new StatusError('PERMISSION_DENIED', 'scope_missing', `The auth token does not have the scope "${scope}".`)

const keyDisabled = () => new StatusError('PERMISSION_DENIED', 'api_key_disabled', 'The API key is disabled.')

const originNotAllowed = (origin: string) =>
  new StatusError(
    'PERMISSION_DENIED',
    'origin_not_allowed',
    `The API key does not allow calls from pages of ${origin.slice(0, 300)}; workspace/domains/add adds their host.`,
  )

export const bearerOf = (request: FastifyRequest): string | undefined =>
  /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]

export interface AuthenticationOptions {
  headerPrefix: string
  /** Returns the URL at which callers reach this server, the origin of its own pages. It never comes from the Host header, which a page on another site can choose. */
  publicUrl: () => string
}

export function createAuthentication(lookups: CredentialLookups, options: AuthenticationOptions): Authentication {
  const { headerPrefix, publicUrl } = options
  const header = (request: FastifyRequest, name: string): string | undefined => {
    const value = request.headers[`x-${headerPrefix}-${name}`]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const required = (request: FastifyRequest, name: string): string => {
    const value = header(request, name)
    if (value !== undefined) return value
    const field = `x-${headerPrefix}-${name}`
    const message = `The header ${field} is required.`
    throw new StatusError('INVALID_ARGUMENT', 'header_missing', message, { details: [{ field, message }] })
  }

  /** Returns the workspace's token. Beside `workspace-auth-token`, clients send the token of an API key as `auth-token` with every call (rules/contract.md#header-names). */
  const workspaceToken = (request: FastifyRequest): string =>
    header(request, 'workspace-auth-token') ?? required(request, 'auth-token')

  const warnOfBrowserUse = (request: FastifyRequest): void => {
    const { origin } = request.headers
    if (origin !== undefined && origin !== publicUrl())
      request.log.warn({ origin }, 'a web page sent an auth token, so the secret has reached a browser; replace it')
  }

  /** Returns the API key of a call: the key in its headers, or one that the console session of the page may use. */
  async function keyOf(request: FastifyRequest): Promise<AuthenticatedKey | undefined> {
    const secret = lookups.sessionSecret(request)
    if (secret === undefined) {
      const apiKeyId = required(request, 'api-key')
      const token = required(request, 'auth-token')
      if (!isWellFormedToken(apiKeyId) || !isWellFormedToken(token)) throw credentialsInvalid()
      const found = await lookups.apiKey(apiKeyId as ApiKeyId, tokenHash(token))
      if (found !== undefined) warnOfBrowserUse(request)
      return found
    }
    const signedIn = await lookups.session(secret)
    if (signedIn === undefined) return undefined
    if (signedIn.apiKeyId !== undefined) {
      // The page may still show an earlier session: a call for one key must not change another.
      const other = (header(request, 'api-key') ?? signedIn.apiKeyId) !== signedIn.apiKeyId
      return other ? undefined : lookups.apiKey(signedIn.apiKeyId, signedIn.tokenHash)
    }
    const named = required(request, 'api-key')
    if (!isWellFormedToken(named)) return undefined
    const workspace = await lookups.workspace(signedIn.workspaceId, signedIn.tokenHash)
    if (workspace === undefined) return undefined
    const key = await lookups.keyOfWorkspace(signedIn.workspaceId, named as ApiKeyId)
    return key === undefined ? undefined : { ...key, tokenName: workspace.tokenName }
  }

  /** Returns the workspace of a call, and its token: of the headers, or of the console session of the page. */
  async function workspaceOf(request: FastifyRequest): Promise<AuthenticatedWorkspace & { workspaceId: WorkspaceId }> {
    const secret = lookups.sessionSecret(request)
    const given = secret === undefined ? workspaceHeaders(request) : await lookups.session(secret)
    if (given?.workspaceId === undefined) throw credentialsInvalid()
    const found = await lookups.workspace(given.workspaceId, given.tokenHash)
    if (found === undefined) throw credentialsInvalid()
    if (secret === undefined) warnOfBrowserUse(request)
    return { workspaceId: given.workspaceId, ...found }
  }

  const workspaceHeaders = (request: FastifyRequest): SignedIn | undefined => {
    const workspaceId = required(request, 'workspace-id') as WorkspaceId
    const token = workspaceToken(request)
    return isWellFormedToken(token) ? { workspaceId, tokenHash: tokenHash(token) } : undefined
  }

  async function user(request: FastifyRequest, reply: FastifyReply, token: string): Promise<UserCaller> {
    const found = await lookups.userToken(token, header(request, 'api-key'))
    const { origin } = request.headers
    const isAllowed = origin === undefined || origin === publicUrl() || found?.allowsOrigin(origin) === true
    if (isAllowed && origin !== undefined) allowOrigin(reply, origin) // before any refusal, so that the page can read it
    if (found?.caller === undefined) throw credentialsInvalid()
    if (!isAllowed) throw originNotAllowed(origin)
    if (found.disabled) throw keyDisabled()
    if (found.caller instanceof StatusError) throw found.caller
    return found.caller
  }

  const authentication: Authentication = {
    async apiKey(request, scope) {
      const found = await keyOf(request)
      if (found === undefined) throw credentialsInvalid()
      const { tokenName, scopes, disabled, ...caller } = found
      if (disabled) throw keyDisabled()
      if (scope === undefined || !scopes.includes(scope)) throw scopeMissing(scope)
      return { ...caller, actor: { apiKey: caller.apiKeyId, token: tokenName, address: request.ip } }
    },
    async apiKeyOrUser(request, reply, scope) {
      const token = header(request, 'auth-token') === undefined ? bearerOf(request) : undefined
      return token === undefined ? authentication.apiKey(request, scope) : user(request, reply, token)
    },
    async workspace(request) {
      const { workspaceId, tokenId, tokenName } = await workspaceOf(request)
      return { workspaceId, tokenId, actor: { token: tokenName, address: request.ip } }
    },
    anonymous: (request) => ({
      address: request.ip,
      signupToken: header(request, 'signup-token'),
      actor: { address: request.ip },
    }),
  }
  return authentication
}
