/** Splits a file into lines of UTF-8, with bounded memory for any content. */
import { decodedPart, otherFormatOf, withoutMark } from '#contract/validation/text.ts'
import { MovingFailure } from '../failure.ts'
import type { Fault } from './records.ts'

/** The greatest length of a record, even with every character of its metadata escaped as `\uXXXX`; a thread has its first comment. */
export const LINE_BYTES_MAX = 2 * 1024 * 1024

export type Line = {
  /** From 1. */
  number: number
  bytes: number
  /** False if the file ends without a line break, perhaps in the middle of the line. */
  isComplete: boolean
} & Read

/** The text of a line; a fault if the line is longer than any record can be, or not UTF-8. */
type Read = { text: string } | { fault: Fault }

const LINE_BREAK = 0x0a

export async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<Line[], void, undefined> {
  let number = 0
  let parts: Uint8Array[] = []
  let bytes = 0

  function append(part: Uint8Array): void {
    bytes += part.byteLength
    if (bytes > LINE_BYTES_MAX) parts = []
    else parts.push(part)
  }

  function finish(isComplete: boolean): Line {
    number++
    const read = bytes > LINE_BYTES_MAX ? { fault: tooLong(bytes) } : readLine(concatenated(parts), number === 1)
    const line = { number, bytes, isComplete, ...read }
    parts = []
    bytes = 0
    return line
  }

  for await (const chunk of textBytes(input)) {
    const lines: Line[] = []
    let start = 0
    for (let end = chunk.indexOf(LINE_BREAK); end !== -1; end = chunk.indexOf(LINE_BREAK, start)) {
      append(chunk.subarray(start, end))
      lines.push(finish(true))
      start = end + 1
    }
    if (start < chunk.byteLength) append(chunk.slice(start)) // a copy, because a reader may reuse its buffer
    if (lines.length > 0) yield lines
  }
  if (bytes > 0) yield [finish(false)]
}

const tooLong = (bytes: number): Fault => ({
  reason: 'line_too_long',
  message: `the line has ${bytes.toLocaleString('en')} bytes, but a record has at most ${LINE_BYTES_MAX.toLocaleString('en')}`,
})

function readLine(line: Uint8Array, isFirst: boolean): Read {
  const decoded = decodedPart(line)
  if ('fault' in decoded) return { fault: { reason: 'not_utf8', message: `the line is not UTF-8: ${decoded.fault}` } }
  return { text: isFirst ? withoutMark(decoded.text) : decoded.text }
}

/** Passes the bytes of a file on. Throws if the first ones say that it is compressed or in another encoding. */
async function* textBytes(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let isFirst = true
  for await (const chunk of input) {
    if (isFirst) refuseOtherFormat(chunk)
    isFirst = false
    yield chunk
  }
}

function refuseOtherFormat(beginning: Uint8Array): void {
  const other = otherFormatOf(beginning)
  if (other === 'gzip')
    throw new MovingFailure(
      'The file is compressed with gzip.',
      'Decompress it: gunzip -c FILE | commonhold import -',
      'compressed',
    )
  if (other !== undefined) throw new MovingFailure(`The file is ${other}, not UTF-8.`, 'Save it as UTF-8.')
}

/** Reads the first line of a stream without removing it from the stream for later readers. */
export async function withFirstLine(
  input: AsyncIterable<Uint8Array>,
): Promise<{ firstLine: string; input: AsyncIterable<Uint8Array> }> {
  const source = textBytes(input)
  const read: Uint8Array[] = []
  let bytes = 0
  while (bytes <= LINE_BYTES_MAX) {
    const { value, done } = await source.next()
    if (done === true) break
    read.push(value)
    bytes += value.byteLength
    if (value.includes(LINE_BREAK)) break
  }
  const whole = concatenated(read)
  const end = whole.indexOf(LINE_BREAK)
  const first = readLine(end === -1 ? whole : whole.subarray(0, end), true)
  async function* again() {
    yield whole // in one part, so that a byte order mark is in it
    yield* source
  }
  return { firstLine: 'text' in first ? first.text : '', input: again() }
}

/** Not Node's `Buffer`: exports and imports also run in browsers. */
const ENCODER = new TextEncoder()

/** Returns the length of a text in UTF-8. */
export const byteLength = (text: string): number => ENCODER.encode(text).byteLength

function concatenated(parts: readonly Uint8Array[]): Uint8Array {
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
