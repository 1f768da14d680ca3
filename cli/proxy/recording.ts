/** The recording of a proxy: one line of JSON for each call, with names of fields and no values, and without credentials. */
import { createWriteStream, statSync } from 'node:fs'
import { finished } from 'node:stream/promises'
import { linesOf } from '#moving/files/lines.ts'
import { type Finding, VERDICTS, type Verdict } from './findings.ts'

export interface RecordedCall {
  /** ISO 8601, by the clock of this machine. */
  at: string
  method: string
  /** The path without the query; parts that look like secrets are masked. */
  path: string
  operation?: string
  /** The status of the response; 502 if the service could not be reached, 0 if the program hung up. */
  status: number
  ms: number
  requestBytes: number
  responseBytes: number
  headerPrefix?: string
  fields: string[]
  verdict: Verdict
  findings: Finding[]
}

/** Masks the parts of a path that look like ids of accounts or secrets: long, with digits. */
export const maskedPath = (path: string): string =>
  path
    .split('/')
    .map((part) => (part.length >= 20 && /\d/.test(part) ? '…' : part))
    .join('/')

export interface RecordingFile {
  write(call: RecordedCall): void
  /** Resolves when everything is written; rejects if the file could not be written. */
  close(): Promise<void>
}

/**
 * Appends to a file that only its owner can read: the names of fields say what a program does. An earlier recording may end in
 * the middle of a line, so the new one begins with a line break.
 */
export function recordTo(file: string, onError: (error: Error) => void): RecordingFile {
  const stream = createWriteStream(file, { flags: 'a', mode: 0o600 })
  stream.on('error', onError)
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0) stream.write('\n')
  return {
    write(call) {
      if (stream.errored === null) stream.write(`${JSON.stringify(call)}\n`)
    },
    async close() {
      if (stream.errored === null) await finished(stream.end())
    },
  }
}

/** Yields the calls of a recording; null for a line that was not written to its end. Throws if the first line is not a call. */
export async function* callsIn(input: AsyncIterable<Uint8Array>): AsyncGenerator<RecordedCall | null> {
  let isFirst = true
  for await (const lines of linesOf(input))
    for (const line of lines) {
      if ('text' in line && line.text === '') continue
      const call = 'text' in line ? parsed(line.text) : undefined
      if (call === undefined && isFirst) throw new NotARecording('The first line of the file is not a recorded call.')
      isFirst = false
      yield call ?? null
    }
}

export class NotARecording extends Error {}

function parsed(text: string): RecordedCall | undefined {
  try {
    const call = JSON.parse(text)
    return VERDICTS.includes(call?.verdict) && Array.isArray(call.findings) ? call : undefined
  } catch {
    return undefined
  }
}
