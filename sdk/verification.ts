/** What webhooks and user tokens have in common when they are verified: the error, base64, and the bytes of texts. */

/** Something that came is not genuine, or not valid now. `reason` says why; answer 401. */
export class VerificationError<Reason extends string = string> extends Error {
  override readonly name = 'VerificationError'
  readonly reason: Reason

  constructor(reason: Reason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** The bytes of base64 or base64url; undefined for what is neither. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
