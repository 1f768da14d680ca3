/** Shared by the verification of webhooks and of user tokens: the error, base64 and UTF-8. */

/** A webhook or a user token is not genuine or not valid now. `reason` says why; respond with 401. */
export class VerificationError<Reason extends string = string> extends Error {
  override readonly name = 'VerificationError'
  readonly reason: Reason

  constructor(reason: Reason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** Decodes base64 or base64url; returns undefined for anything else. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
