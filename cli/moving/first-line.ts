/** Reads the first line of a stream without taking it from whoever reads the stream afterwards. */
import { LINE_BYTES_MAX } from './lines.ts'

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
