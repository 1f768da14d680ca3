/**
 * Brings the schema of a bucket on Citus up to date. Citus's planner refuses much of what migrations do, so they run where the tables are
 * those of PostgreSQL: Citus copies them to the coordinator and, migrated, back to a node. Until then, the bucket is UNAVAILABLE.
 */
import type pg from 'pg'
import { databaseClock } from '#platform/clock.ts'
import { migrate, readMigrations } from '#platform/db/migrate.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { connectTo } from '../move/servers.ts'
import { separate } from '../prepare.ts'
import { type CitusAddress, withSearchPath } from './address.ts'
import { withdraw } from './arrive.ts'
import { distribute, gatherNames } from './distribute.ts'
import { unfence } from './fence.ts'
import { findNode, urlAt } from './nodes.ts'

/** Migrates the schema at the coordinator, where it is not distributed. */
export async function migrateAt(
  { coordinator, schemas: { tables } }: CitusAddress,
  migrations = readMigrations(),
): Promise<void> {
  const url = withSearchPath(coordinator, [tables])
  const db = await openPostgres(url, databaseClock, { connections: 1, statementTimeoutMs: 0 })
  await migrate(db, migrations, separate).finally(() => db.close())
}

/** Upgrades a distributed schema. If it is killed in between, the schema is not distributed, and `finishUpgrade` continues. */
export async function upgrade(coordinator: pg.ClientBase, address: CitusAddress): Promise<void> {
  const node = await findNode(coordinator, address)
  const at = await connectTo(urlAt(address, node))
  try {
    await withdraw(at, address.schemas)
    // Waits for changes that are under way, and keeps those out that have found their tables before.
    await at.query('begin')
    await at.query('select lock_shard_metadata(7, array[$1::bigint])', [node.anchor])
    await coordinator.query('set citus.enable_unsafe_triggers = on; set client_min_messages = warning')
    await coordinator.query('select citus_schema_undistribute($1)', [address.schemas.tables])
  } finally {
    await at.end()
  }
  await finishUpgrade(coordinator, address)
}

/** Migrates and distributes a schema that is not distributed. */
export async function finishUpgrade(coordinator: pg.ClientBase, address: CitusAddress): Promise<void> {
  await unfence(coordinator, address.schemas)
  await gatherNames(coordinator, address.schemas)
  await migrateAt(address)
  await distribute(coordinator, address)
}
