/** Bytes without Node's `Buffer`: exports and imports also run in browsers. */

const ENCODER = new TextEncoder()

/** Returns the length of a text in UTF-8. */
export const byteLength = (text: string): number => ENCODER.encode(text).byteLength

export function concatenated(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts
  if (parts.length === 1 && only !== undefined) return only
  const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}
