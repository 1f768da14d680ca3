/** Lets one command at a time change the profiles, so that none writes over what another has just saved. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Failure } from '../failures.ts'

const SQLITE_BUSY = 5
const WAIT_MS_MAX = 10_000

/**
 * Changes a file while no other command does. The lock is an exclusive SQLite transaction on an empty file beside it, which is
 * released when its holder dies. It stays there: a command that waits for it would hold a deleted file, and others another one.
 */
export function whileLocked<Value>(file: string, change: () => Value): Value {
  let lock: DatabaseSync | undefined
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    lock = new DatabaseSync(`${file}.lock`)
    lock.exec(`pragma busy_timeout = ${WAIT_MS_MAX}; begin exclusive`)
  } catch (error) {
    // Where no lock can be written, the file cannot be either, and the change says why.
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) {
      lock?.close()
      throw new Failure('later', `Another command is changing ${file}.`, 'Wait until it ends, then retry.')
    }
  }
  try {
    return change()
  } finally {
    lock?.close()
  }
}
