/** Calls of many records: how large they are, what each of their records came to, and how many are under way. */
import { CommonholdError } from '#sdk/errors.ts'
import type { DataRecord, Fault } from './records.ts'

export interface Item<Record extends DataRecord = DataRecord> {
  line: number
  bytes: number
  record: Record
}

/** What the server says of one record of a call. */
export interface Outcome {
  success: boolean
  message: string
  code?: string
}

export interface Call<One extends Item = Item> {
  items: readonly One[]
  /** Makes the call. Answers what became of the items that failed. */
  send(items: readonly One[]): Promise<readonly Failed[]>
}

export interface Failed {
  item: Item
  fault: Fault
}

const ITEMS_MAX = 1_000
/** Half of what a server takes at first: the fields of a call are written a little longer than those of a line. */
const BYTES_MAX = 4 * 1024 * 1024

/** Portions that fit into a call each. */
export function callsOf<One extends Item>(items: readonly One[], send: Call<One>['send']): Call<One>[] {
  const calls: Call<One>[] = []
  let portion: One[] = []
  let bytes = 0
  const flush = () => {
    if (portion.length > 0) calls.push({ items: portion, send })
    portion = []
    bytes = 0
  }
  for (const item of items) {
    if (portion.length === ITEMS_MAX || bytes + item.bytes > BYTES_MAX) flush()
    portion.push(item)
    bytes += item.bytes
  }
  flush()
  return calls
}

/** The same where what is of one group is better not spread over several calls: those would wait for each other. */
export function callsByGroup<One extends Item>(
  items: readonly One[],
  groupOf: (item: One) => string,
  send: Call<One>['send'],
): Call<One>[] {
  const calls: Call<One>[] = []
  let together: One[] = []
  const flush = () => {
    calls.push(...callsOf(together, send))
    together = []
  }
  for (const group of Map.groupBy(items, groupOf).values()) {
    if (together.length + group.length > ITEMS_MAX) flush()
    together.push(...group)
  }
  flush()
  return calls
}

/** The items that a batch has failed, by the ids under which it answers. */
export const failedOf = <One extends Item>(
  items: readonly One[],
  outcomes: Readonly<Record<string, Outcome>>,
  idOf: (item: One) => string,
): (Failed & { item: One })[] =>
  items.flatMap((item) => {
    const outcome = outcomes[idOf(item)]
    if (outcome === undefined || outcome.success) return []
    return [{ item, fault: { reason: outcome.code ?? 'failed', message: outcome.message } }]
  })

/** The items that have not failed so far. */
export const without = <One extends Item>(items: readonly One[], failed: readonly Failed[]): One[] => {
  const gone = new Set(failed.map(({ item }) => item.line))
  return items.filter(({ line }) => !gone.has(line))
}

/** Makes a call and answers which of its items failed. Throws when none of it can be done now. */
export async function settle<One extends Item>({ items, send }: Call<One>): Promise<Failed[]> {
  if (items.length === 0) return []
  try {
    return [...(await send(items))]
  } catch (error) {
    if (!(error instanceof CommonholdError) || error.retryable || !OF_SOME_RECORD.includes(error.status)) throw error
    const named = faultsByIndex(error)
    if (named.size > 0) {
      const failed = items.flatMap((item, index) => {
        const message = named.get(index)
        return message === undefined ? [] : [{ item, fault: { reason: error.reason, message } }]
      })
      const others = items.filter((_, index) => !named.has(index))
      return [...failed, ...(await settle({ items: others, send }))]
    }
    if (items.length === 1 || error.status === 'NOT_FOUND')
      return items.map((item) => ({ item, fault: { reason: error.reason, message: error.message } }))
    const half = Math.ceil(items.length / 2)
    return [
      ...(await settle({ items: items.slice(0, half), send })),
      ...(await settle({ items: items.slice(half), send })),
    ]
  }
}

/** Refusals for what a record says; others are of the connection, the credentials or the server. */
const OF_SOME_RECORD: readonly string[] = [
  'INVALID_ARGUMENT',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'FAILED_PRECONDITION',
  'RESOURCE_EXHAUSTED',
]

/** Which items the server names, `documents[3].color`, and what it says of them, without their place in the call. */
function faultsByIndex(error: CommonholdError): Map<number, string> {
  const named = new Map<number, string>()
  const details = Array.isArray(error.details) ? (error.details as { field?: string; message?: string }[]) : []
  for (const { field, message } of details) {
    const index = /^\w+\[(\d+)\]/.exec(field ?? '')?.[1]
    if (index === undefined || message === undefined || named.has(Number(index))) continue
    named.set(Number(index), message.replaceAll(/\b\w+\[\d+\][.:]?\s?/g, ''))
  }
  return named
}

/** Runs `work` on each, so many at once; after a failure no more are begun, and those under way are waited for. */
export async function atOnce<One>(
  ones: readonly One[],
  count: number,
  work: (one: One) => Promise<void>,
): Promise<void> {
  let next = 0
  let failed: { error: unknown } | undefined
  async function worker(): Promise<void> {
    while (next < ones.length && failed === undefined) {
      const one = ones[next++] as One
      try {
        await work(one)
      } catch (error) {
        failed ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(count, ones.length) }, worker))
  if (failed !== undefined) throw failed.error
}
