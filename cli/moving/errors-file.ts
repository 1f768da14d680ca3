/** The lines that an import refused, each with its number, why, and the record: so they can be mended and imported again. */
import { appendFile, rm, truncate } from 'node:fs/promises'
import { MovingFailure } from './failure.ts'
import type { LineFault } from './import.ts'

export type ErrorsFile = ReturnType<typeof errorsFile>

/** `kept`: so many bytes of an earlier run stand; undefined: none. */
export function errorsFile(path: string, kept?: number) {
  let pending: string[] = []
  let bytes = kept ?? 0
  return {
    path,
    /** How much is written. */
    get bytes() {
      return bytes
    },
    async open(): Promise<void> {
      if (kept === undefined) await rm(path, { force: true })
      else await truncate(path, kept).catch(unlessMissing)
    },
    add(faults: readonly LineFault[]): void {
      for (const { line, reason, message, record } of faults)
        pending.push(`${JSON.stringify({ line, reason, message, ...(record && { record }) })}\n`)
    },
    async flush(): Promise<void> {
      const text = pending.join('')
      pending = []
      if (text === '') return
      await appendFile(path, text).catch(notWritable(path))
      bytes += Buffer.byteLength(text)
    },
  }
}

export function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** What an import writes beside its file. */
export const notWritable = (path: string) => (error: NodeJS.ErrnoException) => {
  throw new MovingFailure(
    `${path} cannot be written (${error.code}): an import keeps there what it has to tell.`,
    'Move the file to a folder with room where you may write, and import it from there.',
  )
}
