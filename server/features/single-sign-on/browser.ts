/** Ties a sign-in to the browser that started it: nonce and PKCE verifier follow from the secret in its cookie (ADR 0046). */
import { createHmac, randomBytes } from 'node:crypto'
import type { SignInSecrets } from './provider.ts'

/** How long a person may take at the provider. */
export const SIGN_IN_SECONDS = 600

const SECRET_PATTERN = /^[\w-]{43}$/

/**
 * Returns the secret of a browser: the secret in its cookie, or a new one. Several sign-ins of a browser can be under
 * way.
 */
export const browserSecret = (cookie = ''): string => (SECRET_PATTERN.test(cookie) ? cookie : newSecret())

/** Returns 256 random bits. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

export function secretsOf(browser: string, state: string): SignInSecrets {
  const derive = (purpose: string) => createHmac('sha256', browser).update(`${purpose} ${state}`).digest('base64url')
  return { state, nonce: derive('nonce'), verifier: derive('verifier') }
}
