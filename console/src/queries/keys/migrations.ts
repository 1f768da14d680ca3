/** Queries and mutations of the document migrations of an organization. */
import { mutationOptions } from '@tanstack/react-query'
import type { ListMigrationsData, MigrateDocumentData } from '#sdk/generated/operations.ts'
import type { Key } from '../../session/session.ts'
import { pagesQuery } from '../pages/pages.ts'
import { queryKeyOf } from './keys.ts'

export const migrationsQuery = (key: Key, data: Omit<ListMigrationsData, 'pageToken'>) =>
  pagesQuery({
    queryKey: queryKeyOf(key, 'migrations', data.organizationId, data),
    method: key.client.migrations.list,
    data,
    rowsOf: ({ migrations }) => migrations,
  })

/** With `dryRun`, reports whether the migration would succeed, and starts nothing. */
export const migrateDocument = (key: Key) =>
  mutationOptions({
    mutationFn: (data: MigrateDocumentData) => key.client.migrations.migrate(data),
    meta: { invalidates: [queryKeyOf(key, 'migrations')] },
  })
