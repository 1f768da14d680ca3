/** Reads the responses of the embedded engine, which are messages of PostgreSQL's protocol. */
const ERROR = 'E'.charCodeAt(0)
const PANIC = Buffer.from('VPANIC\0')

/**
 * Returns whether a response contains an error after which the engine cannot continue. Values of rows are not searched:
 * callers choose them.
 */
export function isPanic(response: Uint8Array): boolean {
  const bytes = Buffer.from(response.buffer, response.byteOffset, response.byteLength)
  for (let at = 0; at + 5 <= bytes.length; ) {
    const end = at + 1 + bytes.readInt32BE(at + 1)
    if (bytes[at] === ERROR && bytes.subarray(at, end).includes(PANIC)) return true
    at = end
  }
  return false
}
