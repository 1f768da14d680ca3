/** Where an export goes: into a file, which has its name only when it is whole, or into a stream. */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { MovingFailure } from './failure.ts'

export interface Target {
  /** Resolves when more may be written: the slower side sets the pace. */
  write: (text: string) => Promise<void>
  end: () => Promise<void>
  /** Nothing is left of what was written, where that can be. */
  abandon: () => Promise<void>
}

export function toStream(stream: Writable): Target {
  stream.on('error', () => {}) // who writes is told
  return {
    async write(text) {
      if (stream.errored !== null) throw stream.errored
      if (!stream.write(text)) await once(stream, 'drain')
    },
    async end() {},
    async abandon() {},
  }
}

/** What a file is called while it is written. */
export const partOf = (file: string): string => `${file}.part`

export function toFile(file: string): Target {
  const part = partOf(file)
  const stream = createWriteStream(part)
  const { write } = toStream(stream)
  const told = (error: NodeJS.ErrnoException) => {
    throw new MovingFailure(
      `The file ${file} cannot be written (${error.code}).`,
      'Is there such a folder, may you write there, and is there room?',
    )
  }
  return {
    write: (text) => write(text).catch(told),
    async end() {
      await finished(stream.end()).catch(told)
      await rename(part, file).catch(told)
    },
    async abandon() {
      stream.destroy()
      await rm(part, { force: true }).catch(() => {})
    },
  }
}
