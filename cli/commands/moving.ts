/** Moving data in and out: `export` and `import`, with how far they are on standard error. */
import { existsSync } from 'node:fs'
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
import { clientOfKey, keyFor } from '../moving/workspace.ts'
import { changingLine, isWatched } from '../progress.ts'
import { coloured, note, plain } from '../terminal.ts'

const WORKSPACE = 'Of the whole workspace: every API key, with a section of its own in the file.'

export function addMoving(program: Command): void {
  addCommand(program, 'export', {
    summary: 'Write the data of an API key, or of a workspace, as lines of JSON.',
    description:
      'What import reads back: settings of access, domains, users, organizations, folders, documents, grants, user groups. Never a secret. While others write it is no snapshot. Without a file it goes to standard output.',
    examples: ['commonhold export acme.ndjson', 'commonhold export --workspace | gzip > all.ndjson.gz'],
    async run({ words: [file], options, connection }) {
      const { write, end } = typeof file === 'string' ? toFile(file) : toStream(process.stdout)
      const progress = progressLine()
      const exported = await untilStopped(async (signal) => {
        const onProgress = ({ records, bytes }: Exported) => progress.at(`${counted(records)} records, ${size(bytes)}`)
        const how = { write, onProgress, signal }
        return options.workspace === true ? ofWorkspace(connection(), how) : exportKey(connection().forKey(), how)
      }, 'Nothing was kept.').finally(progress.end)
      await end()
      if (options.json === true && typeof file === 'string') printJson(exported)
      else
        note(`${coloured('green', '✓', process.stderr)} ${counted(exported.records)} records, ${size(exported.bytes)}.`)
    },
  })
    .argument('[file]', 'The file to write.')
    .option('--workspace', WORKSPACE)

  addCommand(program, 'import', {
    summary: 'Read an export back, or rows of CSV.',
    description:
      'What is there already becomes as the file has it; nothing is deleted. Lines that are refused go to FILE.import-errors, each with its number and why. An import that was interrupted goes on with --resume.',
    examples: [
      'commonhold import acme.ndjson --dry-run',
      'commonhold import acme.ndjson',
      'commonhold import people.csv --csv users',
    ],
    async run({ words, options, connection }) {
      const file = String(words[0])
      const csv = options.csv as CsvKind | undefined
      const dryRun = options.dryRun === true
      const target = connection()
      const progress = progressLine()
      const imported = await untilStopped(
        (signal) =>
          importFile({
            file,
            ...(options.workspace === true ? intoWorkspace(target) : intoKey(target, csv)),
            resume: options.resume === true,
            dryRun,
            onProgress: ({ records, failed, line }: Counts & { line: number }) =>
              progress.at(`line ${counted(line)}: ${counted(records)} records, ${counted(failed)} refused`),
            signal,
          }),
        'What was written stays.',
      )
        .catch((error: unknown) => {
          if (existsSync(stateFileOf(file)) && !(error instanceof Failure && error.exit === 'usage'))
            note(`To go on where it ended: ${again(file, csv, options.workspace === true)} --resume`)
          throw error
        })
        .finally(progress.end)
      return showImported(imported, dryRun, options.json === true)
    },
  })
    .argument('<file>', 'The file to read.')
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

/** A line that changes where somebody looks, and one now and then where nobody does. */
function progressLine() {
  const line = changingLine()
  const everyMs = isWatched() ? 100 : 10_000
  let last = isWatched() ? 0 : performance.now()
  return {
    at(text: string): void {
      if (performance.now() - last < everyMs) return
      last = performance.now()
      line.say(text)
      if (!isWatched()) note(text)
    },
    end: line.end,
  }
}

const counted = (count: number): string => count.toLocaleString('en')
const size = (bytes: number): string =>
  bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
