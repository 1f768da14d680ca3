/**
 * Tests pass on slow machines: none asserts that something takes at most a number of milliseconds, not even of `patient()`.
 * And servers agree on the time, whatever their clocks say: it is that of the database (rules/data.md#one-clock).
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { files, read, SOURCES } from './sources.ts'

const NOW = String.raw`(?:Date|performance)\.now\(\)`
const CONSTANT = String.raw`(?:patient\(|[A-Z][A-Z_\d]*_(?:MS|SECONDS)(?:_MAX)?\b)`
/** An expression for a number of milliseconds. */
const BOUND = String.raw`(?:${CONSTANT}|[\d_]{3,}\b)`

/** Patterns of assertions that something was fast enough. Comparisons with another cost name no number. */
const BOUNDS = [
  `${NOW} - \\w+(?:\\.\\w+)?\\)?\\s*<`, // the time that has passed
  `(?:\\w(?:Ms|Seconds)|took|elapsed|delay|lag|duration|cpu)\\w*(?:\\(\\)|\\))*\\s*<=?\\s*${BOUND}`,
  `assert\\b.*<=?\\s*${CONSTANT}`,
  `Math\\.abs\\(.*${NOW}.*\\)\\s*<`,
].map((source) => new RegExp(source))

/** Waits that end after a number of milliseconds, or of tries with a pause. */
const DEADLINES = [
  /\b(?:deadline|end|until) = \w+\.now\(\) \+ [\d_]{4,}\b/,
  /\b[A-Z_]*(?:TIMEOUT|WAIT|RECOVERY|WITHIN|DEADLINE)[A-Z_]*_MS(?:_MAX)? = [\d_]{4,}$/,
  /AbortSignal\.timeout\([\d_]{4,}\)/,
  /\btimeout: (?!patient|.*TEST_TIMEOUT_MS)[^}]*\b[\d_]{4,}\b/,
  /\b(?:tries|attempts?|rounds?)\b [<>]=? \d{2,} &&/,
]

const linesOf = (bounds: readonly RegExp[]): string[] =>
  files('{contract,server}/**/*.test.ts', '{test,testing}/**/*.ts')
    .filter((file) => file !== 'test/repository/times.test.ts')
    .flatMap((file) =>
      read(file)
        .split('\n')
        .flatMap((line, nth) =>
          bounds.some((bound) => bound.test(line)) ? [`${file}:${nth + 1} ${line.trim()}`] : [],
        ),
    )

describe('a test', () => {
  it('compares a cost with another cost, not with a time', () => {
    assert.deepEqual(linesOf(BOUNDS), [])
  })

  it('ends a hanging wait after a time that fits the machine, patient(ms)', () => {
    assert.deepEqual(linesOf(DEADLINES), [])
  })
})

describe('the clock of a server', () => {
  it('decides nothing: only ids that sort by time and the comparison of two databases read it', () => {
    const own = /\bDate\.now\(\)|\bnew Date\(\)|\bTemporal\.Now\b/
    assert.deepEqual(
      SOURCES.filter((file) => own.test(read(file))),
      ['server/buckets/move/servers.ts', 'server/tenancy/push-ids.ts'],
    )
  })
})
