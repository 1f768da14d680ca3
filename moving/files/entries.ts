/** Reads the records of an export with their line numbers. */
import { parseUnchanged } from '#contract/validation/numbers.ts'
import { MovingFailure } from '../failure.ts'
import { checkRecord } from './check-record.ts'
import { type Line, linesOf } from './lines.ts'
import { type ExportRecord, type Fault, FORMAT } from './records.ts'

/** The record of a line, or the fault of the line. */
export type Entry = { line: number; bytes: number } & ({ record: ExportRecord } | { fault: Fault })

/** Portions of entries; returns why the file is incomplete or not read to its end, if so. */
export type Entries = AsyncGenerator<Entry[], string | undefined, undefined>

/**
 * Yields the entries of an export `of` an API key or a workspace after the line `after`. Throws if the file is not such an
 * export. A line that is not a record is a fault, unless it is the last one and has no line break: then the file is
 * truncated. Nothing is read after the export: if two files were joined, the second may be of another tenant.
 */
export async function* exportEntries(input: AsyncIterable<Uint8Array>, of: 'apiKey' | 'workspace', after = 0): Entries {
  let last: ExportRecord | undefined
  let count = -1 // without the first line
  for await (const lines of linesOf(input)) {
    const entries: Entry[] = []
    for (const line of lines) {
      if (line.number === 1) checkHeader(line, of)
      if ('text' in line && line.text.trim() === '') continue // also the end of a line, CR LF
      count++
      const isDone = line.number <= after
      const hasEnded = last?.record === 'end'
      last = undefined
      if (isDone && !('text' in line && line.text.startsWith(LAST_LINE))) continue
      const entry = entryOf(line)
      const misplaced = 'record' in entry ? misplacedIn(entry.record, line.number, of) : undefined
      if (misplaced !== undefined || hasEnded) {
        const message = misplaced ?? 'the export has ended on the line before'
        yield [...entries, { line: line.number, bytes: line.bytes, fault: { reason: 'misplaced_record', message } }]
        return `Nothing is read from line ${line.number.toLocaleString('en')} on: ${message}.`
      }
      if (!line.isComplete && 'fault' in entry) {
        yield entries
        return `The file ends in the middle of line ${line.number}: it is truncated. ${AGAIN}`
      }
      last = 'record' in entry ? entry.record : undefined
      if (!isDone) entries.push(entry)
    }
    if (entries.length > 0) yield entries
  }
  if (last?.record !== 'end') return `The file ends without its last line, ${LAST_LINE}…}: it is truncated. ${AGAIN}`
  const records = count - 1
  return last.records === records
    ? undefined
    : `The last line counts ${last.records} records, but the file has ${records}: it was changed. ${AGAIN}`
}

const LAST_LINE = '{"record":"end"'
const AGAIN = 'Export again and import the new file; records imported until now remain.'

function entryOf({ number: line, bytes, ...read }: Line): Entry {
  if ('fault' in read) return { line, bytes, fault: read.fault }
  try {
    return { line, bytes, ...checkRecord(parseUnchanged(read.text)) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { line, bytes, fault: { reason: 'not_json', message: `the line is not JSON: ${error.message}` } }
  }
}

/** Returns why a record that frames others cannot be on a line: two files may have been joined. */
function misplacedIn({ record }: ExportRecord, line: number, of: 'apiKey' | 'workspace'): string | undefined {
  if (record === 'export' && line !== 1) return 'a second export begins here; import each in a file of its own'
  if (record === 'apiKey' && of === 'apiKey')
    return 'the records of another API key begin here, as in the export of a workspace, but this is that of one API key'
  return undefined
}

function checkHeader(line: Line, of: 'apiKey' | 'workspace'): void {
  const first = parsed(line)
  if (first?.record === 'export' && first.format === FORMAT) {
    if (first.of === of) return
    throw of === 'apiKey'
      ? new MovingFailure(
          'The file is an export of a workspace, not of an API key.',
          'Import it with --workspace.',
          'of_workspace',
        )
      : new MovingFailure('The file is an export of an API key, not of a workspace.', 'Import it without --workspace.')
  }
  if (first?.record === 'export')
    throw new MovingFailure(
      `The file has format ${JSON.stringify(first.format)}; this version reads format ${FORMAT}.`,
      'Import it with the version of commonhold that wrote it, or with a later one.',
    )
  if (first?.record === 'answers')
    throw new MovingFailure(
      'The file has answers of a hosted service, not an export.',
      'Convert it, and import the result: commonhold move convert FILE data.ndjson',
      'answers',
    )
  const shown =
    'fault' in line ? `cannot be read: ${line.fault.message}` : `is ${JSON.stringify(line.text.slice(0, 80))}`
  throw new MovingFailure(
    `The file is not an export: an export begins with {"record":"export","format":${FORMAT}}, but the first line of this file ${shown}.`,
    'Is it the right file? To import a CSV file, add --csv with the kind of its records.',
    'no_export',
  )
}

function parsed(line: Line): { record?: unknown; format?: unknown; of?: unknown } | undefined {
  try {
    return 'text' in line ? JSON.parse(line.text) : undefined
  } catch {
    return undefined
  }
}
