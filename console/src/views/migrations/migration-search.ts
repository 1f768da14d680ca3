/** The migration filters in the URL. */
import type { Migration } from '#sdk/generated/operations.ts'
import { idIn } from '../../links/search-params.ts'

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

export function migrationSearch(search: Record<string, unknown>): MigrationSearch {
  const { status } = search
  const known = {
    organizationId: idIn(search.organizationId),
    documentId: idIn(search.documentId),
    status: typeof status === 'string' && Object.hasOwn(STATUSES, status) ? status : undefined,
  }
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))
}
