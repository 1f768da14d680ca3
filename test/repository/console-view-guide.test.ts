/** The guide to adding a console view can be followed: its blocks fit the console, and the result has no type errors. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { OPERATIONS } from '#contract/operations.ts'
import { FULL } from '#testing/run/mode.ts'
import { ROOT } from '../../scripts/root.ts'
import { blocksOf, filesOf, inCopy, TSC } from './guide-blocks.ts'
import { read } from './sources.ts'

const GUIDE = 'docs/guides/add-a-console-view.md'
const guide = read(GUIDE)

describe(GUIDE, () => {
  it('names files that exist', () => {
    const named = [...guide.matchAll(/`((?:console|test|scripts)\/[\w./-]+)`/g)].map(([, file = '']) => file)
    assert.ok(named.length > 8)
    assert.deepEqual(
      named.filter((file) => !existsSync(path.join(ROOT, file))),
      [],
    )
  })

  it('has blocks that fit the console', () => {
    assert.equal(blocksOf(guide).length, 5)
    assert.equal(filesOf(guide).size, 4)
  })

  it('shows the view, and its entry in the navigation, only to people who may read its data', () => {
    const [, ofView] = /readView\(\s*'([\w.-]+)'/.exec(guide) ?? []
    const [, ofEntry] = /needs: '([\w.-]+)'/.exec(guide) ?? []
    assert.ok(ofView !== undefined && OPERATIONS.some(({ name }) => name === ofView))
    assert.equal(ofEntry, ofView)
  })

  // Checking the types of the whole console takes seven seconds of CPU.
  it.runIf(FULL)('leads to a console without type errors', () =>
    inCopy(guide, (run) => run(TSC, '--noEmit', '--checkers', '1', '-p', 'console')),
  )
})
