/**
 * `commonhold buckets`: lists, creates and moves buckets (ADR 0066). The commands work on the databases themselves, with the settings of
 * the server, because buckets are of the installation and not of a workspace.
 */
import { parseArgs } from 'node:util'
import { databaseClock } from '#platform/clock.ts'
import { migrate } from '#platform/db/migrate.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { createSealer } from '#platform/secrets/seal.ts'
import type { Config } from '../config.ts'
import { checkMasterKey, requireMasterKey } from '../master-key/check.ts'
import { ConfigError } from '../setting-values.ts'
import { checkBuckets } from './check.ts'
import { citusUrl, readCitusUrl } from './citus/address.ts'
import { moveOnCitus } from './citus/move.ts'
import { createOnCitus } from './citus/prepare.ts'
import { urlContext } from './directory.ts'
import { runKeyMove } from './key-move/command.ts'
import { type Load, loadOf } from './load.ts'
import { holdBucket } from './move/databases.ts'
import { confirmMove, moveBucket, undoMove } from './move/move.ts'
import { connectTo, isSameDatabase, MoveRefused, placesOf } from './move/servers.ts'
import { findMove, type MoveDeps } from './move/stored-move.ts'
import { openEmpty } from './move/switch.ts'
import { placeOf, sourceOf } from './sources.ts'
import { ADD_BUCKET, COUNT_BUCKETS, GET_BUCKETS, SET_BUCKET } from './statements.ts'
import { prepareTarget, requireDataOf, requireUnused } from './target.ts'

const USAGE =
  'Use: buckets list, buckets check, buckets create NAME, buckets set NAME, buckets move NAME, or buckets move-key KEY --to NAME.'

const OPTIONS = {
  url: { type: 'string' },
  to: { type: 'string' },
  'to-home': { type: 'boolean' },
  region: { type: 'string' },
  'takes-keys': { type: 'string' },
  citus: { type: 'boolean' },
  undo: { type: 'boolean' },
  confirm: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>['values']

const say = (line: string) => void process.stdout.write(`${line}\n`)

/** Takes the URL of a database from an option, or from `BUCKET_URL`, which other users of the machine cannot read. */
const urlOf = (given: string | undefined): string | undefined => given ?? (process.env.BUCKET_URL || undefined)

function read(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  } catch (error) {
    throw new ConfigError((error as Error).message.split('\n', 1)[0])
  }
}

/** Runs one command: `args` are the words after `buckets`. */
export async function runBuckets(config: Config, args: readonly string[]) {
  const { DATABASE_URL, MASTER_KEY, MASTER_KEY_PREVIOUS, REQUEST_TIMEOUT_MS: requestTimeoutMs } = config
  const { values, positionals } = read(args)
  const [verb = 'list', name] = positionals
  if (DATABASE_URL === undefined || MASTER_KEY === undefined)
    throw new ConfigError('Buckets need PostgreSQL: set DATABASE_URL and MASTER_KEY as for the server.')
  const lock = await connectTo(DATABASE_URL)
  const home = await openPostgres(DATABASE_URL, databaseClock, { connections: 2, statementTimeoutMs: 60_000 })
  try {
    const sealer = createSealer(MASTER_KEY, MASTER_KEY_PREVIOUS)
    const deps: MoveDeps = { home, sealer, atHome: lock, say }
    if (verb === 'list' || verb === 'check') return await look(verb, deps, values)
    await migrate(home)
    await checkMasterKey(home, sealer)
    if (verb === 'move-key') return await runKeyMove({ ...deps, homeUrl: DATABASE_URL, requestTimeoutMs }, name, values)
    if (name === undefined || !/^[a-z][a-z0-9-]{0,39}$/.test(name))
      throw new ConfigError(`A bucket has a name of at most 40 lower-case letters, digits and hyphens. ${USAGE}`)
    await holdBucket(lock, name)
    if (verb === 'create') await create(deps, name, values)
    else if (verb === 'set') await set(deps, name, values)
    else if (verb !== 'move') throw new ConfigError(`There is no command buckets ${verb}. ${USAGE}`)
    else await move(deps, name, values)
  } finally {
    await home.close()
    await lock.end()
  }
}

async function move(deps: MoveDeps, name: string, { to, undo, confirm }: Values): Promise<void> {
  const onCitus = readCitusUrl((await findMove(deps, name)).url)
  if (onCitus !== undefined) {
    if (undo || confirm)
      throw new MoveRefused('A move on Citus is final when it has ended; to take it back, move the bucket back.')
    return moveOnCitus(onCitus, name, { to, say })
  }
  if (undo) await undoMove(deps, name)
  else if (confirm) await confirmMove(deps, name)
  else await moveBucket(deps, name, urlOf(to))
}

async function create(deps: MoveDeps, name: string, { url: given, region, citus }: Values): Promise<void> {
  const { home, sealer } = deps
  const named = urlOf(given)
  if (named === undefined) throw new ConfigError('Name the database of the bucket with --url, or in BUCKET_URL.')
  if ((await home.run(GET_BUCKETS)).some((bucket) => bucket.name === name))
    throw new MoveRefused(`There is a bucket ${name} already.`)
  const url = citus ? await createOnCitus(named, name) : await createInDatabase(deps, named)
  await home.run(ADD_BUCKET, [name, sealer.seal(url, urlContext(name)), region || null])
  const at = placesOf(await sourceOf(url).find())
  say(
    `The bucket ${name} is at ${at}. New API keys ${region ? `of the region ${region}` : 'without a region'} go to it.`,
  )
}

async function createInDatabase({ home, sealer, atHome }: MoveDeps, url: string): Promise<string> {
  const client = await connectTo(url)
  try {
    if (await isSameDatabase(atHome, client))
      throw new MoveRefused(`${placesOf(url)} is the home database, which needs no bucket; name an empty database.`)
    await openEmpty(client)
    await requireUnused({ home, sealer }, client, url)
  } finally {
    await client.end()
  }
  await prepareTarget(url)
  return url
}

async function set(deps: MoveDeps, name: string, values: Values): Promise<void> {
  const { home, sealer } = deps
  const { region, 'takes-keys': takesKeys } = values
  if (takesKeys !== undefined && takesKeys !== 'yes' && takesKeys !== 'no')
    throw new ConfigError('--takes-keys must be yes or no.')
  const given = urlOf(values.url)
  const url = given && readCitusUrl((await findMove(deps, name)).url) ? citusUrl(given, name) : given
  if (url !== undefined) await requireDataOf(deps, name, await sourceOf(url).find())
  const [changed] = await home.run(SET_BUCKET, [
    name,
    region ?? null,
    takesKeys === undefined ? null : takesKeys === 'yes',
    url === undefined ? null : sealer.seal(url, urlContext(name)),
  ])
  if (changed === undefined) throw new MoveRefused(`There is no bucket ${name}; see: commonhold buckets list`)
  say(
    `The bucket ${name}${url === undefined ? '' : ` is at ${placesOf(url)}, and`} ${changed.takesKeys ? 'takes' : 'takes no'} new API keys${changed.region === null ? ' without a region' : ` of the region ${changed.region}`}.`,
  )
}

const NO_BUCKETS =
  'There are no buckets: the home database has everything. Create one with: commonhold buckets create NAME'

/** Runs a command that changes nothing: servers of an earlier version may be using the database. */
async function look(verb: 'list' | 'check', deps: MoveDeps, { json }: Values): Promise<void> {
  const [has] = (await deps.home.query(`select to_regclass('buckets') is not null as buckets`)).rows
  if (!(has as { buckets: boolean }).buckets) {
    if (!json) say(NO_BUCKETS)
    else if (verb === 'check') say('[]')
    return
  }
  await requireMasterKey(deps.home, deps.sealer)
  return verb === 'list' ? list(deps, { json }) : check(deps, { json })
}

async function check(deps: MoveDeps, { json }: Values): Promise<void> {
  const found = await checkBuckets(deps)
  if (found.some(({ outcome }) => outcome === 'failed')) process.exitCode = 1
  if (json) return say(JSON.stringify(found, null, 2))
  if (found.length === 0) return say(NO_BUCKETS)
  for (const { check, outcome, says, next } of found)
    say(`${check}  ${outcome}: ${says}${next === undefined ? '' : `\n  ${next}`}`)
}

async function list({ home, sealer }: MoveDeps, { json }: Values): Promise<void> {
  const rows = await Promise.all(
    (await home.run(COUNT_BUCKETS)).map(async ({ sealedUrl, ...row }) => {
      const url = sealer.open(sealedUrl, urlContext(row.name))
      const at = (await placeOf(url)).at ?? url
      return { ...row, at: placesOf(at), ...(await loadOf(at)) }
    }),
  )
  if (json) return rows.map((row) => JSON.stringify(row)).forEach(say)
  if (rows.length === 0) return say(NO_BUCKETS)
  for (const { name, at, region, takesKeys, keys, ...load } of rows) {
    const parts = [
      keys === 1 ? '1 key' : `${keys} keys`,
      ...textOf(load, at),
      ...(region === null ? [] : [`region ${region}`]),
      ...(takesKeys ? [] : ['takes no new keys']),
    ]
    say(`${name}  ${at}  ${parts.join(', ')}`)
  }
}

const textOf = ({ unreachable, bytes, transactionsPerSecond, connections }: Load, at: string): string[] =>
  unreachable === undefined
    ? [
        `${((bytes ?? 0) / 1e6).toFixed(0)} MB`,
        `${transactionsPerSecond} transactions/s`,
        connections === 1 ? '1 connection' : `${connections} connections`,
      ]
    : [unreachable.replace(`${at} `, '').replace(/\.$/, '')]
