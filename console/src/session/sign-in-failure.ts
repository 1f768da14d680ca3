/** What to say to somebody who could not sign in. */
import { CommonholdError } from '#sdk/errors.ts'
import type { Kind } from './sign-in-view.tsx'

export interface SignInFailure {
  message: string
  requestId?: string | undefined
}

const REFUSED: Record<Kind, string> = {
  workspace:
    'This workspace id and token do not go together. Both are in the answer that the workspace was created with; look whether the whole of each was copied.',
  apiKey:
    'This API key and auth token do not go together. The token may have been revoked or have expired, or the key may be disabled.',
}

const NOT_A_USER_TOKEN =
  'This is a user token. It speaks for one user of your application and cannot open the console: sign in with an auth token of the API key.'

/** A user token is three parts of a JWT. */
const isUserToken = (token: string): boolean => /^eyJ[\w-]*\.[\w-]*\.[\w-]*$/.test(token)

export function signInFailure(error: unknown, kind: Kind, token: string): SignInFailure {
  if (!(error instanceof CommonholdError))
    return { message: 'Something went wrong in this page. Reload it and try again.' }
  return { message: isUserToken(token) ? NOT_A_USER_TOKEN : messageOf(error, kind), requestId: error.requestId }
}

function messageOf({ reason, status, message, retryAfterMs = 60_000 }: CommonholdError, kind: Kind): string {
  if (reason === 'credentials_invalid' || status === 'INVALID_ARGUMENT') return REFUSED[kind]
  if (reason === 'rate_limited')
    return `Too many attempts from this address. Try again in ${Math.ceil(retryAfterMs / 1000)} seconds.`
  return status === 'UNAVAILABLE' ? 'The server cannot be reached. Try again when it is back.' : message
}
