/** Operations of document migrations, each to its function. */
import { getMigrationStatus, listMigrations, migrateDocument } from '#contract/resources/migrations.ts'
import type { Routes } from '#http/route.ts'
import type { Migrations } from './operations.ts'

export function migrationRoutes(routes: Routes, migrations: Migrations): void {
  routes.withApiKey(migrateDocument, async (caller, data) => ({ data: await migrations.migrate(caller, data) }))
  routes.withApiKey(getMigrationStatus, async (caller, data) => ({ data: await migrations.get(caller, data) }))
  routes.withApiKey(listMigrations, (caller, data) => migrations.list(caller, data))
}
