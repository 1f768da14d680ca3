/**
 * Reads records and writes them portion by portion; a portion is read while the one before it is written, so two of them
 * are in memory. After each one is a place to go on from.
 */
import type { Client } from '#sdk/client.ts'
import { applyRecords } from './apply.ts'
import type { Failed, Item } from './calls.ts'
import type { Entries, Entry } from './entries.ts'
import { FIRST_CALL } from './patience.ts'
import type { DataRecord, ExportRecord, Fault } from './records.ts'

/** The beginning of what a file of a workspace has of one API key. */
export type OneKey = Extract<ExportRecord, { record: 'apiKey' }>

export interface Counts {
  /** Records that are written, or would be. */
  records: number
  /** Records and lines that are not. */
  failed: number
}

/** A line that was not imported, and why. */
export interface LineFault extends Fault {
  line: number
  record?: ExportRecord
}

export interface ImportOptions {
  /** Where the records of the file go; for one of a workspace those that follow an `apiKey` line. */
  clientOf: (key: OneKey | undefined) => Promise<Client>
  /** Checks every line and writes nothing. */
  dryRun?: boolean
  /** What was counted before the line that the import goes on after. */
  before?: Counts
  /** The `apiKey` line that stands before that line. */
  key?: OneKey | undefined
  onFaults?: (faults: readonly LineFault[]) => void
  /** After each portion: everything up to this line is done with. */
  onPortion?: (place: Place) => Promise<void>
  onProgress?: (soFar: Counts & { line: number }) => void
  /** What is written together, and is written again when it was interrupted. */
  portion?: { records: number; bytes: number }
  signal?: AbortSignal
}

export interface Place extends Counts {
  line: number
  key?: OneKey | undefined
}

export interface Imported extends Counts {
  /** Why the file ended early, if it did. */
  cutOff?: string
}

const PORTION = { records: 20_000, bytes: 8 * 1024 * 1024 }

export async function importEntries(entries: Entries, options: ImportOptions): Promise<Imported> {
  const { clientOf, dryRun = false, onFaults, onPortion, onProgress, signal } = options
  const counts = { ...(options.before ?? { records: 0, failed: 0 }) }
  const source = portionsOf(entries, options.portion ?? PORTION)
  let key = options.key
  let client: Client | undefined
  const report = (items: readonly Item[], failed: readonly Failed[], line: number) => {
    counts.records += items.length - failed.length
    refuse(failed.map(({ item, fault }) => ({ line: item.line, ...fault, record: item.record })))
    onProgress?.({ ...counts, line })
  }
  function refuse(faults: readonly LineFault[]): void {
    counts.failed += faults.length
    if (faults.length > 0) onFaults?.(faults)
  }

  for (let next = source.next(); ; ) {
    const result = await next
    if (result.done === true) return result.value === undefined ? counts : { ...counts, cutOff: result.value }
    next = source.next()
    next.catch(() => {}) // told when it is this one's turn
    signal?.throwIfAborted()
    const { items, faults, line, opens } = result.value
    if (opens !== undefined) {
      key = opens
      client = undefined
    }
    refuse(faults)
    if (dryRun) report(items, [], line)
    else if (items.length > 0) {
      client ??= await reached(await clientOf(key), signal)
      await applyRecords(client, items, {
        onDone: (done, failed) => report(done, failed, line),
        ...(signal && { signal }),
      })
    }
    await onPortion?.({ ...counts, line, key })
  }
}

/** A server that is not there, and credentials that are not good, are told before anything is written, and soon. */
async function reached(client: Client, signal: AbortSignal | undefined): Promise<Client> {
  await client.keyConfig.get({}, { ...FIRST_CALL, ...(signal && { signal }) })
  return client
}

interface Portion {
  /** The API key whose records these are, where they begin with its line. */
  opens?: OneKey
  items: Item[]
  faults: LineFault[]
  /** The last one. */
  line: number
}

/** What belongs together is written together: settings alone, and nothing of two API keys at once. */
async function* portionsOf(
  entries: Entries,
  { records, bytes: bytesMax }: typeof PORTION,
): AsyncGenerator<Portion, string | undefined, undefined> {
  let portion: Portion = { items: [], faults: [], line: 0 }
  let bytes = 0
  const begin = (line: number) => {
    portion = { items: [], faults: [], line }
    bytes = 0
  }
  for (let result = await entries.next(); ; result = await entries.next()) {
    if (result.done === true) {
      if (portion.line > 0) yield portion
      return result.value
    }
    for (const entry of result.value) {
      const full = portion.items.length + portion.faults.length >= records || bytes >= bytesMax
      if (portion.line > 0 && (full || standsAlone(entry) || portion.items[0]?.record.record === 'settings')) {
        yield portion
        begin(entry.line)
      }
      portion.line = entry.line
      bytes += entry.bytes
      if ('fault' in entry) portion.faults.push({ line: entry.line, ...entry.fault })
      else if (entry.record.record === 'apiKey') portion.opens = entry.record
      else if (isData(entry.record)) portion.items.push({ line: entry.line, bytes: entry.bytes, record: entry.record })
    }
  }
}

const standsAlone = (entry: Entry): boolean =>
  'record' in entry && (entry.record.record === 'settings' || entry.record.record === 'apiKey')

const isData = (record: ExportRecord): record is DataRecord => record.record !== 'export' && record.record !== 'end'
