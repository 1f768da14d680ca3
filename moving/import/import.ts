/**
 * Reads records and writes them portion by portion. The next portion is read while the previous one is written, so two are
 * in memory. After each portion the import can be resumed.
 */
import type { Client } from '#sdk/client.ts'
import type { Entries, Entry } from '../files/entries.ts'
import type { DataRecord, ExportRecord, Fault } from '../files/records.ts'
import { FIRST_CALL_LIMITS } from '../timeouts.ts'
import { applyRecords } from './apply.ts'
import type { Failed, Item } from './batches.ts'

/** The first record of an API key's section in the export of a workspace. */
export type KeyRecord = Extract<ExportRecord, { record: 'apiKey' }>

export interface Counts {
  /** Records that were imported, or can be. */
  records: number
  /** Records and lines that were refused. */
  failed: number
}

/** A line that was not imported, and why. */
export interface LineFault extends Fault {
  line: number
  record?: ExportRecord
}

export interface ImportOptions {
  /** Returns the client to import with; for a file of a workspace, the client of the API key that the section names. */
  clientOf: (key: KeyRecord | undefined) => Promise<Client>
  /** Checks every line and writes nothing. */
  dryRun?: boolean
  /** The counts of the interrupted import that is resumed. */
  before?: Counts
  /** The API key whose section the interrupted import had reached. */
  key?: KeyRecord | undefined
  onFaults?: (faults: readonly LineFault[]) => void
  /** Called after each portion, when every line up to this position is imported or refused. */
  onPortion?: (position: Position) => Promise<void>
  onProgress?: (soFar: Counts & { line: number }) => void
  /** The size of a portion, which is written again as a whole after an interruption. */
  portion?: { records: number; bytes: number }
  signal?: AbortSignal
}

export interface Position extends Counts {
  line: number
  key?: KeyRecord | undefined
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
    next.catch(() => {}) // rethrown when it is awaited
    signal?.throwIfAborted()
    const { items, faults, line, opens } = result.value
    if (opens !== undefined) {
      key = opens
      client = undefined
      counts.records++
    }
    refuse(faults)
    if (dryRun) report(items, [], line)
    else if (items.length > 0) {
      client ??= await probed(await clientOf(key), signal)
      await applyRecords(client, items, {
        onDone: (done, failed) => report(done, failed, line),
        ...(signal && { signal }),
      })
    }
    await onPortion?.({ ...counts, line, key })
  }
}

/** Reports an unreachable server and invalid credentials quickly, before anything is written. */
async function probed(client: Client, signal: AbortSignal | undefined): Promise<Client> {
  await client.keyConfig.get({}, { ...FIRST_CALL_LIMITS, ...(signal && { signal }) })
  return client
}

interface Portion {
  /** The API key whose section begins with this portion. */
  opens?: KeyRecord
  items: Item[]
  faults: LineFault[]
  /** The last line. */
  line: number
}

/** Groups records into portions. Settings are alone in theirs, and no portion has records of two API keys. */
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
