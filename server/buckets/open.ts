/** Opens the database of a bucket, with the schema of this version. */
import { databaseClock } from '#platform/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { namesNothing } from '#platform/db/pg-errors.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import type { Log } from '#platform/log.ts'
import type { Config } from '../config.ts'
import { apiKeyMoved } from './directory.ts'
import { sourceOf } from './sources.ts'

/** Changes of the database of a bucket that are detected while it is open. */
export interface Changes {
  /** It turned out to be closed, because the bucket was moved. */
  closed(): void
  /** Another server serves it, and the order of events is valid only after it was opened again. */
  restarted(): void
}

/** Whether the tables are gone. A primary that could not be recorded for that reason is refused as if it were none. */
export const isClosed = (error: unknown): boolean => namesNothing(error) || namesNothing((error as Error).cause)

/** Opens the database of a bucket. A move closes the old one by renaming its schema, and another move may replace it. */
export async function openBucketDatabase(
  { name, url }: { name: string; url: string },
  { config, log }: { config: Config; log: Log },
  { closed, restarted }: Changes,
): Promise<Db> {
  return openPostgres(await sourceOf(url).prepare(), databaseClock, {
    connections: config.DATABASE_CONNECTIONS,
    statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
    bucket: name,
    explain(error) {
      if (!isClosed(error)) return error
      closed()
      return apiKeyMoved()
    },
    watch: true,
    onChange: (message, details) => log.warn({ ...details, bucket: name }, message),
    onMoved: (message) => {
      log.warn({ bucket: name }, message)
      restarted()
    },
  })
}
