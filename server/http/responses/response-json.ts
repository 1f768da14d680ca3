/** Writes responses as JSON. `JSON.stringify` would hold the event loop for up to half a second for the largest ones. */
import type { Steps } from '#contract/validation/steps.ts'
import { inSlices } from '#platform/queues/slices.ts'

/** Writing pauses after each chunk of this length. Shorter responses are written at once. */
const CHUNK_CHARACTERS = 32 * 1024
/** Above the records of a list: the envelope, `result`, `data`, and the lists in it. */
const LEVELS = 4
/** Up to this number of records are written without pauses, because a generator takes some microseconds. */
const FEW = 4
/** Later records may be much longer than those before. */
const GROUP_MAX = 64

/** Returns the JSON of a response: a long one is written in slices, in turns with other tenants. Throws `Abandoned` as `inSlices` does. */
export async function responseJson(
  tenant: string,
  response: { result: { data?: unknown } },
  isAbandoned: () => boolean,
): Promise<string | Buffer> {
  const { data } = response.result
  if (data === undefined || isShort(data)) return JSON.stringify(response)
  const steps = jsonSteps(response)
  const { done, value } = steps.next()
  return done === true ? value : inSlices(tenant, steps, isAbandoned)
}

/** Returns whether there are few records in a response. */
function isShort(data: unknown): boolean {
  if (Array.isArray(data)) return data.length <= FEW
  const values: unknown[] = Object.values(Object(data))
  const isSmall = (value: unknown) =>
    typeof value !== 'object' || value === null || (Array.isArray(value) && value.length <= FEW)
  return values.length <= GROUP_MAX && values.every(isSmall)
}

/** Writes plain data as `JSON.stringify` would, and pauses between groups of the records of its lists. */
export function* jsonSteps(data: object): Steps<string | Buffer> {
  const out = new Chunks()
  yield* write(out, data, LEVELS)
  return out.joined()
}

function* write(out: Chunks, value: object, level: number): Generator<undefined> {
  if (Array.isArray(value) && !value.some((item) => isDivided(item, level - 1))) return yield* writeRecords(out, value)
  const isList = Array.isArray(value)
  let separator = ''
  out.text += isList ? '[' : '{'
  for (const [name, item] of isList ? value.entries() : Object.entries(value)) {
    if (item === undefined && !isList) continue
    out.text += isList ? separator : `${separator}${JSON.stringify(name)}:`
    separator = ','
    if (isDivided(item, level - 1)) yield* write(out, item, level - 1)
    else out.text += JSON.stringify(item) ?? 'null'
    if (out.cut()) yield
  }
  out.text += isList ? ']' : '}'
}

/** Writes records in groups, each about as long as a chunk if they continue as they began: one at a time takes twice as long. */
function* writeRecords(out: Chunks, records: readonly unknown[]): Generator<undefined> {
  out.text += '['
  let written = 0
  for (let at = 0, count = FEW; at < records.length; at += count) {
    if (at > 0) count = Math.max(1, Math.min(GROUP_MAX, Math.floor((CHUNK_CHARACTERS * at) / written)))
    const group = JSON.stringify(records.slice(at, at + count)).slice(1, -1)
    written += group.length
    out.text += at === 0 ? group : `,${group}`
    if (out.cut()) yield
  }
  out.text += ']'
}

/** Lists are divided above the lowest level, objects above the second: the records of a list are not. */
const isDivided = (value: unknown, level: number): value is object =>
  typeof value === 'object' && value !== null && level > (Array.isArray(value) ? 0 : 1) && !('toJSON' in value)

/** A long text, encoded piece by piece. */
class Chunks {
  text = ''
  readonly #chunks: Buffer[] = []

  cut(): boolean {
    if (this.text.length < CHUNK_CHARACTERS) return false
    this.#chunks.push(Buffer.from(this.text))
    this.text = ''
    return true
  }

  joined(): string | Buffer {
    return this.#chunks.length === 0 ? this.text : Buffer.concat([...this.#chunks, Buffer.from(this.text)])
  }
}
