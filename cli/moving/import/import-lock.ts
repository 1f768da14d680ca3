/**
 * Locks a file while it is imported. Two imports of one file at the same time would overwrite each other's state, write
 * each refused line twice, and could continue from the wrong line after an interruption.
 */
import { existsSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { MovingFailure } from '#moving/failure.ts'
import { notWritable } from './errors-file.ts'

export const lockFileOf = (file: string): string => `${file}.import-lock`

const SQLITE_BUSY = 5

/**
 * Returns a function that unlocks the file. An exclusive SQLite transaction fails immediately while another process holds
 * it, and is released when its holder dies.
 */
export function lockImport(file: string): () => void {
  if (!existsSync(file)) return () => {} // the import says what is wrong
  const path = lockFileOf(file)
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(path)
    lock.exec('pragma busy_timeout = 0; begin exclusive')
  } catch (error) {
    lock?.close()
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY)
      throw new MovingFailure(
        `The file ${file} is being imported by another process.`,
        'Wait until it ends. To import the file elsewhere at the same time, copy it.',
      )
    return notWritable(path)(error as NodeJS.ErrnoException)
  }
  const held = lock
  return () => {
    rmSync(path, { force: true })
    held.close()
  }
}
