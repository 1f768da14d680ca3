/** `export` and `import`, with their progress on standard error. */

import { createReadStream, existsSync, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { type Command, Option } from 'commander'
import { type Exported, type ExportOptions, exportKey, exportWorkspace } from '#moving/export/export.ts'
import { MovingFailure } from '#moving/failure.ts'
import { exportEntries } from '#moving/files/entries.ts'
import type { Counts } from '#moving/import/import.ts'
import { createClient } from '#sdk/client.ts'
import { addCommand } from '../../command.ts'
import type { Connection } from '../../connection/connection.ts'
import { warn, withWarnings } from '../../connection/warnings.ts'
import type { Exit } from '../../exit-codes.ts'
import { Failure, isAbort } from '../../failures.ts'
import { toFile, toStream } from '../../moving/export/export-file.ts'
import { CSV_KINDS, type CsvKind, csvEntries } from '../../moving/files/csv.ts'
import { type FileImported, importFile, importStream, stateFileOf } from '../../moving/import/import-file.ts'
import { clientForExport, clientForImport, keyFor } from '../../moving/workspace.ts'
import { io } from '../../terminal/io.ts'
import { printJson } from '../../terminal/output.ts'
import { counted, progressLine, size } from '../../terminal/progress.ts'
import { colouredNote, note, plain } from '../../terminal/terminal.ts'

const NOT_RESUMABLE = 'An import of standard input or of a pipe cannot be resumed: a stream cannot be read twice.'
const IMPORT_AGAIN = 'Import it again from its beginning; records that exist already are updated to match it.'
/** Names the file of refused lines of an import that has no file name. */
const STREAM_NAME = 'commonhold'

const WORKSPACE = 'The whole workspace: every API key, each in its own section of the file.'

export function addExportAndImport(program: Command): void {
  addCommand(program, 'export', {
    summary: 'Write the data of an API key or a workspace as newline-delimited JSON, for import.',
    description:
      'Contains access settings, domains, users, organizations, folders, documents, grants, user groups, threads and notifications, and no secrets. It is not a snapshot if data changes during the export. Without a file, or with -, it writes to standard output.',
    examples: ['commonhold export acme.ndjson', 'commonhold export --workspace | gzip > all.ndjson.gz'],
    async run({ words: [file], options, connection }) {
      const isFile = typeof file === 'string' && file !== '-'
      const { write, end, abandon } = isFile ? toFile(file) : toStream(io().stdout)
      const progress = progressLine()
      const exported = await interruptible(
        async (signal) => {
          const onProgress = ({ records, bytes }: Exported) =>
            progress.update(`${counted(records)} records, ${size(bytes)}`)
          const target = { write, onProgress, signal }
          const total =
            options.workspace === true
              ? await exportWholeWorkspace(connection(), target)
              : await exportKey(connection().forKey(), target)
          await end()
          return total
        },
        isFile ? 'The incomplete file was deleted.' : 'The output is incomplete, and import will report that.',
      )
        .catch(async (error: unknown) => {
          await abandon()
          throw error
        })
        .finally(progress.clear)
      if (options.json === true && isFile) printJson(exported)
      else note(`${colouredNote('green', '✓')} ${counted(exported.records)} records, ${size(exported.bytes)}.`)
    },
  })
    .argument('[file]', 'The file to write; - is standard output.')
    .option('--workspace', WORKSPACE)

  addCommand(program, 'import', {
    summary: 'Import an export or the rows of a CSV file.',
    description:
      'Existing records are updated to match the file; nothing is deleted. Refused lines are written to FILE.import-errors, each with its number and the reason. An interrupted import continues with --resume, unless it reads standard input.',
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
      const importOptions = (signal: AbortSignal) => ({
        ...(options.workspace === true ? intoWorkspace(target) : intoKey(target, csv)),
        dryRun,
        onProgress: ({ records, failed, line }: Counts & { line: number }) =>
          progress.update(`line ${counted(line)}: ${counted(records)} records, ${counted(failed)} refused`),
        signal,
      })
      if (isStream && options.resume === true) throw new Failure('usage', NOT_RESUMABLE, IMPORT_AGAIN)
      const imported = await interruptible(
        (signal) =>
          isStream
            ? importStream({ ...importOptions(signal), input: streamOf(file), name: STREAM_NAME })
            : importFile({ ...importOptions(signal), file, resume: options.resume === true }),
        'Records imported until then remain.',
      )
        .catch((error: unknown) => {
          progress.clear()
          if (error instanceof MovingFailure || (error instanceof Failure && error.exit === 'usage')) throw error
          if (isStream) note(`To complete it: ${IMPORT_AGAIN}`)
          else if (existsSync(stateFileOf(file)))
            note(`To continue: ${commandOf(file, csv, options.workspace === true)} --resume`)
          throw error
        })
        .finally(progress.clear)
      return showImported(imported, dryRun, options.json === true)
    },
  })
    .argument('<file>', 'The file to read; - is standard input.')
    .option('--workspace', WORKSPACE)
    .addOption(new Option('--csv <records>', 'The file is CSV with rows of this kind.').choices(Object.keys(CSV_KINDS)))
    .option('--dry-run', 'Check every line without importing anything.')
    .option('--resume', 'Continue an interrupted import.')
}

const commandOf = (file: string, csv: CsvKind | undefined, workspace: boolean): string =>
  `commonhold import ${plain(file)}${csv === undefined ? '' : ` --csv ${csv}`}${workspace ? ' --workspace' : ''}`

function exportWholeWorkspace(connection: Connection, options: ExportOptions): Promise<Exported> {
  const workspace = connection.forWorkspace()
  return exportWorkspace(workspace, (apiKey) => clientForExport(workspace, connector(connection), apiKey), options)
}

const connector =
  ({ url, headerPrefix }: Connection) =>
  (apiKey: string, authToken: string) =>
    createClient({ url, apiKey, authToken, onWarning: warn, ...(headerPrefix === undefined ? {} : { headerPrefix }) })

function intoWorkspace(connection: Connection) {
  const workspace = connection.forWorkspace()
  return {
    target: `the workspace of ${connection.url}`,
    entriesOf: (input: AsyncIterable<Uint8Array>, after: number) => exportEntries(input, 'workspace', after),
    clientOf: async (key: Parameters<typeof keyFor>[1] | undefined) => {
      if (key === undefined)
        throw new MovingFailure('The file has records before its first API key.', 'Export it again.')
      // A new key warns of its own default, which the settings in the file replace; what stays public warns when it is written.
      const [apiKey] = await withWarnings(() => keyFor(workspace, key))
      return clientForImport(workspace, connector(connection), apiKey)
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

/** Whether the file is a pipe or the like, which can be read only once. */
const isPipe = (file: string): boolean => {
  const found = statSync(file, { throwIfNoEntry: false })
  return found !== undefined && !found.isFile() && !found.isDirectory()
}

const streamOf = (file: string): Readable => (file === '-' ? io().stdin : createReadStream(file))

function showImported({ records, failed, errorsFile, cutOff }: FileImported, dryRun: boolean, json: boolean): Exit {
  if (json) printJson({ records, failed, ...(errorsFile && { errorsFile }), ...(cutOff && { cutOff }) })
  else {
    const mark = failed > 0 || cutOff !== undefined ? colouredNote('yellow', '!') : colouredNote('green', '✓')
    note(`${mark} ${counted(records)} records ${dryRun ? 'can be imported' : 'imported'}, ${counted(failed)} refused.`)
    if (errorsFile !== undefined) note(`  Refused lines, with reasons: ${plain(errorsFile)}`)
    if (cutOff !== undefined) note(`  ${cutOff}`)
  }
  return failed > 0 || cutOff !== undefined ? 'refused' : 'done'
}

/** Runs work that Ctrl-C aborts; calls under way finish first. `outcome` says what an interruption leaves behind. */
async function interruptible<Value>(work: (signal: AbortSignal) => Promise<Value>, outcome: string): Promise<Value> {
  const controller = new AbortController()
  const stop = () => controller.abort()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, stop)
  try {
    return await work(controller.signal)
  } catch (error) {
    throw isAbort(error) && controller.signal.aborted ? new Failure('interrupted', `Interrupted. ${outcome}`) : error
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, stop)
  }
}
