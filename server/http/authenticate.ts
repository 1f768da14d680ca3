/** Credentials of a request, checked before its body is looked at and independent of it (rules/contract.md#header-names, rules/contract.md#credentials-first). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiKeyId, WorkspaceId } from '#contract/ids.ts'
import type { Scope } from '#contract/operation.ts'
import { credentialsInvalid, StatusError } from '#platform/status-error.ts'
import { isWellFormedToken, tokenHash } from '#platform/tokens.ts'
import type { Caller, PublicCaller, UserCaller, WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { allowOrigin } from './cors.ts'

/** What a session of the console was exchanged for. */
export type SignedIn = { tokenHash: Buffer } & (
  | { workspaceId: WorkspaceId; apiKeyId?: undefined }
  | { apiKeyId: ApiKeyId; workspaceId?: undefined }
)

type KeyFound = Omit<Caller, 'actor'> & { tokenName: string; scopes: Scope[]; disabled: boolean }

/** What features offer to find out who calls; undefined when the pair does not go together, or is not valid now. */
export interface CredentialLookups {
  apiKey(apiKeyId: ApiKeyId, hash: Buffer): Promise<KeyFound | undefined>
  workspace(workspaceId: WorkspaceId, hash: Buffer): Promise<boolean>
  /** The secret in the cookie of a call that asks for its session; empty when there is none. Undefined: it does not ask. */
  sessionSecret(request: FastifyRequest): string | undefined
  /** By the secret of its cookie; undefined when it is over. */
  session(secret: string): Promise<SignedIn | undefined>
  keyOfWorkspace(workspaceId: WorkspaceId, apiKeyId: ApiKeyId): Promise<KeyFound | undefined>
  /** Of the API key that is named, or else that the token names; `caller` is undefined when the token is not valid now. */
  userToken(
    token: string,
    namedKey: string | undefined,
  ): Promise<
    { allowsOrigin: (origin: string) => boolean; disabled: boolean; caller: UserCaller | undefined } | undefined
  >
}

export interface Authentication {
  /** Refuses a token without `scope`. */
  apiKey(request: FastifyRequest, scope: Scope | undefined): Promise<Caller>
  /** A user token when there is one and no auth token; refuses pages that the API key does not allow. */
  apiKeyOrUser(request: FastifyRequest, reply: FastifyReply, scope: Scope | undefined): Promise<Caller | UserCaller>
  workspace(request: FastifyRequest): Promise<WorkspaceCaller>
  anonymous(request: FastifyRequest): PublicCaller
}

const PROXY_HEADERS = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']
const LOOPBACK_ADDRESS = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/
const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/

/** The name in the Host header counts too: a page elsewhere can make its own name lead here, but not name itself localhost. */
function isLocal(request: FastifyRequest, trustsProxy: boolean): boolean {
  const unknownProxy = !trustsProxy && PROXY_HEADERS.some((name) => request.headers[name] !== undefined)
  return !unknownProxy && LOOPBACK_ADDRESS.test(request.ip) && LOOPBACK_HOST.test(request.headers.host ?? '')
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
  trustsProxy: boolean
  /** Where callers reach this server: the origin of its own pages. Never taken from the Host header, which a page elsewhere can choose. */
  publicUrl: () => string
}

export function createAuthentication(lookups: CredentialLookups, options: AuthenticationOptions): Authentication {
  const { headerPrefix, trustsProxy, publicUrl } = options
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

  /** `workspace-auth-token` is the name in later clients, `auth-token` that in earlier ones; both must agree (rules/contract.md#header-names). */
  const workspaceToken = (request: FastifyRequest): string => {
    const later = header(request, 'workspace-auth-token')
    const token = later ?? required(request, 'auth-token')
    if (token !== (header(request, 'auth-token') ?? token)) throw credentialsInvalid()
    return token
  }

  const warnOfPage = (request: FastifyRequest): void => {
    const { origin } = request.headers
    if (origin !== undefined && origin !== publicUrl())
      request.log.warn({ origin }, 'an auth token came from a page: the secret has reached a browser; replace it')
  }

  /** The API key of a call: that of the credentials in its headers, or one that the session of its page may use. */
  async function keyOf(request: FastifyRequest): Promise<KeyFound | undefined> {
    const secret = lookups.sessionSecret(request)
    if (secret === undefined) {
      const apiKeyId = required(request, 'api-key')
      const token = required(request, 'auth-token')
      if (!isWellFormedToken(apiKeyId) || !isWellFormedToken(token)) throw credentialsInvalid()
      const found = await lookups.apiKey(apiKeyId as ApiKeyId, tokenHash(token))
      if (found !== undefined) warnOfPage(request)
      return found
    }
    const signedIn = await lookups.session(secret)
    if (signedIn === undefined) return undefined
    if (signedIn.apiKeyId !== undefined) {
      // A page may not know yet that somebody else has signed in: what it says of one key must not be done to another.
      const other = (header(request, 'api-key') ?? signedIn.apiKeyId) !== signedIn.apiKeyId
      return other ? undefined : lookups.apiKey(signedIn.apiKeyId, signedIn.tokenHash)
    }
    const named = required(request, 'api-key')
    if (!isWellFormedToken(named) || !(await lookups.workspace(signedIn.workspaceId, signedIn.tokenHash)))
      return undefined
    return lookups.keyOfWorkspace(signedIn.workspaceId, named as ApiKeyId)
  }

  async function workspaceOf(request: FastifyRequest): Promise<WorkspaceId> {
    const secret = lookups.sessionSecret(request)
    if (secret !== undefined) {
      const signedIn = await lookups.session(secret)
      if (signedIn?.workspaceId === undefined) throw credentialsInvalid()
      if (!(await lookups.workspace(signedIn.workspaceId, signedIn.tokenHash))) throw credentialsInvalid()
      return signedIn.workspaceId
    }
    const workspaceId = required(request, 'workspace-id') as WorkspaceId
    const token = workspaceToken(request)
    if (!isWellFormedToken(token) || !(await lookups.workspace(workspaceId, tokenHash(token))))
      throw credentialsInvalid()
    warnOfPage(request)
    return workspaceId
  }

  async function user(request: FastifyRequest, reply: FastifyReply, token: string): Promise<UserCaller> {
    const found = await lookups.userToken(token, header(request, 'api-key'))
    const { origin } = request.headers
    const isAllowed = origin === undefined || origin === publicUrl() || found?.allowsOrigin(origin) === true
    if (isAllowed && origin !== undefined) allowOrigin(reply, origin) // first: its page is to read refusals too
    if (found?.caller === undefined) throw credentialsInvalid()
    if (!isAllowed) throw originNotAllowed(origin)
    if (found.disabled) throw keyDisabled()
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
      const workspaceId = await workspaceOf(request)
      return { workspaceId, actor: { token: 'workspace', address: request.ip } }
    },
    anonymous: (request) => ({
      address: request.ip,
      local: isLocal(request, trustsProxy),
      signupToken: header(request, 'signup-token'),
      actor: { address: request.ip },
    }),
  }
  return authentication
}
