/** The guide to adding a field can be followed: its blocks fit the repository, and the field works in a copy that has them. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { FULL } from '#testing/run/mode.ts'
import { filesOf, inCopy, TSC } from './guide-blocks.ts'
import { read } from './sources.ts'

const GUIDE = 'docs/guides/add-a-field.md'
const guide = read(GUIDE)

describe(GUIDE, () => {
  const written = [...filesOf(guide).keys()]

  it('has a block for each file that it counts, except the changelog', () => {
    const [, count = ''] = /^(\w+) files are written by hand/m.exec(guide) ?? []
    assert.equal(count.toLowerCase(), ['six', 'seven', 'eight', 'nine', 'ten'][written.length - 5])
    assert.deepEqual(
      [...guide.matchAll(/^## \d\..*: `([^`]+)`$/gm)].map(([, file]) => file),
      [...written, 'CHANGELOG.md'],
    )
  })

  // Generating files, checking types and running the tests of folders takes a minute of CPU.
  it.runIf(FULL)('leads to a repository in which the field has every property of a field of folders', () =>
    inCopy(guide, (run) => {
      run('scripts/golden.ts', '--write')
      run(TSC, '--noEmit', '--checkers', '1', '-p', 'console')
      run(TSC, '--noEmit', '--checkers', '1', '-p', '.')
      run('node_modules/vitest/vitest.mjs', 'run', '--project', 'postgres', 'folders', 'folder-fields')
    }),
  )
})
