/**
 * Imports a file and remembers beside it how far it came, `<file>.import-state`, and which lines were refused,
 * `<file>.import-errors`: an import that was interrupted goes on after its last portion.
 */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import type { Entries } from './entries.ts'
import { errorsFile, notWritable, unlessMissing } from './errors-file.ts'
import { partOf } from './export-file.ts'
import { MovingFailure } from './failure.ts'
import { type Imported, type ImportOptions, importEntries, type Place } from './import.ts'

export interface FileImportOptions extends Omit<ImportOptions, 'before' | 'key' | 'onFaults' | 'onPortion'> {
  file: string
  /** Where to: an import goes on only to where it began. */
  target: string
  /** Goes on with an import that was interrupted. */
  resume?: boolean
  entriesOf: (input: AsyncIterable<Uint8Array>, after: number) => Entries
}

export interface FileImported extends Imported {
  /** Where the refused lines are, if there are any. */
  errorsFile?: string
}

interface State extends Place {
  format: 1
  file: { bytes: number; beginning: string }
  target: string
  errorsBytes: number
}

/** At once: with the usual 64 KB reading costs more than it need. */
const READ_BYTES = 256 * 1024

export const stateFileOf = (file: string): string => `${file}.import-state`
/** A dry run leaves alone what an interrupted import has told. */
export const errorsFileOf = (file: string, dryRun = false): string => `${file}.${dryRun ? 'dry-run' : 'import'}-errors`

export async function importFile({
  file,
  target,
  resume,
  entriesOf,
  ...options
}: FileImportOptions): Promise<FileImported> {
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
    async onPortion(place) {
      await errors.flush()
      if (options.dryRun) return
      const now: State = { format: 1, file: identity, target, errorsBytes: errors.bytes, ...place }
      await writeFile(`${state}.new`, `${JSON.stringify(now)}\n`).catch(notWritable(state))
      await rename(`${state}.new`, state)
    },
  }).finally(() => input.destroy())
  await errors.flush()
  if (options.dryRun !== true) await rm(state, { force: true })
  return { ...imported, ...(imported.failed > 0 ? { errorsFile: errors.path } : {}) }
}

/** Enough to see that a file is not the one that an import began with. */
async function identityOf(file: string): Promise<State['file']> {
  const unreadable = (error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT'
      ? missing(file)
      : new MovingFailure(`The file ${file} cannot be read (${error.code}).`, 'May you read it?')
  }
  const found = await stat(file).catch(unreadable)
  if (found.isDirectory()) throw new MovingFailure(`${file} is a folder.`, 'Name the file in it.')
  const handle = await open(file).catch(unreadable)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(64 * 1024), 0, 64 * 1024, 0)
  await handle.close()
  return { bytes: found.size, beginning: createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('hex') }
}

const missing = (file: string): MovingFailure =>
  existsSync(partOf(file))
    ? new MovingFailure(
        `The file ${file} is not there: writing it was cut off, and left ${partOf(file)}.`,
        'Export again.',
      )
    : new MovingFailure(`The file ${file} is not there.`, 'Look at its name and at the folder that you are in.')

async function readState(file: string): Promise<State | undefined> {
  const text = await readFile(file, 'utf8').catch(unlessMissing)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new MovingFailure(`${file} is not readable.`, 'Delete it and import the file from its beginning.')
  }
}

interface Asked {
  resume: boolean
  state: string
  identity: State['file']
  target: string
}

function checkState(found: State | undefined, { resume, state, identity, target }: Asked): void {
  if (found === undefined) {
    if (!resume) return
    throw new MovingFailure(
      `There is no import of this file to go on with: ${state} is not there.`,
      'Import it without --resume; what is there already becomes as the file has it.',
    )
  }
  const begun = `An import of this file was interrupted after line ${found.line}`
  if (!resume) throw new MovingFailure(`${begun}.`, `Go on with --resume, or delete ${state} to begin anew.`)
  if (found.file.bytes !== identity.bytes || found.file.beginning !== identity.beginning)
    throw new MovingFailure(`${begun}, and the file was changed since.`, `Delete ${state} to begin anew.`)
  if (found.target !== target)
    throw new MovingFailure(`${begun}; it went to ${found.target}, not to ${target}.`, `Delete ${state} to begin anew.`)
}
