/**
 * `commonhold master-key reseal`: after a rotation of the master key, seals all secrets again with the new one, so that the
 * earlier keys are no longer needed (ADR 0076). It works on the databases themselves, with the settings of the server.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { databaseClock } from '#platform/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { openEmbedded } from '#platform/db/embedded.ts'
import { schemaIsCurrent } from '#platform/db/migrate.ts'
import { namesNothing } from '#platform/db/pg-errors.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { createSealer, type Sealer } from '#platform/secrets/seal.ts'
import { urlContext } from '../buckets/directory.ts'
import { holdBucket } from '../buckets/move/databases.ts'
import { connectTo } from '../buckets/move/servers.ts'
import { requireNoMove } from '../buckets/move/stored-move.ts'
import { sourceOf } from '../buckets/sources.ts'
import { GET_BUCKETS } from '../buckets/statements.ts'
import type { Config } from '../config.ts'
import { ConfigError } from '../setting-values.ts'
import { forgetEarlierKeys, loadMasterKey, requireMasterKey } from './check.ts'
import { nameOfColumn, SEALED_COLUMNS } from './columns.ts'
import { countEarlier, resealColumn } from './reseal.ts'
import { NOTICED_MS } from './watch.ts'

const USAGE = 'Use: master-key reseal [--dry-run] [--json].'
const HOME = 'the home database'
const PROGRESS_MS = 5_000

const OPTIONS = { 'dry-run': { type: 'boolean' }, json: { type: 'boolean' } } as const

/** The secrets of a column that were sealed with an earlier key. */
interface Found {
  database: string
  column: string
  earlier: number
  unreadable: number
}

interface Run {
  sealer: Sealer
  isDryRun: boolean
  /** Says what happens, for people. */
  tell(line: string): void
}

/** Runs the command: `args` are the words after `master-key`. */
export async function runMasterKey(config: Config, args: readonly string[]): Promise<void> {
  const { values, positionals } = read(args)
  if (positionals.length !== 1 || positionals[0] !== 'reseal') throw new ConfigError(USAGE)
  const isDryRun = values['dry-run'] ?? false
  const tell = (line: string) => void (values.json ? process.stderr : process.stdout).write(`${line}\n`)
  const home = await openHome(config)
  try {
    if (!(await hasCurrentSchema(home)))
      throw new ConfigError('The database does not have the schema of this version; run: commonhold migrate-db')
    const key = config.MASTER_KEY ?? loadMasterKey(config.DATA_DIR, true)
    const sealer = createSealer(key, config.MASTER_KEY_PREVIOUS)
    const found = await resealAll(home, config, { sealer, isDryRun, tell })
    if (values.json) process.stdout.write(`${JSON.stringify({ dryRun: isDryRun, columns: found }, null, 2)}\n`)
    if (!isDryRun) refuseUnreadable(found)
    tell(resultOf(found, isDryRun))
  } finally {
    await home.close()
  }
}

function read(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  } catch (error) {
    throw new ConfigError(`${(error as Error).message.split('\n', 1)[0]} ${USAGE}`)
  }
}

async function openHome({ DATABASE_URL, DATA_DIR }: Config): Promise<Db> {
  if (DATABASE_URL !== undefined) return openReachable(DATABASE_URL)
  if (!existsSync(path.join(DATA_DIR, 'store')))
    throw new ConfigError(
      `There is no data in ${path.resolve(DATA_DIR)}; set DATA_DIR or DATABASE_URL as for the server.`,
    )
  return openEmbedded(DATA_DIR, databaseClock)
}

/** Opens a database as servers do. Throws `BucketUnreachable`, which names it, if no primary can be connected to. */
async function openReachable(url: string): Promise<Db> {
  await (await connectTo(url)).end()
  return openPostgres(url, databaseClock, { connections: 1, statementTimeoutMs: 0 })
}

/** A database that no server has used has no schema at all. */
const hasCurrentSchema = (home: Db): Promise<boolean> =>
  schemaIsCurrent(home).catch((error: unknown) => {
    if (namesNothing(error)) return false
    throw error
  })

async function resealAll(home: Db, { DATABASE_URL }: Config, run: Run): Promise<Found[]> {
  await requireMasterKey(home, run.sealer)
  if (DATABASE_URL === undefined) return (await resealDatabase(home, HOME, run)).found
  const atHome = await connectTo(DATABASE_URL)
  try {
    const buckets = await home.run(GET_BUCKETS)
    for (const { name } of buckets) {
      await holdBucket(atHome, name)
      await requireNoMove({ home }, name)
    }
    const inEach = async <Result>(work: (db: Db, database: string) => Promise<Result>): Promise<Result[]> => {
      const results: Result[] = []
      for (const { name, sealedUrl } of buckets) {
        const source = sourceOf(run.sealer.open(sealedUrl, urlContext(name)))
        const bucket = await openReachable(await source.find())
        try {
          if (!run.isDryRun) await source.prepare()
          results.push(await work(bucket, `the bucket ${name}`))
        } finally {
          await bucket.close()
        }
      }
      return [await work(home, HOME), ...results]
    }
    const done = await inEach((db, database) => resealDatabase(db, database, run))
    const found = done.flatMap((one) => one.found)
    if (!done.some(({ hasForgotten }) => hasForgotten)) return found
    await sleep(NOTICED_MS)
    const late = (await inEach((db, database) => sealAgain(db, database, run))).flat()
    if (late.some(({ earlier }) => earlier > 0)) run.tell(LATE)
    return found.map((one, nth) => ({ ...one, ...sumOf(one, late[nth]) }))
  } finally {
    await atHome.end()
  }
}

const LATE =
  'A server went on sealing with an earlier key. It is not ready until it is restarted with the new MASTER_KEY; its log says so.'

const sumOf = (one: Found, other: Found | undefined) => ({
  earlier: one.earlier + (other?.earlier ?? 0),
  unreadable: other?.unreadable ?? one.unreadable,
})

/** `hasForgotten`: earlier keys have been forgotten, with which servers may still seal until they notice. */
async function resealDatabase(db: Db, database: string, run: Run): Promise<{ found: Found[]; hasForgotten: boolean }> {
  const forget = run.isDryRun ? undefined : await forgetEarlierKeys(db, database, run.sealer)
  const found = await sealAgain(db, database, run)
  const hasForgotten = found.every(({ unreadable }) => unreadable === 0) && (await forget?.()) === true
  return { found, hasForgotten }
}

/** Seals everything in a database again, or counts it. */
async function sealAgain(db: Db, database: string, run: Run): Promise<Found[]> {
  const found: Found[] = []
  for (const sealed of SEALED_COLUMNS) {
    const column = nameOfColumn(sealed)
    if (run.isDryRun) {
      found.push({ database, column, earlier: await countEarlier(db, run.sealer, sealed), unreadable: 0 })
      continue
    }
    let saidAt = performance.now()
    const { resealed, unreadable } = await resealColumn(db, run.sealer, sealed, (done) => {
      if (performance.now() - saidAt < PROGRESS_MS) return
      saidAt = performance.now()
      run.tell(`${column} of ${database}: ${done} so far`)
    })
    found.push({ database, column, earlier: resealed, unreadable })
  }
  const verb = run.isDryRun ? 'would be sealed again' : 'sealed again'
  for (const { column, earlier } of found) if (earlier > 0) run.tell(`${column} of ${database}: ${earlier} ${verb}`)
  return found
}

function refuseUnreadable(found: readonly Found[]): void {
  const all = found.filter(({ unreadable }) => unreadable > 0)
  if (all.length === 0) return
  const places = all.map(({ column, database, unreadable }) => `${unreadable} in ${column} of ${database}`)
  throw new ConfigError(
    `No given key opens these secrets: ${places.join(', ')}. Everything else is sealed with MASTER_KEY. Add the key that sealed them to MASTER_KEY_PREVIOUS, and run the command again.`,
  )
}

function resultOf(found: readonly Found[], isDryRun: boolean): string {
  const count = found.reduce((sum, { earlier }) => sum + earlier, 0)
  if (count === 0) return 'Every secret is sealed with MASTER_KEY.'
  const secrets = count === 1 ? '1 secret' : `${count} secrets`
  if (isDryRun) return `${secrets} would be sealed again with MASTER_KEY. Nothing was changed.`
  return `${secrets} ${count === 1 ? 'was' : 'were'} sealed again. Every secret is now sealed with MASTER_KEY. MASTER_KEY_PREVIOUS is only needed for links in mails that were sent before the rotation.`
}
