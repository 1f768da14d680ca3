/** Routes for operators and their tools: health, readiness, version and metrics. */
import type { CreateFeature } from '#kernel'
import { schemaIsCurrent } from '#platform/db/migrate.ts'
import { registerMetrics } from './metrics.ts'
import { registerProbes } from './probes.ts'

export const system: CreateFeature = ({ config, db, masterKey, buckets, metrics, version }) => ({
  routes(_routes, { app, authentication, isStopping }) {
    registerProbes(app, {
      version,
      engine: db.engine,
      isStopping,
      schemaIsCurrent: () => schemaIsCurrent(db),
      masterKeyRefusal: () => masterKey.refusal,
      writesRefused: () => db.writesRefused,
      primaryRefusal: () => db.primary?.refusal,
    })
    registerMetrics(app, authentication, {
      token: config.METRICS_TOKEN,
      contentType: metrics.contentType,
      textOf: async (bucket) => (bucket === undefined ? metrics : await buckets.metricsOf(bucket))?.text(),
    })
  },
})
