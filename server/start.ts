/** The life of the process: settings, database, app, listen; on a signal the same way back. Nothing else starts here. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { databaseClock } from '#platform/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { DataFolderInUse, openEmbedded } from '#platform/db/embedded.ts'
import { migrate, readMigrations, SchemaTooNew } from '#platform/db/migrate.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { templateFolder } from '#platform/db/template.ts'
import { createLog } from '#platform/log.ts'
import { rebaseAfterRestore } from '#tenancy/event-feed-restore.ts'
import { buildApp, listeningUrl } from './app.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { isSealed, masterKeyOf } from './master-key.ts'
import { VERSION } from './version.ts'

const STOP_TIMEOUT_MS = 30_000

async function open(config: Config): Promise<{ db: Db; masterKey: Buffer }> {
  if (config.DATABASE_URL !== undefined && config.MASTER_KEY !== undefined) {
    const migrator = await openPostgres(config.DATABASE_URL, databaseClock, { connections: 1, statementTimeoutMs: 0 })
    // A change of the schema may take longer than any call.
    await migrate(migrator, readMigrations(), rebaseAfterRestore).finally(() => migrator.close())
    const options = { connections: config.DATABASE_CONNECTIONS, statementTimeoutMs: config.STATEMENT_TIMEOUT_MS }
    return { db: await openPostgres(config.DATABASE_URL, databaseClock, options), masterKey: config.MASTER_KEY }
  }
  const db = await openEmbedded(config.DATA_DIR, databaseClock, templateFolder())
  await migrate(db, readMigrations(), rebaseAfterRestore)
  return { db, masterKey: config.MASTER_KEY ?? masterKeyOf(config.DATA_DIR, await isSealed(db)) }
}

function banner(config: Config, http: FastifyInstance): string {
  const url = listeningUrl(http, config.HOST)
  const data =
    config.DATABASE_URL === undefined
      ? path.resolve(config.DATA_DIR)
      : `PostgreSQL at ${new URL(config.DATABASE_URL).host}`
  return `
  Commonhold ${VERSION}

  API        ${url}/v2
  Reference  ${url}/reference
  Data       ${data}

  Stop with Ctrl-C.
\n`
}

async function start(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const config = readConfig(process.env)
  const log = createLog(config.LOG_LEVEL)
  const { db, masterKey } = await open(config)
  const app = await buildApp({ config, masterKey, db, log })
  await app.http.listen({ host: config.HOST, port: config.PORT })
  process.stderr.write(banner(config, app.http))

  let stopping = false
  const stop = async (signal: string) => {
    if (stopping) process.exit(1) // asked twice: now
    stopping = true
    log.info({ signal }, 'stopping')
    setTimeout(() => {
      log.error('stopping took too long')
      process.exit(1)
    }, STOP_TIMEOUT_MS).unref()
    await app.stop()
    await db.close()
    log.info('stopped')
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
}

/** What an operator can put right gets one sentence; everything else its stack. */
function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof DataFolderInUse || error instanceof SchemaTooNew)
    return error.message
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') return 'The port is in use by another process; stop it, or set PORT.'
  if (code === 'EACCES') return `No permission: ${error.message}.`
  if (typeof code === 'string' && /^(ECONN|ENOTFOUND|28|3D)/.test(code))
    return `The database of DATABASE_URL cannot be used: ${error.message}.`
  return error.stack ?? error.message
}

await start().catch((error: unknown) => {
  process.stderr.write(`commonhold: ${explain(error)}\n`)
  process.exit(1)
})
