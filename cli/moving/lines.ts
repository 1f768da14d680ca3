/** Lines of a file, in portions, with bounded memory whatever the file has in it. */

/** The longest that a record can be, even with every character of its metadata written as `\uXXXX`. */
export const LINE_BYTES_MAX = 1024 * 1024

export interface Line {
  /** From 1. */
  number: number
  /** Null: longer than any record can be. */
  text: string | null
  bytes: number
  /** False: the file ends without a line break, perhaps in the middle of the line. */
  ended: boolean
}

const LINE_BREAK = 0x0a

export async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<Line[], void, undefined> {
  const decoder = new TextDecoder()
  let number = 0
  let parts: Uint8Array[] = []
  let bytes = 0

  function take(part: Uint8Array): void {
    bytes += part.byteLength
    if (bytes > LINE_BYTES_MAX) parts = []
    else parts.push(part)
  }

  function finish(ended: boolean): Line {
    const whole = parts.length === 1 ? parts[0] : Buffer.concat(parts)
    const line = { number: ++number, text: bytes > LINE_BYTES_MAX ? null : decoder.decode(whole), bytes, ended }
    parts = []
    bytes = 0
    return line
  }

  for await (const chunk of input) {
    const lines: Line[] = []
    let start = 0
    for (let end = chunk.indexOf(LINE_BREAK); end !== -1; end = chunk.indexOf(LINE_BREAK, start)) {
      take(chunk.subarray(start, end))
      lines.push(finish(true))
      start = end + 1
    }
    if (start < chunk.byteLength) take(chunk.slice(start)) // a copy: a reader may use its buffer again
    if (lines.length > 0) yield lines
  }
  if (bytes > 0) yield [finish(false)]
}
