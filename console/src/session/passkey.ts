/** Asks the browser for a passkey. */
import { startAuthentication } from '@simplewebauthn/browser'
import { consoleCalls } from './session.ts'

/** Returns the response that the authenticator signed. Throws if the person cancels. */
export async function signWithPasskey(purpose: 'sign-in' | 'confirm'): Promise<object> {
  const optionsJSON = await consoleCalls.passkeyOptions(purpose)
  return startAuthentication({ optionsJSON } as Parameters<typeof startAuthentication>[0])
}
