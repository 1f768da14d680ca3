/**
 * Imports a file. Its position is saved in `<file>.import-state`, so that an interrupted import can continue after its
 * last portion, and refused lines are written to `<file>.import-errors`. Only one process at a time imports a file. A
 * stream has no such position: it can be read only once, so its import cannot be resumed.
 */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { readFile, rename, rm, stat } from 'node:fs/promises'
import { addAbortSignal, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MovingFailure } from '#moving/failure.ts'
import type { Entries } from '#moving/files/entries.ts'
import { type Imported, type ImportOptions, importEntries, type Position } from '#moving/import/import.ts'
import { partOf } from '../export/export-file.ts'
import { lockFile } from '../files/file-lock.ts'
import { writeOwn } from '../files/own-file.ts'
import { errorsFile, notWritable, unlessMissing } from './errors-file.ts'

export interface FileImportOptions extends Omit<ImportOptions, 'before' | 'key' | 'onFaults' | 'onPortion'> {
  file: string
  /** Identifies the target: an import can only be resumed with the same one. */
  target: string
  /** Continues an interrupted import. */
  resume?: boolean
  entriesOf: (input: AsyncIterable<Uint8Array>, after: number) => Entries
}

export interface FileImported extends Imported {
  /** The file of refused lines, if there are any. */
  errorsFile?: string
}

interface State extends Position {
  format: 1
  file: { bytes: number; sha256: string }
  target: string
  errorsBytes: number
}

/** Larger than the default of 64 KB, which makes reading slower. */
const READ_BYTES = 256 * 1024

export const stateFileOf = (file: string): string => `${file}.import-state`
/** A dry run has its own file, so that it does not overwrite the file of an interrupted import. */
const errorsFileOf = (file: string, dryRun = false): string => `${file}.${dryRun ? 'dry-run' : 'import'}-errors`

export async function importFile(options: FileImportOptions): Promise<FileImported> {
  // If there is no file, the import says so.
  if (options.dryRun || !existsSync(options.file)) return importLocked(options)
  const unlock = lockFile('import', options.file, (path, error) => notWritable(path)(error))
  return importLocked(options).finally(unlock)
}

async function importLocked({ file, target, resume, entriesOf, ...options }: FileImportOptions): Promise<FileImported> {
  const identity = await identityOf(file)
  const state = stateFileOf(file)
  const found = options.dryRun ? undefined : await readState(state)
  if (options.dryRun !== true) checkState(found, { resume: resume ?? false, state, identity, target })
  const errors = errorsFile(errorsFileOf(file, options.dryRun), found?.errorsBytes)
  await errors.open()
  const input = createReadStream(file, { highWaterMark: READ_BYTES })
  const imported = await importEntries(entriesOf(input, found?.line ?? 0), {
    ...options,
    ...(found && { before: { records: found.records, failed: found.failed }, key: found.key }),
    onFaults: errors.add,
    async onPortion(position) {
      await errors.flush()
      if (options.dryRun) return
      const now: State = { format: 1, file: identity, target, errorsBytes: errors.bytes, ...position }
      await writeOwn(`${state}.new`, `${JSON.stringify(now)}\n`).catch(notWritable(state))
      await rename(`${state}.new`, state)
    },
  }).finally(() => input.destroy())
  await errors.flush()
  if (options.dryRun !== true) await rm(state, { force: true })
  return { ...imported, ...(imported.failed > 0 ? { errorsFile: errors.path } : {}) }
}

/** Returns what detects that any byte of a file was changed since its import began. */
async function identityOf(file: string): Promise<State['file']> {
  const unreadable = (error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT'
      ? missing(file)
      : new MovingFailure(`The file ${file} cannot be read (${error.code}).`, 'Do you have permission to read it?')
  }
  const found = await stat(file).catch(unreadable)
  if (found.isDirectory()) throw new MovingFailure(`${file} is a folder.`, 'Name a file.')
  const hash = createHash('sha256')
  await pipeline(createReadStream(file, { highWaterMark: READ_BYTES }), hash).catch(unreadable)
  return { bytes: found.size, sha256: hash.digest('hex') }
}

const missing = (file: string): MovingFailure =>
  existsSync(partOf(file))
    ? new MovingFailure(
        `The file ${file} does not exist: its export was interrupted and left ${partOf(file)}.`,
        'Export again.',
      )
    : new MovingFailure(`The file ${file} does not exist.`, 'Check its name and the current folder.')

async function readState(file: string): Promise<State | undefined> {
  const text = await readFile(file, 'utf8').catch(unlessMissing)
  if (text === undefined) return undefined
  const found = stateIn(text)
  if (found !== undefined) return found
  throw new MovingFailure(`${file} is damaged.`, 'Delete it and import the file from its beginning.')
}

const NUMBERS = ['line', 'records', 'failed', 'errorsBytes'] as const

function stateIn(text: string): State | undefined {
  try {
    const state = JSON.parse(text) as State
    const { bytes, sha256 } = state.file
    const areNumbers = [bytes, ...NUMBERS.map((name) => state[name])].every(
      (value) => Number.isSafeInteger(value) && value >= 0,
    )
    return areNumbers && typeof sha256 === 'string' && typeof state.target === 'string' ? state : undefined
  } catch {
    return undefined
  }
}

interface Expected {
  resume: boolean
  state: string
  identity: State['file']
  target: string
}

function checkState(found: State | undefined, { resume, state, identity, target }: Expected): void {
  if (found === undefined) {
    if (!resume) return
    throw new MovingFailure(
      `There is no import of this file to resume: ${state} does not exist.`,
      'Import it without --resume; records that exist already are updated to match it.',
    )
  }
  const interrupted = `An import of this file was interrupted after line ${found.line}`
  const restart = `To start again, delete ${state}.`
  if (!resume) throw new MovingFailure(`${interrupted}.`, `To continue, add --resume. ${restart}`)
  if (found.file.bytes !== identity.bytes || found.file.sha256 !== identity.sha256)
    throw new MovingFailure(`${interrupted}, and the file was changed since.`, restart)
  if (found.target !== target)
    throw new MovingFailure(`${interrupted}; its target was ${found.target}, not ${target}.`, restart)
}

interface StreamImportOptions extends Omit<FileImportOptions, 'file' | 'target' | 'resume'> {
  input: Readable
  /** The name for the file of refused lines, which is written to the current folder. */
  name: string
}

export async function importStream({ input, name, entriesOf, ...options }: StreamImportOptions): Promise<FileImported> {
  if (options.signal !== undefined) addAbortSignal(options.signal, input) // or the read could wait indefinitely
  const errors = errorsFile(errorsFileOf(name, options.dryRun))
  await errors.open()
  const imported = await importEntries(entriesOf(input, 0), {
    ...options,
    onFaults: errors.add,
    onPortion: errors.flush,
  }).finally(() => input.destroy())
  await errors.flush()
  return { ...imported, ...(imported.failed > 0 ? { errorsFile: errors.path } : {}) }
}
