/** The master key: the file in which an embedded installation keeps it, and the check that a key belongs to the database. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Db } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'
import type { Sealer } from '#platform/secrets/seal.ts'
import { readOrCreateSecret } from '#platform/secrets/secret-file.ts'
import { ConfigError } from '../setting-values.ts'

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

export const ADD_MASTER_KEY_CHECK = statement<never>(
  'installation.update',
  'update installation set master_key_check = master_key_check || $1::bytea where master_key_check = $2::bytea',
)

/** Returns whether the database already holds sealed secrets. If it does, a new key would make them unreadable. */
export const hasSealedSecrets = async (db: Db): Promise<boolean> => (await db.run(GET_MASTER_KEY_CHECK)).length > 0

/**
 * Checks that the keys open the secrets of this database: every key that ever sealed some. The first start with a key
 * stores a text that it seals, which later starts check, because secrets that a key has sealed stay so after a rotation.
 */
export async function checkMasterKey(db: Db, sealer: Sealer): Promise<void> {
  const own = sealer.seal(KNOWN_TEXT, SEAL_CONTEXT)
  await db.run(SET_MASTER_KEY_CHECK, [own])
  for (;;) {
    const checks = (await requireMasterKey(db, sealer)) ?? own
    if (partsOf(checks, own.length).some((part) => isOfCurrentKey(part, sealer))) return
    await db.run(ADD_MASTER_KEY_CHECK, [own, checks]) // without effect if another server has added a text meanwhile
  }
}

/** The same for a command that only reads; a database without secrets has no key yet. Returns the texts, one after the other. */
export async function requireMasterKey(db: Db, sealer: Sealer): Promise<Buffer | undefined> {
  const [check] = await db.run(GET_MASTER_KEY_CHECK)
  const { length } = sealer.seal(KNOWN_TEXT, SEAL_CONTEXT)
  if (check === undefined || partsOf(check.sealed, length).every((part) => isOpened(part, sealer))) return check?.sealed
  throw new ConfigError(
    'MASTER_KEY is not the key of this database; set MASTER_KEY to the one that sealed it, or add it to MASTER_KEY_PREVIOUS after a rotation.',
  )
}

/** Returns whether the current key is in use in the database, and whether one is that no given key is. */
export async function findMasterKeys(db: Db, sealer: Sealer): Promise<{ isInUse: boolean; isUnknown: boolean }> {
  const [check] = await db.run(GET_MASTER_KEY_CHECK)
  if (check === undefined) return { isInUse: true, isUnknown: false }
  const parts = partsOf(check.sealed, sealer.seal(KNOWN_TEXT, SEAL_CONTEXT).length)
  return {
    isInUse: parts.some((part) => isOfCurrentKey(part, sealer)),
    isUnknown: !parts.every((part) => isOpened(part, sealer)),
  }
}

function isOpened(part: Buffer, sealer: Sealer): boolean {
  try {
    return sealer.open(part, SEAL_CONTEXT) === KNOWN_TEXT
  } catch {
    return false // a text that cannot be opened is as wrong as another text
  }
}

/**
 * Prepares to forget the earlier keys of a database. The returned function does, once the current key has sealed all its
 * secrets, and returns whether there were any. Refuses before if no server has started with the current key, as they could not
 * open what it seals, and after if one has started with a key that had sealed nothing before. Another command may have
 * forgotten the earlier keys already.
 */
export async function forgetEarlierKeys(db: Db, database: string, sealer: Sealer): Promise<() => Promise<boolean>> {
  const own = sealer.seal(KNOWN_TEXT, SEAL_CONTEXT)
  const read = async (): Promise<Buffer[]> => {
    const { rows } = await db.query('select master_key_check as sealed from installation')
    return (rows as { sealed: Buffer }[]).flatMap(({ sealed }) => partsOf(sealed, own.length))
  }
  const before = await read()
  if (!before.some((part) => isOfCurrentKey(part, sealer)))
    throw new ConfigError(
      `No server has opened ${database} with this MASTER_KEY yet. First start every server with it, and with the earlier keys in MASTER_KEY_PREVIOUS.`,
    )
  return async () => {
    const text = 'update installation set master_key_check = $1 where master_key_check = $2 returning 1'
    const hadEarlier = !before.every((part) => isOfCurrentKey(part, sealer))
    if ((await db.query(text, [own, Buffer.concat(before)])).rows.length > 0) return hadEarlier
    if (!(await read()).every((part) => isOfCurrentKey(part, sealer)))
      throw new ConfigError(
        'A server with another master key has started meanwhile. Give every server the same MASTER_KEY, and run the command again.',
      )
    return hadEarlier
  }
}

const isOfCurrentKey = (part: Buffer, { mark }: Sealer): boolean => part.subarray(0, mark.length).equals(mark)

/** Returns the sealed texts of a column, all of the same length. */
const partsOf = (all: Buffer, length: number): Buffer[] =>
  Array.from({ length: Math.max(1, Math.ceil(all.length / length)) }, (_, nth) =>
    all.subarray(nth * length, (nth + 1) * length),
  )

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
