/** Creates buckets on Citus, and prepares them to be opened. */
import type pg from 'pg'
import { databaseClock } from '#platform/clock.ts'
import { migrationVersion } from '#platform/db/migrate.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { rebaseAfterRestore } from '#tenancy/events/feed-restore.ts'
import { connectTo, first, MoveRefused, placesOf } from '../move/servers.ts'
import { type CitusAddress, citusUrl, readCitusUrl, type Schemas } from './address.ts'
import { arrive, LOCK } from './arrive.ts'
import { distribute } from './distribute.ts'
import { finishUpgrade, migrateAt, upgrade } from './upgrade.ts'

const EXISTS = 'select from pg_namespace where nspname = $1'

/** Distributed schemas came with Citus 12. */
const HAS_CITUS = `select from pg_extension where extname = 'citus' and split_part(extversion, '.', 1)::int >= 12`

/** Creates the schema of a bucket and distributes it. Returns the URL to register. */
export async function createOnCitus(coordinatorUrl: string, bucket: string): Promise<string> {
  const url = citusUrl(coordinatorUrl, bucket)
  const address = readCitusUrl(url) as CitusAddress
  const { tables, names, numbers } = address.schemas
  const at = placesOf(coordinatorUrl)
  await withCoordinator(address, async (coordinator) => {
    if ((await first(coordinator, HAS_CITUS)) === undefined)
      throw new MoveRefused(`${at} has no Citus 12 or later; name the database of its coordinator.`)
    if ((await first(coordinator, EXISTS, [tables])) !== undefined)
      throw new MoveRefused(`${at} has a schema ${tables} already; drop it, or give the bucket another name.`)
    await coordinator.query(`create schema ${tables}; create schema ${names}; create schema ${numbers}`)
    await migrateAt(address)
    await distribute(coordinator, address)
  })
  await arrive(address)
  return url
}

const withCoordinator = async (address: CitusAddress, work: (coordinator: pg.Client) => Promise<void>) => {
  const coordinator = await connectTo(address.coordinator)
  await work(coordinator).finally(() => coordinator.end())
}

/** Brings a bucket up to date, makes the node that has it serve it, and returns the URL of that. */
export async function prepareOnCitus(address: CitusAddress): Promise<string> {
  await withCoordinator(address, (coordinator) => upgradeIfOlder(coordinator, address))
  const url = await arrive(address)
  const db = await openPostgres(url, databaseClock, { connections: 1, statementTimeoutMs: 0 })
  await db.transaction(rebaseAfterRestore).finally(() => db.close())
  return url
}

const IS_DISTRIBUTED = 'select from pg_dist_schema where schemaid = (select oid from pg_namespace where nspname = $1)'

async function upgradeIfOlder(coordinator: pg.ClientBase, address: CitusAddress): Promise<void> {
  const { tables } = address.schemas
  const isDistributed = async () => (await first(coordinator, IS_DISTRIBUTED, [tables])) !== undefined
  const isCurrent = async () =>
    (await isDistributed()) && (await versionOf(coordinator, address.schemas)) === migrationVersion
  if (await isCurrent()) return
  await coordinator.query(LOCK, [tables])
  if (await isCurrent()) return
  if ((await first(coordinator, EXISTS, [tables])) === undefined)
    throw new MoveRefused(
      `${placesOf(address.coordinator)} has no schema ${tables}: it is not the coordinator of the bucket.`,
    )
  const version = await versionOf(coordinator, address.schemas)
  if (version > migrationVersion)
    throw new MoveRefused(`The bucket has schema version ${version}, which this version of Commonhold does not know.`)
  if (await isDistributed()) await upgrade(coordinator, address)
  else await finishUpgrade(coordinator, address)
}

async function versionOf(coordinator: pg.ClientBase, { tables }: Schemas): Promise<number> {
  const found = await first<{ version: number }>(
    coordinator,
    `select max(version)::int as version from ${tables}.schema_migrations`,
  )
  return found?.version ?? 0
}
