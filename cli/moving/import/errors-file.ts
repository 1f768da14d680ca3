/** Writes the refused lines of an import, each with its number, the reason and the record, to be fixed and imported again. */
import { rm } from 'node:fs/promises'
import { MovingFailure } from '#moving/failure.ts'
import type { LineFault } from '#moving/import/import.ts'
import { appendOwn, truncateOwn } from '../files/own-file.ts'

/** `kept` is the number of bytes to keep from an interrupted run; without it, an existing file is deleted. */
export function errorsFile(path: string, kept?: number) {
  let pending: string[] = []
  let bytes = kept ?? 0
  return {
    path,
    /** The size of the file. */
    get bytes() {
      return bytes
    },
    async open(): Promise<void> {
      if (kept === undefined) await rm(path, { force: true })
      else await truncateOwn(path, kept).catch(unlessMissing).catch(notWritable(path))
    },
    add(faults: readonly LineFault[]): void {
      for (const { line, reason, message, record } of faults)
        pending.push(`${JSON.stringify({ line, reason, message, ...(record && { record }) })}\n`)
    },
    async flush(): Promise<void> {
      const text = pending.join('')
      pending = []
      if (text === '') return
      await appendOwn(path, text).catch(notWritable(path))
      bytes += Buffer.byteLength(text)
    },
  }
}

export function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** Handles a failure to write one of the files that an import keeps beside its input. */
export const notWritable = (path: string) => (error: NodeJS.ErrnoException) => {
  throw new MovingFailure(
    `${path} cannot be written (${error.code}): an import writes its state and refused lines beside its file.`,
    'Move the file to a writable folder with enough space, and import it from there.',
  )
}
