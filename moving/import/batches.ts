/** Splits records into batches, each for one bulk call, and sends them. */
import type { AccessType } from '#contract/access/permissions.ts'
import { CommonholdError } from '#sdk/errors.ts'
import type { KeyedCallOptions } from '#sdk/options.ts'
import { ITEMS_MAX } from '#sdk/shared/chunks.ts'
import type { DataKind, DataRecord, Fault, OneRecord } from '../files/records.ts'

export interface Item<Record extends DataRecord = DataRecord> {
  line: number
  bytes: number
  record: Record
}

/** The result of one item of a bulk call. */
export interface Outcome {
  success: boolean
  message: string
  code?: string
}

export interface Batch<One extends Item = Item> {
  items: readonly One[]
  /** Makes the call and returns the items that failed. */
  send(items: readonly One[]): Promise<readonly Failed[]>
}

export interface Failed {
  item: Item
  fault: Fault
}

export type Options = KeyedCallOptions
export type ItemOf<Kind extends DataKind> = Item<OneRecord<Kind>>
export type Send<Kind extends DataKind> = Batch<ItemOf<Kind>>['send']

export const organizationOf = ({ record }: ItemOf<'folder' | 'document' | 'userGroup' | 'userGroupUser'>): string =>
  record.organizationId

/** Whether an item could not be added because it exists already. */
export const alreadyExists = ({ fault }: Failed): boolean => fault.reason === 'already-exists'

export const accessOf = <AccessType>(accessType: AccessType | undefined) =>
  accessType === undefined ? { inheritFromParent: true } : { accessType }

/**
 * Moves items, and sets their access types. At no moment, even if the import is interrupted, may others have access than
 * before or after: an item is closed before it is moved, and before one that may contain it is opened; it follows its
 * parent only when it is there.
 */
export async function moveWithAccess<One extends Item & { record: { accessType?: AccessType } }>(
  items: readonly One[],
  move: (items: readonly One[]) => Promise<readonly (Failed & { item: One })[]>,
  /** All have the same access type. */
  setAccess: (items: readonly One[]) => Promise<readonly (Failed & { item: One })[]>,
): Promise<(Failed & { item: One })[]> {
  const failed: (Failed & { item: One })[] = []
  const left = () => without(items, failed)
  const set = async (accessType: AccessType | undefined) => {
    const those = left().filter(({ record }) => record.accessType === accessType)
    if (those.length > 0) failed.push(...(await setAccess(those)))
  }
  for (const accessType of ['restricted', 'organizationPrivate'] as const) await set(accessType)
  failed.push(...(await move(left())))
  for (const accessType of ['public', undefined] as const) await set(accessType)
  return failed
}

/** Half of the default limit of a server, because the fields of a call are slightly longer than those of a line. */
const BYTES_MAX = 4 * 1024 * 1024

/** Splits items into batches that fit into one call each. */
export function batchesOf<One extends Item>(items: readonly One[], send: Batch<One>['send']): Batch<One>[] {
  const batches: Batch<One>[] = []
  let portion: One[] = []
  let bytes = 0
  const flush = () => {
    if (portion.length > 0) batches.push({ items: portion, send })
    portion = []
    bytes = 0
  }
  for (const item of items) {
    if (portion.length === ITEMS_MAX || bytes + item.bytes > BYTES_MAX) flush()
    portion.push(item)
    bytes += item.bytes
  }
  flush()
  return batches
}

/** The same, but keeps the items of a group in one batch if they fit: several would wait for the same lock. */
export function batchesByGroup<One extends Item>(
  items: readonly One[],
  groupOf: (item: One) => string,
  send: Batch<One>['send'],
): Batch<One>[] {
  const batches: Batch<One>[] = []
  let portion: One[] = []
  const flush = () => {
    batches.push(...batchesOf(portion, send))
    portion = []
  }
  for (const group of Map.groupBy(items, groupOf).values()) {
    if (portion.length + group.length > ITEMS_MAX) flush()
    portion.push(...group)
  }
  flush()
  return batches
}

/** Returns the items whose outcome, which is found by id, is a failure. */
export const failedOf = <One extends Item>(
  items: readonly One[],
  outcomes: Readonly<Record<string, Outcome>>,
  idOf: (item: One) => string,
): (Failed & { item: One })[] =>
  items.flatMap((item) => {
    const id = idOf(item)
    const outcome = Object.hasOwn(outcomes, id) ? outcomes[id] : undefined // an id may be `constructor`
    if (outcome === undefined || outcome.success) return []
    return [{ item, fault: { reason: outcome.code ?? 'failed', message: outcome.message } }]
  })

export const without = <One extends Item>(items: readonly One[], failed: readonly Failed[]): One[] => {
  const failedLines = new Set(failed.map(({ item }) => item.line))
  return items.filter(({ line }) => !failedLines.has(line))
}

/**
 * Sends a batch and returns the items that failed. A refusal because of some items is narrowed down to them, and the
 * others are sent again. Throws if the batch cannot be sent at present.
 */
export async function sendBatch<One extends Item>({ items, send }: Batch<One>): Promise<Failed[]> {
  if (items.length === 0) return []
  try {
    return [...(await send(items))]
  } catch (error) {
    if (!(error instanceof CommonholdError) || error.retryable || !ITEM_STATUSES.includes(error.status)) throw error
    const faults = faultsByIndex(error)
    if (faults.size > 0) {
      const failed = items.flatMap((item, index) => {
        const message = faults.get(index)
        return message === undefined ? [] : [{ item, fault: { reason: error.reason, message } }]
      })
      const others = items.filter((_, index) => !faults.has(index))
      return [...failed, ...(await sendBatch({ items: others, send }))]
    }
    if (items.length === 1 || error.status === 'NOT_FOUND')
      return items.map((item) => ({ item, fault: { reason: error.reason, message: error.explanation } }))
    const half = Math.ceil(items.length / 2)
    return [
      ...(await sendBatch({ items: items.slice(0, half), send })),
      ...(await sendBatch({ items: items.slice(half), send })),
    ]
  }
}

/** Statuses that an item can cause; others are caused by the connection, the credentials or the server. */
const ITEM_STATUSES: readonly string[] = [
  'INVALID_ARGUMENT',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'FAILED_PRECONDITION',
  'RESOURCE_EXHAUSTED',
]

/** Returns the messages about items that the server names, such as `documents[3].color`, without their index in the call. */
function faultsByIndex(error: CommonholdError): Map<number, string> {
  const faults = new Map<number, string>()
  const details = Array.isArray(error.details) ? (error.details as { field?: string; message?: string }[]) : []
  for (const { field, message } of details) {
    const index = /^\w+\[(\d+)\]/.exec(field ?? '')?.[1]
    if (index === undefined || message === undefined || faults.has(Number(index))) continue
    faults.set(Number(index), message.replaceAll(/\b\w+\[\d+\][.:]?\s?/g, ''))
  }
  return faults
}

/** Runs `work` for each, `count` of them concurrently. After a failure it starts no more, and waits for the running ones. */
export async function concurrently<One>(
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
