/**
 * Checks the credentials of a request before its body is read, and independently of it (rules/contract.md#header-names,
 * rules/contract.md#credentials-first).
 */
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiKeyId } from '#contract/core/ids.ts'
import { type Scope, scopeMissing } from '#contract/core/operation.ts'
import { credentialsInvalid, StatusError } from '#platform/status-error.ts'
import type { Caller, PublicCaller, UserCaller, WorkspaceCaller } from '#tenancy/callers/caller.ts'
import type { FailedCredentials } from '../limits/failed-credentials.ts'
import type { CredentialLookups } from './credentials.ts'
import { apiKeyOf, bearerOf } from './named-key.ts'
import { type Needs, requireRoleForKey } from './operator-access.ts'
import {
  createPresentedCredentials,
  headersWith,
  keyDisabled,
  type PresentedCredentialsOptions,
} from './presented-credentials.ts'
import { PresumedCallers } from './presumed-callers.ts'

export interface Authentication {
  /** Authenticates an auth token or a session. Refuses a token without the scope, and an operator without the role. */
  apiKey(request: FastifyRequest, needs: Needs): Promise<Caller>
  /**
   * Authenticates a user token if there is one and no auth token, otherwise an auth token. Refuses pages that the API
   * key does not allow.
   */
  apiKeyOrUser(request: FastifyRequest, reply: FastifyReply, needs: Needs): Promise<Caller | UserCaller>
  /** Authenticates a token of a workspace or a session. Refuses an operator who may make the call with no key. */
  workspace(request: FastifyRequest, needs: Needs): Promise<WorkspaceCaller>
  /** Returns the caller for whom a read may begin while its credentials are looked up, and counts the read. */
  presumed(request: FastifyRequest, reply: FastifyReply): Caller | undefined
  /** Refuses an operator who may not make the call with the key that `data` names. */
  requireRoleForKey(caller: WorkspaceCaller, needs: Needs, data: object): Promise<void>
  anonymous(request: FastifyRequest): PublicCaller
  /**
   * Runs a look-up of the credentials of a call, which returns undefined or throws UNAUTHENTICATED if they are wrong.
   * Counts wrong credentials by address, and refuses calls above the limit. The other functions do this themselves.
   */
  attempt<Found>(request: FastifyRequest, lookUp: () => Promise<Found>): Promise<Found>
}

const scopeNotEnough = (scope: Scope) => new StatusError('PERMISSION_DENIED', 'scope_missing', scopeMissing(scope))

export interface AuthenticationOptions extends PresentedCredentialsOptions {
  /** Counts wrong credentials by address. */
  failures: FailedCredentials
  /** Throws UNAVAILABLE if the API key is in another database than that of this app, because its credentials are not wrong then. */
  confirmPlace: (apiKeyId: string) => Promise<void>
}

export function createAuthentication(lookups: CredentialLookups, options: AuthenticationOptions): Authentication {
  const { headerPrefix, failures, confirmPlace } = options
  const { keyOf, workspaceOf, userOf } = createPresentedCredentials(lookups, options)
  const header = headersWith(headerPrefix)
  const presumed = new PresumedCallers()

  async function callerOf(request: FastifyRequest, needs: Needs): Promise<Caller> {
    const found = await keyOf(request, needs)
    if (found === undefined) throw credentialsInvalid()
    const { by, scopes, disabled, ...caller } = found
    // The pages of the console refetch what they show for as long as they are open.
    if (lookups.sessionSecret(request) === undefined) request.context.apiKeyId = caller.apiKeyId
    const { scope } = needs
    if (disabled) throw keyDisabled()
    if (scope === undefined) throw new Error('a call with an API key needs a scope')
    if (!scopes.includes(scope)) throw scopeNotEnough(scope)
    const isAdmin = scopes.includes('admin')
    return { ...caller, isAdmin, actor: { apiKey: caller.apiKeyId, ...by, address: request.ip } }
  }

  const credentialHeaders = ['api-key', 'workspace-id', 'auth-token', 'workspace-auth-token', 'session']
  /** Returns a hash of everything that a call shows for itself. */
  function credentialOf(request: FastifyRequest): string {
    const { context, headers } = request
    if (context.credential !== undefined) return context.credential
    const shown = credentialHeaders.map((name) => header(request, name))
    const all = [...shown, headers.authorization, lookups.sessionSecret(request)]
    context.credential = hash('sha256', JSON.stringify(all), 'base64')
    return context.credential
  }

  const attempt = <Found>(request: FastifyRequest, lookUp: () => Promise<Found>): Promise<Found> => {
    const account = header(request, 'api-key') ?? header(request, 'workspace-id') ?? ''
    return failures.attempt({ address: request.ip, account, credential: credentialOf(request) }, lookUp)
  }

  /** The same for a call with an API key: it is refused only if the key is not in another database. */
  const attemptHere = <Found>(request: FastifyRequest, lookUp: () => Promise<Found>): Promise<Found> =>
    attempt(request, () =>
      lookUp().catch(async (error: unknown) => {
        const apiKeyId = apiKeyOf(request, headerPrefix)
        if (apiKeyId !== undefined && error instanceof StatusError && error.status === 'UNAUTHENTICATED')
          await confirmPlace(apiKeyId)
        throw error
      }),
    )

  const authentication: Authentication = {
    async apiKey(request, needs) {
      const credential = credentialOf(request)
      try {
        const caller = await attemptHere(request, () => callerOf(request, needs))
        if (lookups.sessionSecret(request) === undefined) presumed.remember(credential, caller)
        return caller
      } catch (error) {
        presumed.forget(credential)
        throw error
      }
    },
    presumed(request, reply) {
      const caller = presumed.isAlone(reply) ? presumed.of(credentialOf(request)) : undefined
      return caller === undefined ? undefined : { ...caller, actor: { ...caller.actor, address: request.ip } }
    },
    async apiKeyOrUser(request, reply, needs) {
      const token = header(request, 'auth-token') === undefined ? bearerOf(request) : undefined
      if (token === undefined) return authentication.apiKey(request, needs)
      return attemptHere(request, () => userOf(request, reply, token))
    },
    workspace: (request, needs) => attempt(request, () => workspaceOf(request, needs)),
    attempt,
    async requireRoleForKey({ workspaceId, operator }, needs, data) {
      if (operator === undefined) return
      const typeOf = async (apiKey: string) => (await lookups.keyOfWorkspace(workspaceId, apiKey as ApiKeyId))?.type
      await requireRoleForKey(operator.role, needs, data, typeOf)
    },
    anonymous: (request) => ({
      address: request.ip,
      signupToken: header(request, 'signup-token'),
      actor: { address: request.ip },
    }),
  }
  return authentication
}
