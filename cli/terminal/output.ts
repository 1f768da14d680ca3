/** Prints the results of operations: as tables and records for people, unchanged with `--json`. */
import { isFound } from '#sdk/items.ts'
import type { Exit } from '../exit-codes.ts'
import { nextOfItem } from '../failures.ts'
import { type Column, recordLines, tableLines } from './table.ts'
import { coloured, colouredNote, note, plain, print } from './terminal.ts'

/** How a result is printed for people. */
export type Output = Table | SingleOutput

export interface Table {
  as: 'table'
  columns: readonly Column[]
  /** The field of the result with the rows, in a list or by their ids; absent: the result itself. */
  rowsIn?: string
  /** The result itself is one row. */
  isRow?: boolean
  /** Returns the notes of a page, which are printed before its rows, each once if several pages have it. */
  preface?: (result: never) => Remark | undefined
  /** Returns the lines of some rows of a page, where people read lines rather than columns. */
  lines?: (result: never, rows: never) => readonly string[]
}

/** A note about the rows: a sentence, with `--json` a line. */
export interface Remark {
  sentence: string
  json: object
}

/** All outputs except tables, which can have several pages. */
type SingleOutput =
  | { as: 'record' }
  /** An outcome for each item of the call, by its id. */
  | { as: 'items' }
  /** The success message, for operations without a result. */
  | { as: 'done' }
  | { as: 'lines'; lines: (result: never) => readonly string[] }

export const table = (columns: readonly Column[], rowsIn?: string, preface?: Table['preface']): Table => ({
  as: 'table',
  columns,
  ...(rowsIn === undefined ? {} : { rowsIn }),
  ...(preface === undefined ? {} : { preface }),
})
export const record: SingleOutput = { as: 'record' }
export const items: SingleOutput = { as: 'items' }
export const done: SingleOutput = { as: 'done' }
export const lines = <Result>(format: (result: Result) => readonly string[]): SingleOutput => ({
  as: 'lines',
  lines: format,
})

/** Prints a whole document, indented. */
export const printJson = (value: unknown): void => print(JSON.stringify(value ?? null, null, 2))
/** Prints one line of newline-delimited JSON. */
export const printJsonLine = (value: unknown): void => print(JSON.stringify(value))

export const UNCHANGED = 'Already there, unchanged.'
const CHANGED = 'Already there, changed.'

/** The result of an item. */
export const doneLine = (id: string, outcome: string): string =>
  `${coloured('green', '✓')} ${plain(id)}  ${outcome}`.trimEnd()

interface ItemOutcome {
  success: boolean
  id?: string
  message?: string
  code?: string
}

/** Whether a row is the outcome of an id that was not found. Attempts have a `success` of their own, and so can metadata. */
const isFailed = (row: unknown): row is ItemOutcome =>
  (row as Partial<ItemOutcome> | null)?.success === false && 'retryable' in (row as object) && !isFound(row as object)
const failureLine = (id: string, { code, message }: ItemOutcome): string =>
  `${colouredNote('red', '✗')} ${plain(id)}  ${plain(message ?? code ?? 'failed')}`

/** The ids of the items of a call that existed before it. */
export interface Existing {
  /** The items that were already as requested. */
  unchanged: ReadonlySet<string>
  /** The other items, which the call has changed unless it refused them. */
  changed?: ReadonlySet<string>
}

interface ShowOptions {
  json: boolean
  existing?: Existing
  /** The message about unchanged items. */
  unchangedSays?: string
}

/** Prints the result of a single call. `success` are the lines for an operation without a result. */
export function showResult(
  show: SingleOutput,
  result: unknown,
  success: readonly string[],
  { json, existing: { unchanged, changed } = { unchanged: new Set() }, unchangedSays = UNCHANGED }: ShowOptions,
): Exit {
  const outcomes = show.as === 'items' ? Object.entries((result ?? {}) as Record<string, ItemOutcome>) : []
  // An item that already exists as requested is not a failure, although some calls refuse it.
  const isDone = ([id, { success }]: [string, ItemOutcome]) => success === true || unchanged.has(id)
  const refused = outcomes.filter((outcome) => !isDone(outcome))
  const said = (id: string, { message = '' }: ItemOutcome) =>
    unchanged.has(id) ? unchangedSays : changed?.has(id) ? CHANGED : plain(message)
  if (json) printJson(result)
  else if (show.as === 'done') for (const line of success) print(`${coloured('green', '✓')} ${line}`)
  else if (show.as === 'record') for (const line of recordLines(result)) print(line)
  else if (show.as === 'lines') for (const line of show.lines(result as never)) print(line)
  else
    for (const [id, outcome] of outcomes)
      if (isDone([id, outcome])) print(doneLine(id, said(id, outcome)))
      else note(failureLine(id, outcome))
  if (!json) noteNext(refused.map(([id, { message }]) => nextOfItem(id, message)))
  return refused.length > 0 ? 'refused' : 'done'
}

/** Prints rows page by page as they arrive, because a list may not fit in memory. */
export async function showRows(
  { columns, rowsIn = '', isRow = false, preface, lines }: Table,
  pages: AsyncIterable<{ data: unknown; nextPageToken?: string }>,
  { limit, json }: { limit: number; json: boolean },
): Promise<Exit> {
  let [shown, refused, isCut] = [0, 0, false]
  const said = new Set<string>()
  const next = new Set<string | undefined>()
  for await (const { data, nextPageToken } of pages) {
    const remark = preface?.(data as never)
    if (remark !== undefined && !said.has(remark.sentence)) showRemark(remark, json)
    said.add(remark?.sentence ?? '')
    const all = isRow ? [data] : rowsOf(data, rowsIn)
    const rows = all.slice(0, limit - shown)
    isCut = rows.length < all.length || (nextPageToken !== undefined && shown + rows.length >= limit)
    const found = rows.filter((row) => !isFailed(row))
    for (const row of rows.filter(isFailed)) {
      refused++
      next.add(nextOfItem(String(row.id), row.message))
      if (!json) note(failureLine(String(row.id), row))
    }
    if (json) rows.forEach(printJsonLine)
    else if (lines !== undefined) for (const line of lines(data as never, found as never)) print(line)
    else if (found.length > 0) for (const line of tableLines(columns, found, shown === 0)) print(line)
    shown += rows.length
    if (shown >= limit) break
  }
  if (!json && shown === 0) note(colouredNote('dim', 'None.'))
  if (isCut) note(colouredNote('dim', `The first ${shown} are shown. To show more: --limit NUMBER, or --limit all.`))
  if (!json) noteNext(next)
  return refused > 0 ? 'refused' : 'done'
}

/** Says once what to do next about all items that were refused alike. */
function noteNext(advice: Iterable<string | undefined>): void {
  for (const next of new Set(advice)) if (next !== undefined) note(`${colouredNote('cyan', 'next')}   ${plain(next)}`)
}

export const showRemark = ({ sentence, json: line }: Remark, json: boolean): void =>
  json ? printJsonLine(line) : print(sentence)

function rowsOf(data: unknown, rowsIn: string): readonly unknown[] {
  const rows = rowsIn === '' ? data : (data as Record<string, unknown>)[rowsIn]
  return Array.isArray(rows) ? rows : Object.values(rows ?? {})
}
