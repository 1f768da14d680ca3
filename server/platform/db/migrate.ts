/**
 * Migrates the schema: runs the files of `db/migrations` in order, each once, under an advisory lock. Files are only added;
 * those in `db/migrations/checksums` never change (ADR 0028).
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Db, Session } from './db.ts'
import { isCode } from './pg-errors.ts'
import { statement } from './statement.ts'

const MIGRATIONS = path.join(import.meta.dirname, '../../../db/migrations')

/** An arbitrary number that all processes of Commonhold use, and no other program. */
const LOCK_KEY = 7_031_904_552

interface Applied {
  version: number
  name: string
}

export interface Migration extends Applied {
  text: string
}

const LOCK = statement<never>('migrate.lock', 'select pg_advisory_xact_lock($1)')
/** Runs under the lock: two concurrent `create table if not exists` can both find no table, and one then fails in the catalog. */
const RECORDS = statement<never>(
  'migrate.records',
  `create table if not exists schema_migrations (
     version int primary key, name text not null, applied_at timestamptz not null default clock_timestamp())`,
)
const APPLIED = statement<Applied>('migrate.applied', 'select version, name from schema_migrations order by version')
const VERSION = statement<{ version: number }>(
  'migrate.version',
  'select coalesce(max(version), 0)::int as version from schema_migrations',
)

/** The database was migrated by a newer version, or by an unreleased one with other migrations, or belongs to another program. */
export class SchemaMismatch extends Error {}

export function readMigrations(): Migration[] {
  return readdirSync(MIGRATIONS)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({
      version: Number(file.slice(0, 4)),
      name: file.slice(5, -4),
      text: readFileSync(path.join(MIGRATIONS, file), 'utf8'),
    }))
}

/**
 * Runs the missing migrations and then `last`, on the current schema. Returns the names of the migrations that it ran.
 * Several processes can start concurrently: one migrates, the others wait.
 */
export async function migrate(
  db: Db,
  migrations: Migration[] = readMigrations(),
  last: (session: Session) => Promise<void> = async () => {},
): Promise<string[]> {
  return db.transaction(async (session) => {
    await session.run(LOCK, [LOCK_KEY])
    await session.run(RECORDS)
    const applied = await session.run(APPLIED).catch(refuseForeign)
    refuseMismatch(applied, migrations)
    const missing = migrations.filter(({ version }) => version > newest(applied))
    for (const migration of missing) {
      const { version, name, text } = migration
      await session
        .run(statement('', text))
        .catch((error: unknown) => (applied.length === 0 ? refuseForeign(error) : refuseAdded(error, migration)))
      await session.run(statement('', `insert into schema_migrations (version, name) values (${version}, '${name}')`))
    }
    await last(session)
    return missing.map(({ name }) => name)
  })
}

const newest = (migrations: readonly Applied[]): number => migrations.at(-1)?.version ?? 0

/** A column that is missing from the table of another program, and tables, types and functions that are there already. */
const FOREIGN = ['42703', '42P07', '42710', '42723']

/** Refuses a database in which another program has objects of the same names. */
function refuseForeign(error: unknown): never {
  if (!isCode(error, ...FOREIGN)) throw error
  throw new SchemaMismatch(
    `Another program uses the database: ${(error as Error).message}. Nothing was changed. Give Commonhold a database of its own, or a schema of its own that the search_path of its user names.`,
  )
}

/** Something is there already, or something else depends on what a migration changes, such as a view on a table. */
const ADDED = ['42P07', '42701', '42710', '42723', '2BP01', '0A000']

/** Refuses a store to which somebody added what a migration cannot work with. */
function refuseAdded(error: unknown, { version, name }: Migration): never {
  if (!isCode(error, ...ADDED)) throw error
  throw new SchemaMismatch(
    `The schema cannot be upgraded: migration ${version} (${name}) failed: ${(error as Error).message}. Nothing was changed. Remove what Commonhold has not created from its schema, such as views of its tables, and start again; or restore a backup.`,
  )
}

/** Refuses a store with unknown migrations: it has another schema, which statements and later migrations do not fit. */
function refuseMismatch(applied: readonly Applied[], migrations: readonly Migration[]): void {
  const there = new Map(applied.map(({ version, name }) => [version, name]))
  const differing = migrations.find(({ version, name }) => (there.get(version) ?? name) !== name)
  if (differing !== undefined)
    throw new SchemaMismatch(
      `The database was created by an unreleased version: its migration ${differing.version} is ${there.get(differing.version)}; in this version it is ${differing.name}. Nothing was changed. Start that version, save the data with "commonhold export", start this version on an empty database or data folder, and load the data with "commonhold import".`,
    )
  if (newest(applied) > newest(migrations))
    throw new SchemaMismatch(
      `The database has schema version ${newest(applied)}, but this Commonhold only knows versions up to ${newest(migrations)}; run the version that migrated it, or a newer one.`,
    )
}

/** The version of the schema of this code. */
export const migrationVersion = newest(readMigrations())

/** Returns whether the schema has the version of this code. */
export async function schemaIsCurrent(db: Db): Promise<boolean> {
  const [current] = await db.run(VERSION)
  return current?.version === migrationVersion
}
