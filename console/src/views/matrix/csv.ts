/** Exports the matrix as CSV according to RFC 4180, with formulas neutralized. */
import type { Cell } from './cells.ts'
import type { Matrix } from './matrix-query.ts'

/** Text that a spreadsheet would read as a formula gets an apostrophe in front. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

function field(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n;]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

const formatCell = ({ role, expiresAt }: Cell): string => {
  if (role === undefined) return 'none'
  return expiresAt === undefined
    ? role
    : `${role} until ${new Date(expiresAt * 1000).toISOString().replace('.000', '')}`
}

const columnTitle = (id: string, name: string | undefined): string =>
  name === undefined || name === id ? id : `${name} (${id})`

/** `order` contains the indexes of the users to export. */
export function csvOf({ users, documents, cells }: Matrix, order: readonly number[]): string {
  const head = [
    'User id',
    'User name',
    'Documents with access',
    ...documents.map(({ id, documentName }) => columnTitle(id, documentName)),
  ]
  const rows = order.map((user) => [
    users[user]?.userId ?? '',
    users[user]?.name ?? '',
    String(cells.accessCount(user)),
    ...documents.map((_, document) => formatCell(cells.at(user, document))),
  ])
  return [head, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('')
}

/** The byte order mark tells spreadsheets that the file is UTF-8. */
export function download(name: string, csv: string): void {
  const url = URL.createObjectURL(new Blob(['\uFEFF', csv], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
