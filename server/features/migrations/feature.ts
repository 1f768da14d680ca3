/** Migrations of documents to other ids: durable jobs. */
import type { CreateFeature } from '#kernel'
import { startMigrations } from './operations.ts'
import { migrationRoutes } from './routes.ts'

export const migrations: CreateFeature = (kernel) => {
  const operations = startMigrations(kernel)
  return {
    routes: (routes) => migrationRoutes(routes, operations),
    workers: [operations.worker],
    stop: operations.worker.stop,
  }
}
