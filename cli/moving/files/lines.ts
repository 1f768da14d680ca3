/** Splits a file into lines, with bounded memory whatever the file contains. */

/** The greatest length of a record, even with every character of its metadata escaped as `\uXXXX`. */
export const LINE_BYTES_MAX = 1024 * 1024

export interface Line {
  /** From 1. */
  number: number
  /** Null if the line is longer than any record can be. */
  text: string | null
  bytes: number
  /** False if the file ends without a line break, perhaps in the middle of the line. */
  isComplete: boolean
}

const LINE_BREAK = 0x0a

export async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<Line[], void, undefined> {
  const decoder = new TextDecoder()
  let number = 0
  let parts: Uint8Array[] = []
  let bytes = 0

  function append(part: Uint8Array): void {
    bytes += part.byteLength
    if (bytes > LINE_BYTES_MAX) parts = []
    else parts.push(part)
  }

  function finish(isComplete: boolean): Line {
    const whole = parts.length === 1 ? parts[0] : Buffer.concat(parts)
    const line = { number: ++number, text: bytes > LINE_BYTES_MAX ? null : decoder.decode(whole), bytes, isComplete }
    parts = []
    bytes = 0
    return line
  }

  for await (const chunk of input) {
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

export async function withFirstLine(
  input: AsyncIterable<Uint8Array>,
): Promise<{ firstLine: string; input: AsyncIterable<Uint8Array> }> {
  const source = input[Symbol.asyncIterator]()
  const read: Uint8Array[] = []
  let bytes = 0
  while (bytes <= LINE_BYTES_MAX) {
    const { value, done } = await source.next()
    if (done === true) break
    read.push(value)
    bytes += value.byteLength
    if (value.includes(0x0a)) break
  }
  const [firstLine = ''] = Buffer.concat(read).toString('utf8').split('\n', 1)
  async function* whole() {
    yield* read
    for (let result = await source.next(); result.done !== true; result = await source.next()) yield result.value
  }
  return { firstLine, input: whole() }
}
