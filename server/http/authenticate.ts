/** Credentials of a request, checked before its body is looked at and independent of it (decisions A4, A5). */
import type { FastifyRequest } from 'fastify'
import type { ApiKeyId, WorkspaceId } from '#contract/ids.ts'
import type { Scope } from '#contract/operation.ts'
import { credentialsInvalid, StatusError } from '#platform/status-error.ts'
import { isWellFormedToken, tokenHash } from '#platform/tokens.ts'
import type { Caller, PublicCaller, WorkspaceCaller } from '#tenancy/caller.ts'

/** Injected by `app.ts`; undefined when the pair does not go together, or is not valid now. */
export interface CredentialLookups {
  apiKey(
    apiKeyId: ApiKeyId,
    hash: Buffer,
  ): Promise<(Omit<Caller, 'actor'> & { tokenName: string; scopes: Scope[]; disabled: boolean }) | undefined>
  workspace(workspaceId: WorkspaceId, hash: Buffer): Promise<boolean>
}

export interface Authentication {
  /** Refuses a token without `scope`. */
  apiKey(request: FastifyRequest, scope: Scope | undefined): Promise<Caller>
  workspace(request: FastifyRequest): Promise<WorkspaceCaller>
  anybody(request: FastifyRequest): PublicCaller
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

export function createAuthentication(
  lookups: CredentialLookups,
  { headerPrefix, trustsProxy }: { headerPrefix: string; trustsProxy: boolean },
): Authentication {
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

  /** `workspace-auth-token` is the name in later clients, `auth-token` that of the specification; both must agree. */
  const workspaceToken = (request: FastifyRequest): string => {
    const later = header(request, 'workspace-auth-token')
    const token = later ?? required(request, 'auth-token')
    if (token !== (header(request, 'auth-token') ?? token)) throw credentialsInvalid()
    return token
  }

  return {
    async apiKey(request, scope) {
      const apiKeyId = required(request, 'api-key')
      const token = required(request, 'auth-token')
      if (!isWellFormedToken(apiKeyId) || !isWellFormedToken(token)) throw credentialsInvalid()
      const found = await lookups.apiKey(apiKeyId as ApiKeyId, tokenHash(token))
      if (found === undefined) throw credentialsInvalid()
      const { tokenName, scopes, disabled, ...caller } = found
      if (disabled) throw new StatusError('PERMISSION_DENIED', 'api_key_disabled', 'The API key is disabled.')
      if (scope === undefined || !scopes.includes(scope)) throw scopeMissing(scope)
      return { ...caller, actor: { apiKey: apiKeyId, token: tokenName, address: request.ip } }
    },
    async workspace(request) {
      const workspaceId = required(request, 'workspace-id') as WorkspaceId
      const token = workspaceToken(request)
      if (!isWellFormedToken(token) || !(await lookups.workspace(workspaceId, tokenHash(token))))
        throw credentialsInvalid()
      return { workspaceId, actor: { token: 'workspace', address: request.ip } }
    },
    anybody: (request) => ({
      address: request.ip,
      local: isLocal(request, trustsProxy),
      signupToken: header(request, 'signup-token'),
      actor: { address: request.ip },
    }),
  }
}
