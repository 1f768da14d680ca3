/** Brings the schema up to the code: the files of `db/migrations` in order, each once, under an advisory lock. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Db, Session } from './db.ts'
import { statement } from './statement.ts'

const MIGRATIONS = path.join(import.meta.dirname, '../../../db/migrations')

/** Any number: it only has to be the same for all processes of Commonhold and no other's. */
const LOCK_KEY = 7_031_904_552

export interface Migration {
  version: number
  name: string
  text: string
}

const LOCK = statement<never>('migrate.lock', 'select pg_advisory_xact_lock($1)')
/** Under the lock: two `create table if not exists` at once can both find nothing, and one then fails in the catalog. */
const RECORDS = statement<never>(
  'migrate.records',
  `create table if not exists schema_migrations (
     version int primary key, name text not null, applied_at timestamptz not null default clock_timestamp())`,
)
const VERSION = statement<{ version: number }>(
  'migrate.version',
  'select coalesce(max(version), 0)::int as version from schema_migrations',
)

export class SchemaTooNew extends Error {}

export function readMigrations(folder: string = MIGRATIONS): Migration[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({
      version: Number(file.slice(0, 4)),
      name: file.slice(5, -4),
      text: readFileSync(path.join(folder, file), 'utf8'),
    }))
}

/**
 * Runs what is missing, and then `last`, which finds the schema that it knows; answers the names of what it ran. Several
 * processes may start at once: one migrates, the others wait.
 */
export async function migrate(
  db: Db,
  migrations: Migration[] = readMigrations(),
  last: (session: Session) => Promise<void> = async () => {},
): Promise<string[]> {
  return db.transaction(async (session) => {
    await session.run(LOCK, [LOCK_KEY])
    await session.run(RECORDS)
    const [current] = await session.run(VERSION)
    const applied = current?.version ?? 0
    const known = migrations.at(-1)?.version ?? 0
    if (applied > known)
      throw new SchemaTooNew(
        `The database has schema version ${applied}, this Commonhold knows ${known}: run the version that migrated it, or a newer one.`,
      )
    const missing = migrations.filter(({ version }) => version > applied)
    for (const { version, name, text } of missing) {
      await session.run(statement('', text))
      await session.run(statement('', `insert into schema_migrations (version, name) values (${version}, '${name}')`))
    }
    await last(session)
    return missing.map(({ name }) => name)
  })
}

const KNOWN = readMigrations().at(-1)?.version ?? 0

/** Whether the schema is the one that this code knows. */
export async function schemaIsCurrent(db: Db): Promise<boolean> {
  const [current] = await db.run(VERSION)
  return current?.version === KNOWN
}
