/**
 * Checks the credentials of a request before its body is read, and independently of it (rules/contract.md#header-names,
 * rules/contract.md#credentials-first).
 */
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiKeyId, WorkspaceId } from '#contract/core/ids.ts'
import { type Scope, scopeMissing } from '#contract/core/operation.ts'
import { isCommandLineSession, isWellFormedToken, tokenHash } from '#platform/secrets/tokens.ts'
import { credentialsInvalid, StatusError } from '#platform/status-error.ts'
import type { Actor, Caller, PublicCaller, UserCaller, WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { allowOrigin } from '../cors.ts'
import type { FailedCredentials } from '../limits/failed-credentials.ts'
import type { AuthenticatedKey, CredentialLookups, SignedIn } from './credentials.ts'
import { apiKeyOf, bearerOf } from './named-key.ts'
import { type Needs, requireOperator, requireRoleForKey, type SignedInOperator } from './operator-access.ts'
import { PresumedCallers } from './presumed-callers.ts'

/** An API key of a call, and whose doing it is. */
type KeyOfCall = Omit<AuthenticatedKey, 'tokenName'> & { by: Pick<Actor, 'token' | 'operator'> }

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

const keyDisabled = () => new StatusError('PERMISSION_DENIED', 'api_key_disabled', 'The API key is disabled.')

const originNotAllowed = (origin: string) =>
  new StatusError(
    'PERMISSION_DENIED',
    'origin_not_allowed',
    `The API key does not allow calls from pages of ${origin.slice(0, 300)}; workspace/domains/add adds their host.`,
  )

export interface AuthenticationOptions {
  headerPrefix: string
  /**
   * Returns the URL at which callers reach this server, the origin of its own pages. It never comes from the Host
   * header, which a page on another site can choose.
   */
  publicUrl: () => string
  /** Counts wrong credentials by address. */
  failures: FailedCredentials
  /** Throws UNAVAILABLE if the API key is in another database than that of this app, because its credentials are not wrong then. */
  confirmPlace: (apiKeyId: string) => Promise<void>
  /** Does the same for a key whose row is here: a database that it was moved away from may still have that for a minute. */
  requirePlace: (apiKeyId: string) => Promise<void>
}

const named = ({ id, name }: SignedInOperator) => ({ id, name })

function byToken(found: AuthenticatedKey | undefined): KeyOfCall | undefined {
  if (found === undefined) return undefined
  const { tokenName, ...key } = found
  return { ...key, by: { token: tokenName } }
}

export function createAuthentication(lookups: CredentialLookups, options: AuthenticationOptions): Authentication {
  const { headerPrefix, publicUrl, failures, confirmPlace, requirePlace } = options
  const presumed = new PresumedCallers()
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
      return attemptHere(request, () => user(request, reply, token))
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
