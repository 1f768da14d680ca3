/**
 * The client of the console: somebody signs in once with a secret, and from then on the browser's cookie stands for it.
 * It works on pages of the server itself alone, and is no part of the published package.
 */
import { call } from './call.ts'
import { coalesceChecks } from './checks.ts'
import { type Client, callerOf, methodsOf, type WorkspaceClient } from './client.ts'
import { METHODS } from './generated/methods.ts'
import type { ApiKeyOperations } from './generated/operations.ts'
import type { CallOptions, ServerOptions } from './options.ts'
import { serverOf } from './server.ts'

/** Who is signed in: somebody with the token of a workspace, or with an auth token of one API key. */
export type SignedIn = { workspaceId: string; apiKey?: undefined } | { apiKey: string; workspaceId?: undefined }

export type SignIn = SignedIn & { token: string }

export interface Overview {
  /** Each up to `countedMax`; one more says that there are more. */
  counts: { organizations: number; folders: number; documents: number; users: number; grants: number }
  countedMax: number
  /** Webhook messages that wait, and for how long the oldest has been due. */
  deliveries: { waiting: number; overdueSeconds: number }
  /** Migrations and erasures that are not finished, and for how long nobody has gone on with the one that waits longest. */
  jobs: { unfinished: number; overdueSeconds: number }
  databaseMs: number
  /** Calls that the server which answered has had in the last hour; minutes (`at`, in milliseconds) without any are left out. */
  traffic: { at: number; answered: number; refused: number; failed: number }[]
  version: string
  engine: 'embedded' | 'postgres'
}

export interface Session {
  /** Fails as calls do whose credentials are refused when the two do not go together. */
  signIn(data: SignIn): Promise<SignedIn>
  /** Who is signed in; undefined: nobody, or no longer. */
  whoIsSignedIn(): Promise<SignedIn | undefined>
  /** Ends the session on the server. */
  signOut(): Promise<void>
  /** Calls of the workspace. Refused when somebody signed in with an API key. */
  workspace: WorkspaceClient
  /** What an API key has, and how it does. */
  overview(apiKey: string): Promise<Overview>
  /** Calls with one of the workspace's API keys, or with the one that somebody signed in with. */
  key(apiKey: string): Client
}

export function createSession(options: ServerOptions): Session {
  const server = serverOf(options)
  const headers = { [server.header('session')]: 'console' }
  const hint = 'Sign in again.'
  const caller = callerOf(options, () => headers, hint)
  const ask = async (name: string, data: object, by = caller, options: CallOptions = {}) =>
    (await call(by, name, [`/console/${name}`, /get$/.test(name) ? 'none' : 'once'], data, options)).data
  const callerOfKey = (apiKey: string) => {
    const ofKey = { ...headers, [server.header('api-key')]: apiKey }
    return callerOf(options, () => ofKey, hint)
  }
  return {
    // Somebody waits for what is said: a limit that is reached is told at once.
    signIn: async (data) => (await ask('session/start', data, caller, { triesMax: 1 })) as SignedIn,
    whoIsSignedIn: async () => ((await ask('session/get', {})) as { signedIn?: SignedIn }).signedIn,
    signOut: async () => {
      await ask('session/end', {})
    },
    workspace: methodsOf(caller, METHODS.workspace),
    overview: async (apiKey) => (await ask('overview/get', {}, callerOfKey(apiKey))) as Overview,
    key(apiKey) {
      const keyCaller = callerOfKey(apiKey)
      return { ...methodsOf<ApiKeyOperations>(keyCaller, METHODS.apiKey), check: coalesceChecks(keyCaller) }
    },
  }
}
