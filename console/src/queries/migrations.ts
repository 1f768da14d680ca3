/** Migrations of documents in an organization. */
import { mutationOptions } from '@tanstack/react-query'
import type { ListMigrationsData, MigrateDocumentData } from '#sdk/generated/operations.ts'
import type { Key } from '../session/session.ts'
import { ofKey } from './keys.ts'
import { pagesQuery } from './pages.ts'

export const migrationsQuery = (key: Key, data: Omit<ListMigrationsData, 'pageToken'>) =>
  pagesQuery({
    queryKey: ofKey(key, 'migrations', data.organizationId, data),
    method: key.client.migrations.list,
    data,
    rowsOf: ({ migrations }) => migrations,
  })

/** With `dryRun` it says whether it would succeed, and starts nothing. */
export const migrateDocument = (key: Key) =>
  mutationOptions({
    mutationFn: (data: MigrateDocumentData) => key.client.migrations.migrate(data),
    meta: { invalidates: [ofKey(key, 'migrations')] },
  })
