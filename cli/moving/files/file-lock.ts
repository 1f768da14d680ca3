/**
 * Locks a file while a process imports or exports it. Two imports of one file at the same time would overwrite each other's
 * state, write each refused line twice, and could continue from the wrong line after an interruption. Two exports to one
 * file would write into the same incomplete file.
 */
import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { MovingFailure } from '#moving/failure.ts'

const SQLITE_BUSY = 5

/** What is locked, and what to say to another process that wants the same. */
export const LOCKS = {
  import: {
    pathOf: (file: string): string => `${file}.import-lock`,
    busy: (file: string) => `The file ${file} is being imported by another process.`,
    advice: 'Wait until it ends. To import the file elsewhere at the same time, copy it.',
  },
  export: {
    pathOf: (file: string): string => `${file}.export-lock`,
    busy: (file: string) => `The file ${file} is being written by another export.`,
    advice: 'Wait until it ends, or name another file.',
  },
}

/**
 * Returns a function that unlocks the file. An exclusive SQLite transaction fails immediately while another process holds
 * it, and is released when its holder dies. If no lock can be made beside the file, `otherwise` decides.
 */
export function lockFile(
  what: keyof typeof LOCKS,
  file: string,
  otherwise: (path: string, error: NodeJS.ErrnoException) => () => void,
): () => void {
  const { pathOf, busy, advice } = LOCKS[what]
  const path = pathOf(file)
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(path)
    lock.exec('pragma busy_timeout = 0; begin exclusive')
  } catch (error) {
    lock?.close()
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) throw new MovingFailure(busy(file), advice)
    return otherwise(path, error as NodeJS.ErrnoException)
  }
  const held = lock
  return () => {
    if (!held.isOpen) return
    rmSync(path, { force: true })
    held.close()
  }
}
