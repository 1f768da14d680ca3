/** Migrations of documents to other ids: durable jobs. */
import { getMigrationStatus, listMigrations, migrateDocument } from '#contract/resources/migrations.ts'
import type { CreateFeature } from '#kernel'
import { startMigrations } from './operations.ts'

export const migrations: CreateFeature = (kernel) => {
  const migrations = startMigrations(kernel)
  return {
    routes(routes) {
      routes.withApiKey(migrateDocument, async (caller, data) => ({ data: await migrations.migrate(caller, data) }))
      routes.withApiKey(getMigrationStatus, async (caller, data) => ({ data: await migrations.get(caller, data) }))
      routes.withApiKey(listMigrations, (caller, data) => migrations.list(caller, data))
    },
    workers: [migrations.worker],
    stop: migrations.worker.stop,
  }
}
