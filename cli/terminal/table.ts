/** Tables and records for people. */
import stringWidth from 'fast-string-width'
import { shown } from '../times.ts'
import { coloured, plain } from './terminal.ts'

/** Formats a value for display. */
export type Format = (value: unknown) => string

export interface Column {
  heading: string
  /** The path of the value in the row, such as `decision.reason`; empty: the row itself. */
  at: string
  format: Format
}

const CELL_WIDTH_MAX = 60

export const written: Format = (value) => {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(written).join(', ')
  return plain(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

export const milliseconds: Format = (value) => (typeof value === 'number' ? shown(value) : written(value))
export const seconds: Format = (value) => (typeof value === 'number' ? shown(value * 1_000) : written(value))
/** `document:roadmap`, as commands take it. */
export const resource: Format = (value) => {
  const { type, id } = (value ?? {}) as { type?: string; id?: string }
  return type === undefined ? '' : plain(`${type}:${id}`)
}

export const column = (heading: string, at = heading.toLowerCase(), format: Format = written): Column => ({
  heading,
  at,
  format,
})

export function valueAt(value: unknown, at: string): unknown {
  if (at === '') return value
  let found = value
  for (const name of at.split('.'))
    found = typeof found === 'object' && found !== null ? (found as Record<string, unknown>)[name] : undefined
  return found
}

const cut = (text: string): string =>
  stringWidth(text) <= CELL_WIDTH_MAX ? text : `${[...text].slice(0, CELL_WIDTH_MAX - 1).join('')}…`
const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - stringWidth(text)))

/** Returns the lines of a table, with a line of headings unless it continues an earlier page. */
export function tableLines(columns: readonly Column[], rows: readonly unknown[], withHeadings = true): string[] {
  const cells = rows.map((row) => columns.map(({ at, format }) => cut(format(valueAt(row, at)))))
  const widths = columns.map(({ heading }, index) =>
    Math.max(stringWidth(heading), ...cells.map((line) => stringWidth(line[index] ?? ''))),
  )
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) => padded(text, widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  const headings = withHeadings ? [coloured('bold', line(columns.map(({ heading }) => heading)))] : []
  return [...headings, ...cells.map(line)]
}

/** Returns the lines of one object: a name and a value each; nested fields are named by their path. */
export function recordLines(record: unknown): string[] {
  const entries = [...leaves(record)]
  const width = Math.max(0, ...entries.map(([name]) => stringWidth(name)))
  return entries.map(([name, value]) => `${coloured('dim', padded(name, width))}  ${value}`.trimEnd())
}

const TIME_FIELDS = /(?:At|Time|changedAt|Since|lastUpdated)$/
/** A larger time is in milliseconds: in seconds it would be after the year 5138. */
const SECONDS_MAX = 1e11

function* leaves(value: unknown, path = ''): Generator<[string, string]> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [name, part] of Object.entries(value)) yield* leaves(part, path === '' ? name : `${path}.${name}`)
    return
  }
  const isTime = typeof value === 'number' && TIME_FIELDS.test(path)
  if (Array.isArray(value) && value.some((item) => typeof item === 'object' && item !== null)) {
    for (const [index, item] of value.entries()) yield* leaves(item, `${path}[${index}]`)
    return
  }
  yield [plain(path), isTime ? (value > SECONDS_MAX ? milliseconds : seconds)(value) : written(value)]
}
