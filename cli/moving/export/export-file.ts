/** Writes an export to a stream, or to a file that gets its final name only when it is complete. */
import { once } from 'node:events'
import { rename, rm } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { MovingFailure } from '#moving/failure.ts'
import { lockFile } from '../files/file-lock.ts'
import { ownStream } from '../files/own-file.ts'

export interface Target {
  /** Resolves when more can be written, so that a slow target slows the export down. */
  write: (text: string) => Promise<void>
  end: () => Promise<void>
  /** Deletes the incomplete output, if possible. */
  abandon: () => Promise<void>
}

export function toStream(stream: Writable): Target {
  stream.on('error', () => {}) // the next write throws it
  return {
    async write(text) {
      if (stream.errored !== null) throw stream.errored
      if (!stream.write(text)) await once(stream, 'drain')
    },
    async end() {},
    async abandon() {},
  }
}

/** Returns the name of a file while it is incomplete. */
export const partOf = (file: string): string => `${file}.part`

/** Writes to a file that no other export may write to meanwhile: both have the same incomplete file. */
export function toFile(file: string): Target {
  const fail = (error: NodeJS.ErrnoException) => {
    throw new MovingFailure(
      `The file ${file} cannot be written (${error.code}).`,
      'Does the folder exist, is it writable, and is there enough space?',
    )
  }
  // Where no lock can be written, the file cannot be either, and the export says why.
  const unlock = lockFile('export', file, () => () => {})
  const part = partOf(file)
  const stream = ownStream(part)
  const { write } = toStream(stream)
  return {
    write: (text) => write(text).catch(fail),
    async end() {
      await finished(stream.end()).catch(fail)
      await rename(part, file).catch(fail)
      unlock()
    },
    async abandon() {
      stream.destroy()
      await rm(part, { force: true }).catch(() => {})
      unlock()
    },
  }
}
