/** Test files that need the same build wait for the first one, however long it takes. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { isAbandoned, take } from '#testing/processes/build.ts'
import { temporaryFolder } from '#testing/processes/process.ts'

describe('the lock of a build', () => {
  it('is taken once, and counts as long as its process lives', () => {
    const lock = path.join(temporaryFolder(), 'lock')
    assert.equal(isAbandoned(lock), false)
    assert.ok(take(lock))
    utimesSync(lock, 0, 0) // as if the build had begun long ago
    assert.equal(take(lock), false)
    assert.equal(isAbandoned(lock), false)
  })

  it('counts no more when its process was killed', () => {
    const lock = path.join(temporaryFolder(), 'lock')
    writeFileSync(lock, String(spawnSync(process.execPath, ['--version']).pid))
    assert.equal(isAbandoned(lock), true)
  })
})
