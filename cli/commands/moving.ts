/** Moving data in and out: `export` and `import`, with how far they are on standard error. */
import { createReadStream, existsSync, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { type Command, Option } from 'commander'
import { createClient } from '#sdk/client.ts'
import { printJson } from '../answers.ts'
import { addCommand } from '../command.ts'
import type { Connection } from '../connection.ts'
import type { Exit } from '../exit-codes.ts'
import { Failure, isAbort } from '../failures.ts'
import { CSV_KINDS, type CsvKind, csvEntries } from '../moving/csv.ts'
import { exportEntries } from '../moving/entries.ts'
import { type Exported, exportKey, exportWorkspace } from '../moving/export.ts'
import { toFile, toStream } from '../moving/export-file.ts'
import { MovingFailure } from '../moving/failure.ts'
import type { Counts } from '../moving/import.ts'
import { type FileImported, importFile, stateFileOf } from '../moving/import-file.ts'
import { importStream } from '../moving/import-stream.ts'
import { counted, progressLine, size } from '../moving/progress.ts'
import { clientOfKey, keyFor } from '../moving/workspace.ts'
import { coloured, note, plain } from '../terminal.ts'

const NO_RESUMING = 'An import of standard input, or of a pipe, cannot go on where it ended: what was read is gone.'
const FROM_THE_BEGINNING = 'Import it again from its beginning; what is there already becomes as it has it.'
/** Of the file of refused lines, where what was imported has no name. */
const STREAM_NAME = 'commonhold'

const WORKSPACE = 'Of the whole workspace: every API key, with a section of its own in the file.'

export function addMoving(program: Command): void {
  addCommand(program, 'export', {
    summary: 'Write the data of an API key, or of a workspace, as lines of JSON.',
    description:
      'What import reads back: settings of access, domains, users, organizations, folders, documents, grants, user groups. Never a secret. While others write it is no snapshot. Without a file, or with -, it goes to standard output.',
    examples: ['commonhold export acme.ndjson', 'commonhold export --workspace | gzip > all.ndjson.gz'],
    async run({ words: [file], options, connection }) {
      const isFile = typeof file === 'string' && file !== '-'
      const { write, end, abandon } = isFile ? toFile(file) : toStream(process.stdout)
      const progress = progressLine()
      const exported = await untilStopped(
        async (signal) => {
          const onProgress = ({ records, bytes }: Exported) =>
            progress.at(`${counted(records)} records, ${size(bytes)}`)
          const how = { write, onProgress, signal }
          const done =
            options.workspace === true
              ? await ofWorkspace(connection(), how)
              : await exportKey(connection().forKey(), how)
          await end()
          return done
        },
        isFile ? 'Nothing was kept.' : 'What was written is no whole export, and import says so.',
      )
        .catch(async (error: unknown) => {
          await abandon()
          throw error
        })
        .finally(progress.end)
      if (options.json === true && isFile) printJson(exported)
      else
        note(`${coloured('green', '✓', process.stderr)} ${counted(exported.records)} records, ${size(exported.bytes)}.`)
    },
  })
    .argument('[file]', 'The file to write; -: standard output.')
    .option('--workspace', WORKSPACE)

  addCommand(program, 'import', {
    summary: 'Read an export back, or rows of CSV.',
    description:
      'What is there already becomes as the file has it; nothing is deleted. Lines that are refused go to FILE.import-errors, each with its number and why. An import that was interrupted goes on with --resume; one of standard input cannot.',
    examples: [
      'commonhold import acme.ndjson --dry-run',
      'commonhold import acme.ndjson',
      'commonhold import people.csv --csv users',
      'gunzip -c acme.ndjson.gz | commonhold import -',
    ],
    async run({ words, options, connection }) {
      const file = String(words[0])
      const isStream = file === '-' || isPipe(file)
      const dryRun = options.dryRun === true
      const target = connection()
      const csv = options.csv as CsvKind | undefined
      const progress = progressLine()
      const how = (signal: AbortSignal) => ({
        ...(options.workspace === true ? intoWorkspace(target) : intoKey(target, csv)),
        dryRun,
        onProgress: ({ records, failed, line }: Counts & { line: number }) =>
          progress.at(`line ${counted(line)}: ${counted(records)} records, ${counted(failed)} refused`),
        signal,
      })
      if (isStream && options.resume === true) throw new Failure('usage', NO_RESUMING, FROM_THE_BEGINNING)
      const imported = await untilStopped(
        (signal) =>
          isStream
            ? importStream({ ...how(signal), input: streamOf(file), name: STREAM_NAME })
            : importFile({ ...how(signal), file, resume: options.resume === true }),
        'What was written stays.',
      )
        .catch((error: unknown) => {
          progress.end()
          if (error instanceof Failure && error.exit === 'usage') throw error
          if (isStream) note(`To go on: ${FROM_THE_BEGINNING}`)
          else if (existsSync(stateFileOf(file)))
            note(`To go on where it ended: ${again(file, csv, options.workspace === true)} --resume`)
          throw error
        })
        .finally(progress.end)
      return showImported(imported, dryRun, options.json === true)
    },
  })
    .argument('<file>', 'The file to read; -: standard input.')
    .option('--workspace', WORKSPACE)
    .addOption(
      new Option('--csv <records>', 'The file is CSV, and its rows are these.').choices(Object.keys(CSV_KINDS)),
    )
    .option('--dry-run', 'Check every line, and write nothing.')
    .option('--resume', 'Go on with an import that was interrupted.')
}

const again = (file: string, csv: CsvKind | undefined, workspace: boolean): string =>
  `commonhold import ${plain(file)}${csv === undefined ? '' : ` --csv ${csv}`}${workspace ? ' --workspace' : ''}`

function ofWorkspace(connection: Connection, how: Parameters<typeof exportWorkspace>[2]): Promise<Exported> {
  const workspace = connection.forWorkspace()
  return exportWorkspace(workspace, (apiKey) => clientOfKey(workspace, connector(connection), apiKey), how)
}

const connector =
  ({ url, headerPrefix }: Connection) =>
  (apiKey: string, authToken: string) =>
    createClient({ url, apiKey, authToken, ...(headerPrefix === undefined ? {} : { headerPrefix }) })

function intoWorkspace(connection: Connection) {
  const workspace = connection.forWorkspace()
  return {
    target: `the workspace of ${connection.url}`,
    entriesOf: (input: AsyncIterable<Uint8Array>, after: number) => exportEntries(input, 'workspace', after),
    clientOf: async (key: Parameters<typeof keyFor>[1] | undefined) => {
      if (key === undefined)
        throw new MovingFailure('The file has records before its first API key.', 'Export it again.')
      return clientOfKey(workspace, connector(connection), await keyFor(workspace, key))
    },
  }
}

function intoKey(connection: Connection, csv: CsvKind | undefined) {
  const client = connection.forKey()
  return {
    target: `${connection.apiKey} at ${connection.url}`,
    entriesOf: (input: AsyncIterable<Uint8Array>, after: number) =>
      csv === undefined ? exportEntries(input, 'apiKey', after) : csvEntries(input, csv, after),
    clientOf: async () => client,
  }
}

/** A pipe or the like, which can be read only once. */
const isPipe = (file: string): boolean => {
  const found = statSync(file, { throwIfNoEntry: false })
  return found !== undefined && !found.isFile() && !found.isDirectory()
}

const streamOf = (file: string): Readable => (file === '-' ? process.stdin : createReadStream(file))

function showImported({ records, failed, errorsFile, cutOff }: FileImported, dryRun: boolean, json: boolean): Exit {
  if (json) printJson({ records, failed, ...(errorsFile && { errorsFile }), ...(cutOff && { cutOff }) })
  else {
    const sign =
      failed > 0 || cutOff !== undefined
        ? coloured('yellow', '!', process.stderr)
        : coloured('green', '✓', process.stderr)
    note(`${sign} ${counted(records)} records ${dryRun ? 'can be imported' : 'imported'}, ${counted(failed)} refused.`)
    if (errorsFile !== undefined) note(`  Which lines, and why: ${plain(errorsFile)}`)
    if (cutOff !== undefined) note(`  ${cutOff}`)
  }
  return failed > 0 || cutOff !== undefined ? 'refused' : 'done'
}

/** Ctrl-C ends the work after the calls that are under way. */
async function untilStopped<Value>(work: (signal: AbortSignal) => Promise<Value>, left: string): Promise<Value> {
  const controller = new AbortController()
  const stop = () => controller.abort()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, stop)
  try {
    return await work(controller.signal)
  } catch (error) {
    if (error instanceof MovingFailure) throw new Failure('usage', error.message, error.next)
    throw isAbort(error) && controller.signal.aborted ? new Failure('interrupted', `Interrupted. ${left}`) : error
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, stop)
  }
}
