/** What an operation answered, for people as tables and records, with `--json` as it came. */
import type { Exit } from './exit-codes.ts'
import { type Column, recordLines, tableLines } from './table.ts'
import { coloured, note, plain, print } from './terminal.ts'

/** How an answer is shown. */
export type Show = Table | Shown

export interface Table {
  as: 'table'
  columns: readonly Column[]
  /** Where in the answer the rows are; absent: they are the answer. */
  rowsIn?: string
}

/** What is shown at once. */
export type Shown =
  | { as: 'record' }
  /** One result for each item of the call, by its id. */
  | { as: 'items' }
  /** The sentence of the operation: it answers nothing else. */
  | { as: 'done' }
  | { as: 'lines'; lines: (answer: never) => readonly string[] }

export const table = (columns: readonly Column[], rowsIn?: string): Table => ({
  as: 'table',
  columns,
  ...(rowsIn === undefined ? {} : { rowsIn }),
})
export const record: Shown = { as: 'record' }
export const items: Shown = { as: 'items' }
export const done: Shown = { as: 'done' }
export const lines = <Answer>(make: (answer: Answer) => readonly string[]): Shown => ({ as: 'lines', lines: make })

/** One document. */
export const printJson = (value: unknown): void => print(JSON.stringify(value ?? null, null, 2))
/** One line of many. */
export const printJsonLine = (value: unknown): void => print(JSON.stringify(value))

interface ItemResult {
  success: boolean
  id?: string
  message?: string
  code?: string
}

const failed = (row: unknown): row is ItemResult => (row as Partial<ItemResult> | null)?.success === false
const failure = (id: string, { code, message }: ItemResult): string =>
  `${coloured('red', '✗', process.stderr)} ${plain(id)}  ${plain(message ?? code ?? 'failed')}`

/** Shows an answer that comes at once. */
export function showAnswer(show: Shown, answer: unknown, success: string, json: boolean): Exit {
  const results = show.as === 'items' ? Object.entries((answer ?? {}) as Record<string, ItemResult>) : []
  const refused = results.filter(([, result]) => !result.success)
  if (json) printJson(answer)
  else if (show.as === 'done') print(`${coloured('green', '✓')} ${success}`)
  else if (show.as === 'record') for (const line of recordLines(answer)) print(line)
  else if (show.as === 'lines') for (const line of show.lines(answer as never)) print(line)
  else
    for (const [id, result] of results)
      if (result.success) print(`${coloured('green', '✓')} ${plain(id)}  ${plain(result.message ?? '')}`.trimEnd())
      else note(failure(id, result))
  return refused.length > 0 ? 'refused' : 'done'
}

/** Shows rows page by page, as they come: a list may be longer than memory. */
export async function showRows(
  { columns, rowsIn = '' }: Table,
  pages: AsyncIterable<{ data: unknown; nextPageToken?: string }>,
  { limit, json }: { limit: number; json: boolean },
): Promise<Exit> {
  let [shown, refused, isCut] = [0, 0, false]
  for await (const { data, nextPageToken } of pages) {
    const all = rowsOf(data, rowsIn)
    const rows = all.slice(0, limit - shown)
    isCut = rows.length < all.length || (nextPageToken !== undefined && shown + rows.length >= limit)
    const answered = rows.filter((row) => !failed(row))
    for (const row of rows.filter(failed)) {
      refused++
      if (!json) note(failure(String(row.id), row))
    }
    if (json) rows.forEach(printJsonLine)
    else if (answered.length > 0) for (const line of tableLines(columns, answered, shown === 0)) print(line)
    shown += rows.length
    if (shown >= limit) break
  }
  if (!json && shown === 0) note(coloured('dim', 'None.', process.stderr))
  if (isCut)
    note(coloured('dim', `These are ${shown}, and there are more: --limit NUMBER, or --limit all.`, process.stderr))
  return refused > 0 ? 'refused' : 'done'
}

function rowsOf(data: unknown, rowsIn: string): readonly unknown[] {
  const rows = rowsIn === '' ? data : (data as Record<string, unknown>)[rowsIn]
  return Array.isArray(rows) ? rows : []
}
