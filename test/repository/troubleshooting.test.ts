/** docs/troubleshooting.md quotes only messages and reasons that the code has. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { files, isTest, read } from './sources.ts'

const lines = files(
  '{contract,server,cli}/**/*.ts',
  'sdk/*.ts',
  'console/src/{session,sign-in}/*.ts',
  'db/migrations/*.sql',
)
  .filter((file) => !isTest(file))
  .flatMap((file) => read(file).split('\n'))

/** Returns whether a line has all parts of a message in their order; `…` stands for an expression, or the rest of a sentence. */
function isWritten(message: string): boolean {
  const [first = '', ...others] = message.split('…').filter((part) => part.trim() !== '')
  return lines
    .filter((line) => line.includes(first))
    .some((line) => {
      let end = line.indexOf(first) + first.length
      return others.every((part) => {
        const at = line.indexOf(part, end)
        end = at + part.length
        return at >= 0
      })
    })
}

/** Returns the messages of the tables, as the page quotes them. */
const quoted = [...read('docs/troubleshooting.md').matchAll(/^\| `([^`]+)` \|/gm)].map(([, message = '']) => message)

describe('docs/troubleshooting.md', () => {
  it('has a message in every row of its tables', () => {
    const rows = [...read('docs/troubleshooting.md').matchAll(/^\| (?!---|message \||reason \|)/gm)]
    assert.equal(quoted.length, rows.length)
    assert.ok(quoted.length > 60)
    assert.deepEqual(quoted, [...new Set(quoted)])
  })

  it('quotes messages that the code has', () => {
    assert.deepEqual(
      quoted.filter((message) => !isWritten(message)),
      [],
    )
  })
})
