/** The log of a process whose reader is slow: lines are dropped and counted, and the process hardly waits. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, it } from 'vitest'
import { linesTo } from './log.ts'

const LINE = `${JSON.stringify({ msg: 'x'.repeat(500) })}\n`
const PIPE_BYTES = 64 * 1024

function pipe(): { fd: number; close: () => void } {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'commonhold-log-'))
  const file = path.join(folder, 'pipe')
  execFileSync('mkfifo', [file])
  const fd = openSync(file, constants.O_RDWR | constants.O_NONBLOCK)
  const close = () => {
    closeSync(fd)
    rmSync(folder, { recursive: true })
  }
  return { fd, close }
}

describe('a reader of the log that reads slowly', () => {
  it('holds the process once, not again each time that it has read something', () => {
    const { fd, close } = pipe()
    const log = linesTo(fd)
    let text = ''
    const read = (bytes: number) => {
      const buffer = Buffer.alloc(bytes)
      text += buffer.toString('utf8', 0, readSync(fd, buffer))
    }
    let written = 0
    const writeMany = (): number => {
      const began = performance.now()
      for (let line = 0; line < (2 * PIPE_BYTES) / LINE.length; line++, written++) log.write(LINE)
      return performance.now() - began
    }
    const first = writeMany()
    let later = 0
    for (let reads = 0; reads < 10; reads++) {
      read(8 * 1024)
      later += writeMany()
    }
    assert.ok(later < first, `it waited ${later} ms for ten reads, and ${first} ms for the first`)

    read(PIPE_BYTES)
    log.write(LINE)
    read(PIPE_BYTES)
    const lines = text.trimEnd().split('\n')
    const counts = lines.map((line) => (JSON.parse(line) as { dropped?: number }).dropped)
    const dropped = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)
    assert.equal(counts.filter((count) => count === undefined).length + dropped, written + 1)
    close()
  })
})
