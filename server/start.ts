/** The life of the process: read settings, open the database, build the app, listen; on a signal, stop in reverse order. */
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listeningUrl } from '#http/server.ts'
import { type Clock, databaseClock } from '#platform/clock.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { DataFolderFull, openEmbedded } from '#platform/db/embedded.ts'
import { migrate, migrationVersion, readMigrations } from '#platform/db/migrate.ts'
import { isStorageFull } from '#platform/db/pg-errors.ts'
import { openPostgres, type PostgresOptions } from '#platform/db/postgres.ts'
import { placeOf, readPostgresUrl } from '#platform/db/postgres-url.ts'
import { watchForStandby } from '#platform/db/primary/unconfirmed.ts'
import { templateFolder } from '#platform/db/template.ts'
import { createLog, type Log, standardDestination } from '#platform/log.ts'
import { rebaseAfterRestore } from '#tenancy/events/feed-restore.ts'
import { writeAddress } from './address-file.ts'
import { runBuckets } from './buckets/commands.ts'
import { type Config, readConfig } from './config.ts'
import { loadEnvFile } from './env-file.ts'
import { hasSealedSecrets, loadMasterKey } from './master-key/check.ts'
import { runMasterKey } from './master-key/command.ts'
import { createFirstVisitToken, firstVisitAdvice, withOperatorToken } from './operator-token.ts'
import { ConfigError } from './setting-values.ts'
import { CannotListen, commandExitCode, explainStartFailure } from './start-failures.ts'
import { announceStart, type Starting } from './starting.ts'
import { VERSION } from './version.ts'

const STOP_TIMEOUT_MS = 30_000

/** Returns the clock of the database. With `CLOCK`, the time stands still until the parent process sends `{ clock }`. */
function clockOf({ CLOCK }: Config): Clock {
  if (CLOCK === undefined) return databaseClock
  let now = CLOCK
  process.on('message', (message: { clock?: string }) => {
    if (message?.clock === undefined) return
    now = new Date(message.clock)
    process.send?.({ clock: message.clock })
  })
  return { now: () => now }
}

interface OpenedDatabase {
  db: Db
  masterKey: () => Promise<Buffer>
  /** The names of the migrations that were applied. */
  migrated: string[]
}

/** Opens the database and updates its schema. */
async function openDatabase(config: Config, log: Log, starting?: Starting): Promise<OpenedDatabase> {
  const repair = (session: Session) =>
    rebaseAfterRestore(session, (done, count) =>
      starting?.waitFor(`The database was restored to another cluster: ${done} of ${count} events are renumbered.`),
    )
  const { DATABASE_URL, MASTER_KEY } = config
  if (DATABASE_URL !== undefined && MASTER_KEY !== undefined) {
    const migrator = await openPostgres(
      DATABASE_URL,
      databaseClock,
      { connections: 2, statementTimeoutMs: 0 },
      (reason) =>
        starting?.waitFor(`Waiting up to 10 seconds for PostgreSQL to respond: ${reason.replace(/\.$/, '')}.`),
    )
    const say = starting?.waitFor ?? ((what: string) => process.stderr.write(`${what}\n`))
    const stopWatching = watchForStandby(migrator, say)
    // A schema change can take longer than any call.
    const migrated = await migrate(migrator, readMigrations(), repair).finally(() => {
      stopWatching()
      return migrator.close()
    })
    const options: PostgresOptions = {
      connections: config.DATABASE_CONNECTIONS,
      statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
      watch: true,
      onChange: (message, details) => log.warn(details, message),
      // Only a start makes the order of the events valid there; whoever supervises this process starts it again.
      onMoved: (message) => {
        process.stderr.write(`commonhold: ${message}\n`)
        process.exit(1)
      },
    }
    return { db: await openPostgres(DATABASE_URL, databaseClock, options), masterKey: async () => MASTER_KEY, migrated }
  }
  const db = await openEmbedded(config.DATA_DIR, clockOf(config), templateFolder())
  const migrated = await migrate(db, readMigrations(), repair).catch((error: unknown) => {
    throw isStorageFull(error) ? new DataFolderFull(config.DATA_DIR, error) : error
  })
  return {
    db,
    masterKey: async () => MASTER_KEY ?? loadMasterKey(config.DATA_DIR, await hasSealedSecrets(db)),
    migrated,
  }
}

/** Brings the database up to date and serves nothing. */
async function migrateOnly(config: Config, log: Log): Promise<void> {
  const { db, migrated } = await openDatabase(config, log)
  await db.close()
  for (const name of migrated) process.stdout.write(`applied ${name}\n`)
  process.stdout.write('The schema is up to date.\n')
}

/** `url` is where callers reach the server, which listens at `listening`. */
function banner(config: Config, url: string, listening: string, advice: string | undefined): string {
  const data =
    config.DATABASE_URL === undefined
      ? path.resolve(config.DATA_DIR)
      : `PostgreSQL at ${readPostgresUrl(config.DATABASE_URL).map(placeOf).join(', ')}`
  return `
  Commonhold ${VERSION}

  Console    ${url}/console
  API        ${url}/v2
  Docs       ${url}/docs
  Reference  ${url}/reference
  Data       ${data}${url === listening ? '' : `\n  Listens at ${listening}`}
${advice === undefined ? '' : `\n  ${advice.replaceAll('\n', '\n  ')}\n`}
  Stop with Ctrl-C.
\n`
}

async function start(): Promise<void> {
  // The output of this process may go to a full disk; that must not end the process.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {})
  const misspelt = loadEnvFile()
  const given = readConfig(process.env)
  const log = createLog(given.LOG_LEVEL, await standardDestination())
  for (const warning of misspelt) log.warn(warning)
  const [command] = process.argv.slice(2)
  if (command === 'migrate') return migrateOnly(given, log)
  if (command === 'buckets') return runBuckets(given, process.argv.slice(3))
  if (command === 'master-key') return runMasterKey(given, process.argv.slice(3))
  if (command !== undefined)
    throw new ConfigError(
      `There is no command ${command}: use "migrate" to update the schema, or no command to start the server.`,
    )
  const starting = await announceStart(given)
  // The database opens in another process or thread while the many modules of the server are loaded.
  const [{ db, masterKey, migrated }, { buildApp }] = await Promise.all([
    openDatabase(given, log, starting),
    import('./app.ts'),
  ])
  const from = migrationVersion - migrated.length
  if (from > 0 && migrated.length > 0)
    log.info({ from, to: migrationVersion, migrations: migrated }, 'the schema of the database was upgraded')
  const config = withOperatorToken(given)
  // The packages of OpenTelemetry are loaded only when traces are recorded.
  const tracing =
    config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
      ? undefined
      : (await import('./tracing.ts')).startTracing(config, VERSION, log)
  const firstVisitToken = createFirstVisitToken(config)
  const app = await buildApp({ config, masterKey: await masterKey(), db, log, tracing, firstVisitToken })
  await starting.close()
  await app.http.listen({ host: config.HOST, port: config.PORT }).catch((error: unknown) => {
    throw new CannotListen(config, error)
  })
  const listening = listeningUrl(app.http, config.HOST)
  const removeAddress = writeAddress(config, listening)
  // The cookie of a console behind https works at PUBLIC_URL only.
  const url = config.PUBLIC_URL ?? listening
  process.stderr.write(banner(config, url, listening, await firstVisitAdvice(config, db, url, firstVisitToken)))

  let stopping = false
  const stop = async (signal: string) => {
    if (stopping && signal === 'SIGHUP') return // a terminal that closes may send several
    if (stopping) process.exit(1) // a second signal stops immediately
    stopping = true
    log.info({ signal }, 'stopping')
    removeAddress()
    app.announceStop()
    await sleep(config.STOP_DELAY_SECONDS * 1000)
    setTimeout(() => {
      log.error('stopping took too long')
      process.exit(1)
    }, STOP_TIMEOUT_MS).unref()
    await app.stop()
    await db.close()
    await tracing?.stop()
    log.info('stopped')
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop(signal))
  // A parent process that opened a channel, such as `commonhold dev`, stops this one when it ends.
  process.on('disconnect', () => void stop('disconnect'))
}

await start().catch(async (error: unknown) => {
  process.stderr.write(`commonhold: ${await explainStartFailure(error)}\n`)
  process.exit(/^(?:buckets|master-key)$/.test(process.argv[2] ?? '') ? commandExitCode(error) : 1)
})
