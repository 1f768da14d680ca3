/** What a client is made with, and what one call can be given. */

/** Bounds of a call; of every call where a client is made, or of one. */
export interface Bounds {
  /** A call with all its tries and the waits between them ends after so many milliseconds. Default: 60,000. */
  timeoutMs?: number
  /** One try is given up after so many milliseconds. Default: 35,000: the server gives up after 30 seconds and says so. */
  tryTimeoutMs?: number
  /** How often a call is tried at most; 1: never again. Default: 5. */
  triesMax?: number
}

export interface CallOptions extends Bounds {
  /** Gives the call up: it fails with `signal.reason`. What it changed before stays changed. */
  signal?: AbortSignal
}

export interface KeyedCallOptions extends CallOptions {
  /**
   * The `Idempotency-Key`: for 24 hours a repeat of the call with the same key gets the answer of the first. Without one
   * each call that may be tried again gets a key of its own, the same for all its tries. `false` sends none and tries
   * again all the same: for changes that may be made twice, such as the same grant. It costs the server less.
   */
  idempotencyKey?: string | false
}

/** One page of a list. */
export interface Page<Result> {
  data: Result
  /** Leads to the next page: give it as `pageToken` (or `iterator`) to go on from here later. Absent on the last one. */
  nextPageToken?: string
}

/** Where the server is. */
export interface ServerOptions extends Bounds {
  /** The address of the server, without `/v2`: `https://commonhold.example.com`. */
  url: string
  /** The setting `HEADER_PREFIX` of the server, if it has one. Default: `service`. */
  headerPrefix?: string
}

export interface ClientOptions extends ServerOptions {
  /** The API key: which data set the calls are about. */
  apiKey: string
  /** An auth token of the API key. A secret: not for pages. */
  authToken: string
}

export interface WorkspaceClientOptions extends ServerOptions {
  workspaceId: string
  /** The token of the workspace (`authToken` in the answer of `workspaces.create`). A secret: not for pages. */
  workspaceToken: string
}

export interface UserClientOptions extends ServerOptions {
  /** A token of `userTokens.generate`, or what gets one: it is called before each try. */
  userToken: string | (() => string | Promise<string>)
}

export interface PublicClientOptions extends ServerOptions {
  /** Where the operator asks for it (`SIGNUP=token`). */
  signupToken?: string
}
