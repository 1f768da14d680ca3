/** Clients: objects whose methods are the operations of the API, by name. */
import { call } from './call.ts'
import { type Caller, TokenFailure } from './caller.ts'
import { type CheckMethod, coalesceChecks } from './checks.ts'
import { METHODS, type Method } from './generated/methods.ts'
import type {
  ApiKeyOperations,
  LiveRequest,
  PublicOperations,
  UserTokenOperations,
  WorkspaceOperations,
} from './generated/operations.ts'
import { type GrantMethods, grantMethods } from './grants.ts'
import { followLive, type LiveOptions, type ReceivedLiveEvent } from './live.ts'
import type {
  CallOptions,
  ClientOptions,
  KeyedCallOptions,
  PublicClientOptions,
  ServerOptions,
  UserClientOptions,
  WorkspaceClientOptions,
} from './options.ts'
import { pageFieldOf, pagesOf } from './pages.ts'
import { credential, serverOf } from './server.ts'

export interface Client extends ApiKeyOperations, GrantMethods {
  /**
   * Returns the decision of `permissions.check` for one question. Checks made in the same turn of the event loop are
   * sent in one call of up to 1,000. If one of them is invalid, only that one fails. @example const { allowed } = await
   * client.check({ userId: 'ada', resource: { type: 'organization', id: 'acme' } })
   */
  readonly check: CheckMethod
}

export interface UserClient extends UserTokenOperations {
  /** Returns the decision about the user of the token, like `check` of a client with an API key. */
  readonly check: CheckMethod
  /**
   * Follows threads of documents and the inbox of the user as they change. A lost connection is resumed; leave the loop or abort the signal
   * to stop. At `ready`, which is also sent after a reconnection, and at `reset`, load what the page shows.
   * @example
   * for await (const { event, data } of page.live({ organizationId: 'acme', documentIds: ['roadmap'] }))
   *   if (event === 'thread') console.log(data.annotationId, data.thread?.comments.length)
   */
  readonly live: (data: LiveRequest, options?: LiveOptions) => AsyncGenerator<ReceivedLiveEvent, never, undefined>
}

export type WorkspaceClient = WorkspaceOperations
export type PublicClient = PublicOperations

/** Creates a client that calls with an API key and one of its auth tokens: for your back end. */
export function createClient({ apiKey, authToken, ...options }: ClientOptions): Client {
  const server = serverOf(options)
  const headers = {
    [server.header('api-key')]: credential('apiKey', apiKey),
    [server.header('auth-token')]: credential('authToken', authToken),
  }
  const credentialsHint = `They were those of the API key ${apiKey} at ${server.url}: is that the right server, is the key of this environment, and is the auth token one of that key?`
  return clientOf(callerOf(options, () => headers, credentialsHint))
}

/** Creates the methods of a client that calls with an API key. */
export const clientOf = (caller: Caller): Client => ({
  ...methodsOf<ApiKeyOperations>(caller, METHODS.apiKey),
  ...grantMethods(caller),
  check: coalesceChecks(caller),
})

/**
 * Creates a client that calls with a user token: for a page, which must never hold an auth token. It can act only as
 * its own user.
 */
export function createUserClient({ userToken, ...options }: UserClientOptions): UserClient {
  const currentToken = typeof userToken === 'string' ? () => userToken : userToken
  if (typeof currentToken !== 'function') throw new TypeError('userToken is missing')
  const headers = async () => {
    let token: string
    try {
      token = await currentToken()
    } catch (cause) {
      throw new TokenFailure('', { cause })
    }
    return { authorization: `Bearer ${credential('userToken', token)}` }
  }
  const caller = callerOf(
    options,
    headers,
    'It was a user token: has it expired, or was it revoked?',
    'In a browser: is the host of the page one of the allowed domains of the API key?',
  )
  return {
    ...methodsOf<UserTokenOperations>(caller, METHODS.userToken),
    check: coalesceChecks(caller),
    live: (data, options) => followLive(caller, data, options),
  }
}

/** Creates a client that calls with the token of a workspace: for its API keys and their auth tokens. */
export function createWorkspaceClient({
  workspaceId,
  workspaceToken,
  ...options
}: WorkspaceClientOptions): WorkspaceClient {
  const server = serverOf(options)
  const headers = {
    [server.header('workspace-id')]: credential('workspaceId', workspaceId),
    [server.header('auth-token')]: credential('workspaceToken', workspaceToken),
  }
  const credentialsHint = `They were those of the workspace ${workspaceId} at ${server.url}: is that the right server, and is the token that of this workspace?`
  return methodsOf(
    callerOf(options, () => headers, credentialsHint),
    METHODS.workspace,
  )
}

/** Creates a client that calls without credentials: for creating a workspace, where the operator allows it. */
export function createPublicClient({ signupToken, ...options }: PublicClientOptions): PublicClient {
  const server = serverOf(options)
  const headers =
    signupToken === undefined ? {} : { [server.header('signup-token')]: credential('signupToken', signupToken) }
  return methodsOf(
    callerOf(options, () => headers, ''),
    METHODS.none,
  )
}

export function callerOf(
  options: ServerOptions,
  headers: Caller['headers'],
  credentialsHint: string,
  connectionHint = '',
): Caller {
  return { server: serverOf(options), defaults: options, headers, credentialsHint, connectionHint }
}

/** Creates the methods of one kind of client. Their types are generated from the same contract as the table. */
export function methodsOf<Operations>(caller: Caller, table: Record<string, Record<string, Method>>): Operations {
  const groups = Object.entries(table).map(([group, methods]) => [
    group,
    Object.fromEntries(
      Object.entries(methods).map(([verb, method]) => [verb, methodOf(caller, `${group}.${verb}`, method)]),
    ),
  ])
  return Object.fromEntries(groups) as Operations
}

function methodOf(caller: Caller, name: string, method: Method): object {
  const once = async (data: object = {}, options?: KeyedCallOptions) =>
    (await call(caller, name, method, data, options)).data
  const pages = (data: object = {}, options?: CallOptions) => pagesOf(caller, name, method, data, options)
  return pageFieldOf(method) ? Object.assign(once, { pages }) : once
}
