/** Exports, checks and imports of the data of an API key, with the modules of the command line. */
import { type Exported, exportKey } from '#moving/export/export.ts'
import { MovingFailure } from '#moving/failure.ts'
import { type Entries, exportEntries } from '#moving/files/entries.ts'
import { type Counts, type Imported, importEntries, type LineFault } from '#moving/import/import.ts'
import type { Run } from '../../components/feedback/use-run.ts'
import type { Key } from '../../session/session.ts'
import { forgetPosition, type Kept, keepPosition } from './resumption.ts'

/** The checksums of the parts of a file, in their order. */
export type Checksums = readonly number[]

const READ_BYTES = 1024 * 1024

/** Finds changes that nobody hides: FNV-1a of the bytes. */
function checksumOf(bytes: Uint8Array): number {
  let sum = 0x811c9dc5
  for (const byte of bytes) sum = Math.imul(sum ^ byte, 0x01000193)
  return sum
}

/**
 * Reads a file of the device part by part, and adds the checksum of each to `read`. Throws before it returns a part that is not as
 * it was `before`: Chromium refuses to read a file that was changed since it was chosen, but Firefox reads what it has become.
 */
async function* bytesOf(
  file: Blob,
  read: number[],
  before: Checksums | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let start = 0; start < file.size; start += READ_BYTES) {
    const part = new Uint8Array(
      await file
        .slice(start, start + READ_BYTES)
        .arrayBuffer()
        .catch(unreadable),
    )
    const sum = checksumOf(part)
    if (before !== undefined && before[read.length] !== sum) unreadable()
    read.push(sum)
    yield part
  }
}

function unreadable(): never {
  throw new MovingFailure('The file cannot be read: it was changed or moved since it was chosen.', 'Choose it again.')
}

export interface Progress extends Counts {
  line: number
}

export interface Result extends Imported {
  /** The first refused lines. */
  faults: LineFault[]
  /** How many records of each kind were read. */
  kinds: ReadonlyMap<string, number>
  /** The last line that was read. */
  line: number
  checksums: Checksums
}

/** A report keeps no more refused lines. */
const FAULTS_MAX = 10_000
/** Small, so that little is written again after an interruption. */
const PORTION = { records: 2_000, bytes: 1024 * 1024 }
/** Parts of a file go to the browser at this size, which keeps them outside of the memory of the page. */
const PART_CHARACTERS = 1024 * 1024

/** Returns the parts of the file that `commonhold export` would write. */
export async function exported(key: Key, { signal, onProgress }: Run<Exported>): Promise<Blob[]> {
  const parts: Blob[] = []
  let pending: string[] = []
  let characters = 0
  const flush = () => {
    parts.push(new Blob(pending))
    pending = []
    characters = 0
  }
  await exportKey(key.client, {
    async write(text) {
      pending.push(text)
      characters += text.length
      if (characters >= PART_CHARACTERS) flush()
    },
    ...{ onProgress, signal },
  })
  flush()
  return parts
}

interface ImportRun extends Run<Progress> {
  dryRun: boolean
  /** The identity of the file, with which the position is kept; undefined: it is not kept. */
  identity?: string | undefined
  /** Where an interrupted import continues. */
  before?: Kept | undefined
  /** The checksums of the file when it was checked. */
  checksums?: Checksums | undefined
}

/** Checks each line of a file, or imports it. After each portion the position is kept, until all is done. */
export async function imported(key: Key, file: File, run: ImportRun): Promise<Result> {
  const { signal, onProgress, dryRun, identity, before } = run
  const kinds = new Map<string, number>()
  const faults: LineFault[] = [...(before?.faults ?? [])]
  const checksums: number[] = []
  let line = before?.line ?? 0
  const bytes = bytesOf(file, checksums, run.checksums)
  const result = await importEntries(counting(exportEntries(bytes, 'apiKey', line), kinds), {
    clientOf: async () => key.client,
    ...{ dryRun, signal, portion: PORTION },
    ...(before !== undefined && { before: { records: before.records, failed: before.failed } }),
    onFaults: (found) => {
      faults.push(...found.slice(0, FAULTS_MAX - faults.length))
    },
    onProgress: (soFar) => {
      line = Math.max(line, soFar.line)
      onProgress(soFar)
    },
    async onPortion(position) {
      line = position.line
      if (identity !== undefined) keepPosition(key.id, identity, { ...position, faults })
    },
  })
  if (identity !== undefined) forgetPosition(key.id, identity)
  return { ...result, faults, kinds, line, checksums }
}

const NO_DATA = ['export', 'end', 'apiKey']

async function* counting(entries: Entries, kinds: Map<string, number>): Entries {
  for (let result = await entries.next(); ; result = await entries.next()) {
    if (result.done === true) return result.value
    for (const entry of result.value)
      if ('record' in entry && !NO_DATA.includes(entry.record.record))
        kinds.set(entry.record.record, (kinds.get(entry.record.record) ?? 0) + 1)
    yield result.value
  }
}
