/** Tests pass on slow machines: none asserts that something takes at most so many milliseconds. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { files, read } from './sources.ts'

/** A time, or what is left of one, below a number; or a wait that ends after a number of milliseconds. */
const ABSOLUTE = [
  /(?:\bnow\(\) - \w+|\w(?:Ms|Seconds)\b(?:\(\))?)\s*<=?\s*[\d_]{3,}\b/,
  /\b(?:deadline|end|until) = \w+\.now\(\) \+ [\d_]{4,}\b/,
  /\b[A-Z_]*(?:TIMEOUT|WAIT|RECOVERY|WITHIN|DEADLINE)[A-Z_]*_MS(?:_MAX)? = [\d_]{4,}$/,
  /AbortSignal\.timeout\([\d_]{4,}\)/,
]
/** Files whose numbers are settings of the server under test. */
const SETTINGS = ['test/lifecycle/outage.test.ts']

describe('a bound on time', () => {
  it('is one of the machine, patient(ms), or compares two costs', () => {
    const found = files('{contract,server}/**/*.test.ts', '{test,testing}/**/*.ts')
      .filter((file) => !SETTINGS.includes(file))
      .flatMap((file) =>
        read(file)
          .split('\n')
          .flatMap((line, nth) =>
            ABSOLUTE.some((bound) => bound.test(line)) ? [`${file}:${nth + 1} ${line.trim()}`] : [],
          ),
      )
    assert.deepEqual(found, [])
  })
})
