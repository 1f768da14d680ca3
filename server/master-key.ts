/** The master key: the file in which an embedded installation keeps it, and the check that a key belongs to the database. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Db } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'
import type { Sealer } from '#platform/secrets/seal.ts'
import { readOrCreateSecret } from '#platform/secrets/secret-file.ts'
import { ConfigError } from './setting-values.ts'

const KNOWN_TEXT = 'commonhold'
const SEAL_CONTEXT = { column: 'installation.master_key_check', row: '' }

export const GET_MASTER_KEY_CHECK = statement<{ sealed: Buffer }>(
  'installation.get',
  'select master_key_check as sealed from installation',
)

export const SET_MASTER_KEY_CHECK = statement<never>(
  'installation.set',
  'insert into installation (master_key_check) values ($1::bytea) on conflict (singleton) do nothing',
)

/** Returns whether the database already holds sealed secrets. If it does, a new key would make them unreadable. */
export const hasSealedSecrets = async (db: Db): Promise<boolean> => (await db.run(GET_MASTER_KEY_CHECK)).length > 0

/** Checks that the key opens the secrets of this database. The first start stores the sealed text that later starts check. */
export async function checkMasterKey(db: Db, sealer: Sealer): Promise<void> {
  await db.run(SET_MASTER_KEY_CHECK, [sealer.seal(KNOWN_TEXT, SEAL_CONTEXT)])
  await requireMasterKey(db, sealer)
}

/** The same for a command that only reads; a database without secrets has no key yet. */
export async function requireMasterKey(db: Db, sealer: Sealer): Promise<void> {
  const [check] = await db.run(GET_MASTER_KEY_CHECK)
  try {
    if (check === undefined || sealer.open(check.sealed, SEAL_CONTEXT) === KNOWN_TEXT) return
  } catch {} // a text that cannot be opened is as wrong as another text
  throw new ConfigError(
    'MASTER_KEY is not the key of this database; set MASTER_KEY, or MASTER_KEY_PREVIOUS after a rotation, to the one that sealed it.',
  )
}

/**
 * Returns the key of an embedded installation, a file beside its data that only its owner can read. Creates it at the first
 * start; refuses when it is missing and the store already has secrets (`sealed`).
 */
export function loadMasterKey(dataDir: string, sealed: boolean): Buffer {
  const file = path.join(dataDir, 'master.key')
  if (sealed && !existsSync(file))
    throw new ConfigError(`${file} is missing, and the data cannot be opened without it; restore it from a backup.`)
  const key = Buffer.from(
    readOrCreateSecret(file, () => randomBytes(32).toString('base64')),
    'base64',
  )
  if (key.length !== 32)
    throw new ConfigError(`${file} does not hold a key of 32 bytes as base64; restore it from a backup.`)
  return key
}
