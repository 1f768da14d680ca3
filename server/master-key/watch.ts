/**
 * Notices that `commonhold master-key reseal` has replaced the key with which this server seals (ADR 0076). From then on the
 * server seals nothing, because nobody will have that key: other servers do not know it, and the operator gives it up.
 */
import type { Db } from '#platform/db/db.ts'
import { poll } from '#platform/jobs/repeat.ts'
import type { Log } from '#platform/log.ts'
import type { Sealer } from '#platform/secrets/seal.ts'
import { StatusError } from '#platform/status-error.ts'
import { findMasterKeys } from './check.ts'

const CHECK_MS = 2_000

/** After this time every server that reaches the database has noticed, and what it had sealed before is stored or will never be. */
export const NOTICED_MS = 5 * CHECK_MS

const REPLACED =
  'The MASTER_KEY of this server is not in use any more: `commonhold master-key reseal` has replaced it. Restart this server with the new MASTER_KEY. Until then it is not ready and refuses calls that store secrets.'
const UNKNOWN =
  'A server seals secrets of this database with a MASTER_KEY that this server does not know, so it cannot read them. Give every server the same MASTER_KEY, and the other key in MASTER_KEY_PREVIOUS.'

export interface MasterKeyWatch {
  /** Refuses to seal once the key is replaced. */
  readonly sealer: Sealer
  /** Why the server must not serve; undefined: its key is in use. */
  readonly refusal: { message: string } | undefined
  stop(): Promise<void>
}

/** Watches the keys of a database. The embedded engine has one server, which does not run beside the command. */
export function watchMasterKey({ db, log }: { db: Db; log: Log }, sealer: Sealer): MasterKeyWatch {
  let said: string | undefined
  async function check(): Promise<void> {
    const { isInUse, isUnknown } = await findMasterKeys(db, sealer)
    const found = !isInUse ? REPLACED : isUnknown ? UNKNOWN : undefined
    if (found !== undefined && found !== said) log.error(found)
    said = found
  }
  const failure = 'the keys of the database could not be read; it is tried again'
  const polling =
    db.engine === 'postgres' ? poll(check, { everyMs: CHECK_MS, firstMs: CHECK_MS, log, failure }) : undefined
  return {
    sealer: {
      ...sealer,
      seal(secret, context) {
        if (said === REPLACED) throw masterKeyReplaced()
        return sealer.seal(secret, context)
      },
    },
    get refusal() {
      return said === REPLACED ? { message: REPLACED } : undefined
    },
    stop: async () => polling?.stop(),
  }
}

const masterKeyReplaced = () =>
  new StatusError(
    'UNAVAILABLE',
    'master_key_replaced',
    'This server has an earlier master key, with which it stores no more secrets. Nothing was changed; repeat the call.',
    { retryAfterSeconds: 1 },
  )
