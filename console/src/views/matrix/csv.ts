/** Exports the matrix as CSV. */
import { csvRows } from '#sdk/shared/csv-rows.ts'
import type { Cell } from './cells.ts'
import type { Matrix } from './load-matrix.ts'

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
  return csvRows([head, ...rows])
}
