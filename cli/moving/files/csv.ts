/**
 * Reads CSV files: a header row with the names of fields, then one record per row. Columns named `metadata.<name>` hold
 * custom fields; those of users are part of the profile. An empty cell is an absent field. An apostrophe before a formula, with
 * which exports keep spreadsheets from running it, is not part of the text.
 */
import { pipeline, Readable } from 'node:stream'
import { type CsvError, parse } from 'csv-parse'
import { resembling } from '#contract/core/metadata.ts'
import { profileProperties } from '#contract/users/user-records.ts'
import { decodedPart } from '#contract/validation/text.ts'
import { MovingFailure } from '#moving/failure.ts'
import { type Checked, checkRecord } from '#moving/files/check-record.ts'
import type { Entries, Entry } from '#moving/files/entries.ts'
import { LINE_BYTES_MAX, withFirstLine } from '#moving/files/lines.ts'
import { type DataKind, fieldsOf, typeOf } from '#moving/files/records.ts'
import { unguarded } from '#sdk/shared/csv-rows.ts'

/** The kinds of records that a row can have, by their name on the command line. */
export const CSV_KINDS = {
  users: 'user',
  organizations: 'organization',
  folders: 'folder',
  documents: 'document',
  grants: 'grant',
  'user-groups': 'userGroup',
  'user-group-users': 'userGroupUser',
} as const satisfies Record<string, DataKind>
export type CsvKind = keyof typeof CSV_KINDS

/** The field that a column sets. */
interface Column {
  name: string
  place: 'field' | 'profile' | 'metadata'
  field: string
  type: string
}

const ROWS_AT_ONCE = 500

/**
 * Yields the records of a CSV file after the line `after`; returns why the file is incomplete, if it is. Throws if the header
 * row does not name the fields of the kind.
 */
export async function* csvEntries(input: AsyncIterable<Uint8Array>, kind: CsvKind, after = 0): Entries {
  const { firstLine, input: whole } = await withFirstLine(input)
  const lineBreaks = lineBreaksOf(firstLine)
  const source = withoutMark(whole)
  /** The line in which the row that was read last ends. */
  let lastLine = 1
  const rows = pipeline(
    Readable.from(source.bytes),
    parse({
      encoding: null, // cells are decoded here, because a replacement character would make one id of two
      info: true,
      record_delimiter: lineBreaks,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: LINE_BYTES_MAX,
      skip_records_with_error: true,
      on_record(record, { lines }) {
        lastLine = lines
        return record
      },
    }),
    () => {}, // the loop below throws the error
  )
  let columns: Column[] | undefined
  let entries: Entry[] = []
  let bytes = 0
  let isTooLong = false
  rows.on('skip', ({ code, message, lines }: CsvError & { lines: number }) => {
    if (isTooLong) return // the parser reports the same row with every chunk from here on, and reads none after it
    isTooLong = code === 'CSV_MAX_RECORD_SIZE'
    const fault = { reason: 'not_csv', message: WRONG[code]?.(Math.min(lastLine + 1, lines)) ?? message }
    if (lines > after) entries.push({ line: lines, bytes: 0, fault })
    lastLine = lines
  })
  /** The row that was read last: if the file ends in it, it is not imported. */
  let last: Entry | undefined
  for await (const { record: cells, info } of rows as AsyncIterable<Row>) {
    if (last !== undefined) entries.push(last)
    last = undefined
    if (columns === undefined) columns = columnsOf(cells, CSV_KINDS[kind])
    else if (info.lines > after) {
      const length = info.bytes - bytes
      last = { line: info.lines, bytes: length, ...entryOf(cells, columns, CSV_KINDS[kind]) }
    }
    bytes = info.bytes
    if (entries.length < ROWS_AT_ONCE) continue
    yield entries
    entries = []
  }
  if (columns === undefined) throw new MovingFailure('The file is empty.', 'Its first row must name the fields.')
  const isCut = !lineBreaks.includes(source.end()) && bytes === source.size()
  if (last !== undefined && !isCut) entries.push(last)
  if (entries.length > 0) yield entries.sort((one, other) => one.line - other.line)
  return last !== undefined && isCut ? truncated(last.line) : undefined
}

/**
 * Returns what ends a row. A file can have several kinds of line breaks, for example after rows were appended to it:
 * all of them count, because a line break that does not count would become part of a cell. A single CR is a line break
 * only if it ends the header row.
 */
const lineBreaksOf = (firstLine: string): string[] => ['\r\n', '\n', ...(/\r./s.test(firstLine) ? ['\r'] : [])]

const IN_QUOTES = 'Write a cell that has quotes in quotes, and each quote in it twice'

/** The fault of a row that begins at a line, by the code of the parser's error. */
const WRONG: Partial<Record<string, (line: number) => string>> = {
  INVALID_OPENING_QUOTE: () => `a cell has a quote, but does not begin with one. ${IN_QUOTES}`,
  CSV_INVALID_CLOSING_QUOTE: () => `a quoted cell does not end at its closing quote. ${IN_QUOTES}`,
  CSV_MAX_RECORD_SIZE: (line) =>
    `the row that begins in line ${line} has more than ${LINE_BYTES_MAX.toLocaleString('en')} bytes, so the rows from line ${line} on were not read. Remove it, or close its last quote, and import the file again`,
  CSV_QUOTE_NOT_CLOSED: (line) =>
    `a quote in line ${line} or after it opens a cell that never ends, so the rows from line ${line} on were not read. ${IN_QUOTES}`,
}

const truncated = (line: number): string =>
  `The file ends in row ${line} without a line break, so it may be truncated, and this row was not imported. If it is complete, add a line break at its end and import it again.`

interface Row {
  record: Uint8Array[]
  info: { lines: number; bytes: number }
}

const MARK = [0xef, 0xbb, 0xbf]

/** Returns the bytes after a byte order mark, and how they end once they have been read. */
function withoutMark(input: AsyncIterable<Uint8Array>) {
  let size = 0
  let last: number | undefined
  async function* bytes() {
    for await (const chunk of input) {
      const rest = size === 0 && MARK.every((byte, at) => chunk[at] === byte) ? chunk.subarray(MARK.length) : chunk
      size += rest.byteLength
      last = rest.at(-1) ?? last
      yield rest
    }
  }
  return { bytes: bytes(), size: () => size, end: () => String.fromCharCode(last ?? 0) }
}

function columnsOf(headings: readonly Uint8Array[], kind: DataKind): Column[] {
  const names = headings.map(nameOf)
  const profile = kind === 'user' ? Object.keys(profileProperties) : []
  const open = fieldsOf(kind).some((field) => field === 'metadata' || field === 'profile')
  const fields = fieldsOf(kind).filter((field) => field !== 'metadata' && field !== 'profile')
  const columns = names.map((name): Column => {
    if (fields.includes(name)) return { name, place: 'field', field: name, type: typeOf(kind, name) ?? 'string' }
    if (profile.includes(name)) return { name, place: 'profile', field: name, type: profileType(name) }
    const own = open ? /^metadata\.(.+)$/s.exec(name)?.[1] : undefined
    if (own !== undefined) return { name, place: kind === 'user' ? 'profile' : 'metadata', field: own, type: 'string' }
    if (/[;\t]/.test(name))
      throw new MovingFailure('The cells of the file are not separated by commas.', 'Save it with commas.')
    const suggestion = resembling(name, [...fields, ...profile])
    throw new MovingFailure(
      `The file has a column “${name}”, but ${kind} records have no such field.`,
      suggestion === undefined
        ? `They have ${[...fields, ...profile].join(', ')}${open ? ', and metadata.<name> for custom fields' : ''}.`
        : `Did you mean “${suggestion}”?`,
    )
  })
  const duplicate = columns.find(({ name }, index) => columns.some((other, at) => at < index && other.name === name))
  if (duplicate !== undefined)
    throw new MovingFailure(`The file has two columns “${duplicate.name}”.`, 'Remove one of them.')
  if (kind === 'grant' && !names.includes('accessRole'))
    throw new MovingFailure(
      'The file has no column “accessRole”.',
      'Add it, with viewer, commenter or editor in each row.',
    )
  return columns
}

function nameOf(heading: Uint8Array): string {
  const decoded = decodedPart(heading)
  if ('fault' in decoded)
    throw new MovingFailure(`A name in the header row is not UTF-8: ${decoded.fault}.`, 'Save the file as UTF-8.')
  return decoded.text.trim()
}

function profileType(name: string): string {
  const schema: { type?: string } | undefined = (profileProperties as Record<string, { type?: string }>)[name]
  return schema?.type ?? 'string'
}

function entryOf(cells: readonly Uint8Array[], columns: readonly Column[], kind: DataKind): Checked {
  if (cells.length !== columns.length)
    return invalid(`the row has ${cells.length} cells, but the header row has ${columns.length} columns`)
  const record: Record<string, unknown> = { record: kind }
  const own: Record<string, unknown> = {}
  for (const [index, column] of columns.entries()) {
    const decoded = decodedPart(cells[index] ?? new Uint8Array())
    if ('fault' in decoded)
      return { fault: { reason: 'not_utf8', message: `column ${column.name} is not UTF-8: ${decoded.fault}` } }
    const cell = unguarded(decoded.text)
    if (cell === '') continue
    const value = valueIn(cell, column.type)
    if (value === undefined)
      return invalid(`column ${column.name}: ${MUST_BE[column.type]}, not ${JSON.stringify(cell)}`)
    if (column.place === 'field') record[column.field] = value
    else {
      Object.defineProperty(own, column.field, { value, enumerable: true, configurable: true, writable: true }) // the name may be __proto__
      record[column.place] = own
    }
  }
  // The API gives the role editor if there is no role; an empty cell is more likely an unfinished row.
  if (kind === 'grant' && record.accessRole === undefined)
    return invalid('column accessRole must be viewer, commenter or editor')
  const checked = checkRecord(record)
  return 'fault' in checked ? invalid(`column ${checked.fault.message}`) : checked
}

const invalid = (message: string): Checked => ({ fault: { reason: 'invalid_record', message } })

const MUST_BE: Record<string, string> = { boolean: 'must be true or false', integer: 'must be a whole number' }

/** Returns undefined if the text is not of the type. */
function valueIn(cell: string, type: string): unknown {
  if (type === 'boolean') return ({ true: true, false: false } as Record<string, boolean>)[cell.toLowerCase()]
  if (type === 'integer') return /^\d{1,15}$/.test(cell) ? Number(cell) : undefined
  return cell
}
