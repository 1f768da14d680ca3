/** The common parts of the calls of one client. */
import type { CommonholdError } from './errors.ts'
import type { ServerOptions, SharedOptions } from './options.ts'
import type { Server } from './server.ts'

export interface Caller {
  server: Server
  defaults: SharedOptions & Pick<ServerOptions, 'onWarning'>
  /** Returns the headers with the credentials; called before each attempt. */
  headers(): Record<string, string> | Promise<Record<string, string>>
  /** Returns whether a call that failed is repeated at all. Default: those that can succeed later are. */
  isRetried?(error: CommonholdError): boolean
  /** Called when the credentials are refused. Returns whether others are in place: then the call is made again. */
  signsInAgain?(signal: AbortSignal | undefined): Promise<boolean>
  /** Added to the message when the credentials are refused: which ones they were, without secrets, and what to check. */
  credentialsHint: string
  /** Added to the message when the server cannot be reached: what else to check. */
  connectionHint: string
}

/** The function that returns the user token failed: with `cause`, which a call throws. */
export class TokenFailure extends Error {}
