/** Which migrations are shown: part of the address. */
import type { Migration } from '#sdk/generated/operations.ts'

export interface MigrationSearch {
  organizationId?: string
  documentId?: string
  status?: Migration['status']
}

export const STATUSES: Readonly<Record<Migration['status'], string>> = {
  pending: 'waiting',
  in_progress: 'running',
  completed: 'completed',
  failed: 'failed',
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined

export function migrationSearch(search: Record<string, unknown>): MigrationSearch {
  const { status } = search
  const known = {
    organizationId: text(search.organizationId),
    documentId: text(search.documentId),
    status: typeof status === 'string' && Object.hasOwn(STATUSES, status) ? status : undefined,
  }
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))
}
