/** Excludes processes from each other, for the files that commands write. */
import { DatabaseSync } from 'node:sqlite'

const SQLITE_BUSY = 5

/**
 * Returns a lock on a file that is there for this alone: an exclusive SQLite transaction, which `close` ends and which is released
 * when its holder dies. Undefined if another process still holds it after `waitMs`. Throws if the file cannot be written.
 */
export function exclusive(file: string, waitMs: number): DatabaseSync | undefined {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(file)
    lock.exec(`pragma busy_timeout = ${waitMs}; begin exclusive`)
    return lock
  } catch (error) {
    lock?.close()
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined
    throw error
  }
}
