/** Decodes UTF-8 and says where bytes are something else: a replacement character would make one id of two. */

const REPLACED = new TextDecoder('utf-8', { ignoreBOM: true })
const STRICT = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })
const BYTE_ORDER_MARK = '\ufeff'

export type Decoded = { text: string } | { fault: string }

/** Returns the index of the first byte that is not UTF-8; the bytes must have one. */
function firstInvalid(bytes: Uint8Array): number {
  const again = new TextEncoder().encode(REPLACED.decode(bytes))
  let at = 0
  while (bytes[at] === again[at]) at++
  // The replacement character is EF BF BD, so a character that begins with these bytes and is cut off differs only after them.
  if (bytes[at - 1] === 0xef) return at - 1
  return bytes[at - 1] === 0xbf && bytes[at - 2] === 0xef ? at - 2 : at
}

/** Returns the text of a part of a file, or its fault, as in `its byte 4 is 0xe9, which is not UTF-8`. */
export function decodedPart(bytes: Uint8Array): Decoded {
  try {
    return { text: STRICT.decode(bytes) }
  } catch {
    const at = firstInvalid(bytes)
    return { fault: `its byte ${at + 1} is 0x${hex(bytes[at])}, which is not UTF-8` }
  }
}

const hex = (byte = 0): string => byte.toString(16).padStart(2, '0')

/** Returns the encoding of a file that is not UTF-8, if its first bytes identify it. */
export function otherFormatOf([first, second]: Uint8Array): string | undefined {
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return 'UTF-16'
  return first === 0x1f && second === 0x8b ? 'gzip' : undefined
}

/** Returns the text of a whole file without its byte order mark, or its fault, as a sentence about `it`. */
export function decodedFile(bytes: Uint8Array): Decoded {
  const other = otherFormatOf(bytes)
  if (other !== undefined) return { fault: `it is ${other}, not UTF-8` }
  let line = 1
  let start = 0
  for (let end = bytes.indexOf(0x0a); ; end = bytes.indexOf(0x0a, start)) {
    const part = decodedPart(bytes.subarray(start, end === -1 ? undefined : end))
    if ('fault' in part) return { fault: `in line ${line}, ${part.fault}` }
    const nul = part.text.indexOf('\0')
    if (nul !== -1) return { fault: `line ${line} has a NUL byte; is it UTF-16?` }
    if (end === -1) break
    line++
    start = end + 1
  }
  return { text: withoutMark(STRICT.decode(bytes)) }
}

export const withoutMark = (text: string): string => (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)
