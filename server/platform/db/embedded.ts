/**
 * The embedded engine: PostgreSQL in WebAssembly (PGlite) with its data in one folder, owned by one process.
 * Every acknowledged write survives a crash of the process. It runs without fsync, so a power failure can lose the last moments.
 */
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inspect } from 'node:util'
import type { Clock } from '../clock.ts'
import type { Db } from './db.ts'
import { Engine } from './engine.ts'
import { EngineSocket } from './engine-socket.ts'
import { bytesAvailable, RESERVED_BYTES } from './engine-storage.ts'
import { PgDb } from './pg-db.ts'
import { isStorageFull } from './pg-errors.ts'
import { PLANNER_SETTINGS } from './sessions/plans.ts'

/** 32 MB of shared buffers instead of 128 open an existing folder in 95 ms and 206 MB of memory instead of 370 ms and 307 MB. */
const ENGINE_SETTINGS = [
  'shared_buffers=32MB',
  'max_connections=5',
  'max_wal_size=128MB',
  ...Object.entries(PLANNER_SETTINGS).map(([name, value]) => `${name}=${value}`),
]

const MAINTENANCE_INTERVAL_MS = 60_000
const SQLITE_BUSY = 5
const SQLITE_FULL = 13

/** The file in the template of the published package that lists its empty folders, which npm packages omit. */
export const EMPTY_DIRECTORIES = 'empty-directories.json'

export class DataFolderInUse extends Error {
  readonly folder: string

  constructor(folder: string) {
    super(`${folder} is in use by another process; stop it, or set DATA_DIR to another folder.`)
    this.folder = folder
  }
}

/** The folder cannot be created or written, for example because it is read-only. */
export class DataFolderUnusable extends Error {
  constructor(folder: string, cause: unknown) {
    super(
      `The data folder ${path.resolve(folder)} cannot be used: ${(cause as Error).message}; set DATA_DIR to another.`,
    )
  }
}

/** The engine cannot open the store. What it says about that names no file. */
export class StoreUnusable extends Error {
  constructor(store: string, cause: unknown) {
    const [said] = (cause instanceof Error ? cause.message : inspect(cause)).split('\n')
    super(
      `The store ${path.resolve(store)} cannot be opened: ${said?.replace(/\.$/, '')}; its files may be damaged, missing, or closed to this user: restore a backup, or set DATA_DIR to another folder.`,
      { cause },
    )
  }
}

/** The disk of the folder is full. */
export class DataFolderFull extends Error {
  constructor(folder: string, cause: unknown) {
    const [free, needed] = [bytesAvailable(folder), RESERVED_BYTES].map((bytes) => Math.floor(bytes / 1024 / 1024))
    super(
      `The disk of the data folder ${path.resolve(folder)} is full: ${free} MB are available, and the embedded engine needs at least ${needed} MB; free some space, or set DATA_DIR to another.`,
      { cause },
    )
  }
}

/** Opens the store in `folder`, and creates it as a copy of `template` if there is none. */
export async function openEmbedded(folder: string, clock: Clock, template?: string): Promise<Db> {
  const lock = lockFolder(folder)
  const store = path.join(folder, 'store')
  try {
    if (template !== undefined && existsSync(template) && !existsSync(path.join(store, 'PG_VERSION'))) {
      const partial = `${store}.partial`
      rmSync(partial, { recursive: true, force: true })
      copyTemplate(template, partial)
      chmodSync(partial, OWNER_ALONE)
      renameSync(partial, store) // an interrupted copy never has the final name
    }
    if (!existsSync(store)) mkdirSync(store, { mode: OWNER_ALONE })
    const engine = await Engine.open({ dataDir: store, postgresqlconf: ENGINE_SETTINGS })
    const socket = () => new EngineSocket(engine) as never // the driver expects a net.Socket, and uses only what EngineSocket implements
    const close = async () => {
      clearInterval(timer)
      await engine.close()
      lock.close()
    }
    const db = new PgDb(
      'embedded',
      { stream: socket, max: 1, idleTimeoutMillis: 0, user: 'postgres', database: 'postgres' },
      clock,
      undefined,
      { onClose: close },
    )
    const timer = setInterval(() => void maintain(db).catch(() => {}), MAINTENANCE_INTERVAL_MS)
    timer.unref()
    return db
  } catch (error) {
    lock.close()
    throw isStorageFull(error) ? new DataFolderFull(folder, error) : new StoreUnusable(store, error)
  }
}

/** Other users of the machine must not read what is stored, as PostgreSQL demands of its own folder. */
const OWNER_ALONE = 0o700

function copyTemplate(template: string, store: string): void {
  cpSync(template, store, { recursive: true })
  const list = path.join(store, EMPTY_DIRECTORIES)
  if (!existsSync(list)) return
  for (const folder of JSON.parse(readFileSync(list, 'utf8')) as string[])
    mkdirSync(path.join(store, folder), { recursive: true })
  rmSync(list)
}

/** Returns whether there is a folder at a path. Throws if this user may not look. */
const isFolder = (found: string): boolean => statSync(found, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * Creates a folder and those above it. With `recursive`, Node never returns from a folder that says, as `/proc` does,
 * that what should be created in it does not exist.
 */
function createFolder(folder: string): void {
  if (isFolder(folder)) return
  createFolder(path.dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    if (!isFolder(folder)) throw error // else another process created it
  }
}

/**
 * Locks the folder. PGlite does not detect a second process on its folder, and corrupts it. An exclusive SQLite transaction
 * fails immediately while another process holds it, and is released when its holder dies.
 */
function lockFolder(folder: string): DatabaseSync {
  let lock: DatabaseSync | undefined
  try {
    createFolder(folder)
    // The engine's own error for a folder of another user says nothing.
    for (const used of [folder, path.join(folder, 'store')])
      if (existsSync(used)) accessSync(used, constants.R_OK | constants.W_OK | constants.X_OK)
    lock = new DatabaseSync(path.join(folder, 'lock.db'))
    lock.exec('pragma busy_timeout = 0; begin exclusive')
    return lock
  } catch (error) {
    lock?.close()
    const isBusy = (error as { errcode?: number }).errcode === SQLITE_BUSY
    if (isStorageFull(error) || (error as { errcode?: number }).errcode === SQLITE_FULL)
      throw new DataFolderFull(folder, error)
    throw isBusy ? new DataFolderInUse(folder) : new DataFolderUnusable(folder, error)
  }
}

/** Checkpoints and vacuums. The embedded engine has no background processes: without this the log grows and dead rows remain. */
async function maintain(db: Db): Promise<void> {
  await db.query('checkpoint')
  const { rows } = await db.query(
    `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
      where n_dead_tup > 1000 + n_live_tup / 5 or n_mod_since_analyze > 1000 + n_live_tup / 5`,
  )
  for (const { name } of rows as { name: string }[]) await db.query(`vacuum (analyze) ${name}`)
}
