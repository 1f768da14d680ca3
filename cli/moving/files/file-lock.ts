/**
 * Locks a file while a process imports or exports it. Two imports of one file at the same time would overwrite each other's
 * state, write each refused line twice, and could continue from the wrong line after an interruption. Two exports to one
 * file would write into the same incomplete file.
 */
import { rmSync } from 'node:fs'
import { MovingFailure } from '#moving/failure.ts'
import { exclusive } from '../../exclusive.ts'

/** The files to lock, and the messages to another process that wants to lock the same file. */
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
 * Returns a function that unlocks the file. Fails immediately while another process holds the lock. If none can be made beside
 * the file, `otherwise` decides.
 */
export function lockFile(
  what: keyof typeof LOCKS,
  file: string,
  otherwise: (path: string, error: NodeJS.ErrnoException) => () => void,
): () => void {
  const { pathOf, busy, advice } = LOCKS[what]
  const path = pathOf(file)
  let lock: ReturnType<typeof exclusive>
  try {
    lock = exclusive(path, 0)
  } catch (error) {
    return otherwise(path, error as NodeJS.ErrnoException)
  }
  if (lock === undefined) throw new MovingFailure(busy(file), advice)
  const held = lock
  return () => {
    if (!held.isOpen) return
    rmSync(path, { force: true })
    held.close()
  }
}
