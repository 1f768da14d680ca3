/** Clients: objects whose methods are the operations of the API, by name. */
import { type Caller, call } from './call.ts'
import { type CheckMethod, coalesceChecks } from './checks.ts'
import { METHODS, type Method } from './generated/methods.ts'
import type {
  ApiKeyOperations,
  PublicOperations,
  UserTokenOperations,
  WorkspaceOperations,
} from './generated/operations.ts'
import type {
  CallOptions,
  ClientOptions,
  KeyedCallOptions,
  PublicClientOptions,
  ServerOptions,
  UserClientOptions,
  WorkspaceClientOptions,
} from './options.ts'
import { pagesOf } from './pages.ts'
import { credential, serverOf } from './server.ts'

export interface Client extends ApiKeyOperations {
  /**
   * Answers one question about access: the decision of `permissions.check`. Questions that are asked in one turn of the
   * event loop go out in one call, of up to 1,000; the fault of one of them fails that one alone.
   * @example
   * const { allowed } = await client.check({ userId: 'ada', resource: { type: 'organization', id: 'acme' } })
   */
  readonly check: CheckMethod
}

export interface UserClient extends UserTokenOperations {
  /** Answers one question about what the user of the token may do, as `check` of a client with an API key does. */
  readonly check: CheckMethod
}

export type WorkspaceClient = WorkspaceOperations
export type PublicClient = PublicOperations

/** Calls with an API key and one of its auth tokens: from your back end. */
export function createClient({ apiKey, authToken, ...options }: ClientOptions): Client {
  const server = serverOf(options)
  const headers = {
    [server.header('api-key')]: credential('apiKey', apiKey),
    [server.header('auth-token')]: credential('authToken', authToken),
  }
  const whenRefused = `They were those of the API key ${apiKey} at ${server.url}: is that the right server, is the key of this environment, and is the auth token one of that key?`
  const caller = callerOf(options, () => headers, whenRefused)
  return {
    ...methodsOf<ApiKeyOperations>(caller, METHODS.apiKey),
    check: coalesceChecks(caller),
  }
}

/** Calls with a user token: from a page, which must never hold an auth token. It asks about its own user alone. */
export function createUserClient({ userToken, ...options }: UserClientOptions): UserClient {
  const tokenNow = typeof userToken === 'string' ? () => userToken : userToken
  if (typeof tokenNow !== 'function') throw new TypeError('userToken is missing')
  const headers = async () => ({ authorization: `Bearer ${credential('userToken', await tokenNow())}` })
  const caller = callerOf(
    options,
    headers,
    'It was a user token: has it ended, or was it revoked?',
    'In a browser: is the host of the page among the allowed domains of the API key?',
  )
  return {
    ...methodsOf<UserTokenOperations>(caller, METHODS.userToken),
    check: coalesceChecks(caller),
  }
}

/** Calls with the token of a workspace: its API keys and their auth tokens. */
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
  const whenRefused = `They were those of the workspace ${workspaceId} at ${server.url}: is that the right server, and is the token that of this workspace?`
  return methodsOf(
    callerOf(options, () => headers, whenRefused),
    METHODS.workspace,
  )
}

/** Calls without credentials: creating a workspace, where the operator lets people do that. */
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
  whenRefused: string,
  whenUnreachable = '',
): Caller {
  return { server: serverOf(options), bounds: options, headers, whenRefused, whenUnreachable }
}

/** The methods of a kind of client. Their types are generated from the same contract as the table. */
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
  const answer = async (data: object = {}, options?: KeyedCallOptions) =>
    (await call(caller, name, method, data, options)).data
  const pages = (data: object = {}, options?: CallOptions) => pagesOf(caller, name, method, data, options)
  return method[2] === undefined ? answer : Object.assign(answer, { pages })
}
