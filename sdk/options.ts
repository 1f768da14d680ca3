/** The options of a client and of a single call. */
import type { Warning } from './generated/warnings.ts'

/** Limits of a call: as options of a client for all its calls, as options of a call for that one. */
export interface Bounds {
  /** The time limit of a call with all its attempts and the delays between them, in milliseconds. Default: 60,000. */
  timeoutMs?: number | undefined
  /**
   * The time limit of one attempt, in milliseconds. Default: 35,000, because the server itself responds with an error
   * after 30 seconds.
   */
  tryTimeoutMs?: number | undefined
  /** The number of attempts at most; 1 means no retries. Default: 5. */
  triesMax?: number | undefined
}

/** The options of all calls of a client, or of a single call. */
export interface SharedOptions extends Bounds {
  /**
   * Throws an `ItemFailureError` if items of a call failed, such as a document that already exists or an id that was
   * not found. The other items of the call are changed nevertheless. Default: false, and the result contains the
   * failures.
   */
  throwOnItemFailure?: boolean | undefined
}

export interface CallOptions extends SharedOptions {
  /** Aborts the call, which fails with `signal.reason`. Changes it has made until then remain. */
  signal?: AbortSignal | undefined
}

export interface KeyedCallOptions extends CallOptions {
  /**
   * The `Idempotency-Key`: for 24 hours a repeat of the call with the same key gets the result of the first. By default
   * each call that can be retried gets a key of its own, the same for all its attempts. `false` sends no key and retries
   * nevertheless: for changes that may be made twice, such as the same grant. It costs the server less.
   */
  idempotencyKey?: string | false | undefined
}

/** One page of a list. */
export interface Page<Result> {
  data: Result
  /** Pass it as `pageToken` (or `iterator`) to get the next page, now or later. Absent on the last page. */
  nextPageToken?: string
}

/** The server to call. */
export interface ServerOptions extends SharedOptions {
  /** The address of the server, without `/v2`: `https://commonhold.example.com`. */
  url: string
  /** The server's `HEADER_PREFIX`, if it is set. Default: `service`. */
  headerPrefix?: string | undefined
  /** Called with each warning of a call that succeeded: a code and a sentence about what may not be as intended. */
  onWarning?: ((warning: Warning, call: string) => void) | undefined
}

export interface ClientOptions extends ServerOptions {
  /** The API key: the data set that the calls read and change. */
  apiKey: string
  /** An auth token of the API key. A secret: not for pages. */
  authToken: string
}

export interface WorkspaceClientOptions extends ServerOptions {
  workspaceId: string
  /** The token of the workspace (`authToken` in the result of `workspaces.create`). A secret: not for pages. */
  workspaceToken: string
}

export interface UserClientOptions extends ServerOptions {
  /** A token of `userTokens.generate`, or a function that returns one; it is called before each attempt. */
  userToken: string | (() => string | Promise<string>)
}

export interface PublicClientOptions extends ServerOptions {
  /** Required if the operator has set `SIGNUP=token`. */
  signupToken?: string | undefined
}
