/** Migrations of documents to other ids: durable jobs. */
import { getMigrationStatus, listMigrations, migrateDocument } from '#contract/resources/migrations.ts'
import type { Routes } from '#http/route.ts'
import type { CreateFeature } from '#kernel'
import { type Migrations, startMigrations } from './operations.ts'

export const migrations: CreateFeature = (kernel) => {
  const operations = startMigrations(kernel)
  return {
    routes: (routes) => migrationRoutes(routes, operations),
    workers: [operations.worker],
    stop: operations.worker.stop,
  }
}

function migrationRoutes(routes: Routes, migrations: Migrations): void {
  routes.withApiKey(migrateDocument, async (caller, data) => ({ data: await migrations.migrate(caller, data) }))
  routes.withApiKey(getMigrationStatus, async (caller, data) => ({ data: await migrations.get(caller, data) }))
  routes.withApiKey(listMigrations, (caller, data) => migrations.list(caller, data))
}
