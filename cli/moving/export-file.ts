/** Where an export goes: into a file, which has its name only when it is whole, or into a stream. */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'

export interface Target {
  /** Resolves when more may be written: the slower side sets the pace. */
  write: (text: string) => Promise<void>
  end: () => Promise<void>
}

export function toStream(stream: Writable): Target {
  stream.on('error', () => {}) // who writes is told
  return {
    async write(text) {
      if (stream.errored !== null) throw stream.errored
      if (!stream.write(text)) await once(stream, 'drain')
    },
    async end() {},
  }
}

export function toFile(file: string): Target {
  const part = `${file}.part`
  const stream = createWriteStream(part)
  return {
    write: toStream(stream).write,
    async end() {
      await finished(stream.end())
      await rename(part, file)
    },
  }
}
