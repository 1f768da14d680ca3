/** Migrations of documents to other ids, by a durable job. */
import type { CreateFeature } from '#kernel'
import { startMigrations } from './operations.ts'
import { migrationRoutes } from './routes.ts'

export const migrations: CreateFeature = async (kernel) => {
  const operations = await startMigrations(kernel)
  return {
    routes: (routes) => migrationRoutes(routes, operations),
    stop: operations.stop,
  }
}
