/** The master key that an embedded installation creates. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, it } from 'vitest'
import { cleanUp } from '#testing/clean-up.ts'
import { ConfigError } from '../setting-values.ts'
import { loadMasterKey } from './check.ts'

function folder(): string {
  const made = mkdtempSync(path.join(os.tmpdir(), 'commonhold-test-'))
  cleanUp(() => rmSync(made, { recursive: true, force: true }))
  return path.join(made, 'data')
}

describe('loadMasterKey', () => {
  it('creates a key of 32 bytes once, readable only by its owner, and returns it from then on', () => {
    const dataDir = folder()
    const key = loadMasterKey(dataDir, false)
    assert.equal(key.length, 32)
    assert.deepEqual(loadMasterKey(dataDir, false), key)
    assert.equal(statSync(path.join(dataDir, 'master.key')).mode & 0o777, 0o600)
    assert.deepEqual(readdirSync(dataDir), ['master.key'])
  })

  it('creates another key for another folder', () => {
    assert.notDeepEqual(loadMasterKey(folder(), false), loadMasterKey(folder(), false))
  })

  it('creates the key again if an earlier start died while writing it', () => {
    const dataDir = folder()
    loadMasterKey(dataDir, false)
    rmSync(path.join(dataDir, 'master.key'))
    writeFileSync(path.join(dataDir, 'master.key.partial'), 'half')
    assert.equal(loadMasterKey(dataDir, false).length, 32)
    assert.deepEqual(readdirSync(dataDir), ['master.key'])
  })

  it('does not replace a damaged key: the secrets that it sealed would be lost', () => {
    const dataDir = folder()
    loadMasterKey(dataDir, false)
    for (const text of ['', 'not a key', Buffer.alloc(31).toString('base64')]) {
      writeFileSync(path.join(dataDir, 'master.key'), text)
      assert.throws(() => loadMasterKey(dataDir, false), ConfigError)
      assert.equal(readFileSync(path.join(dataDir, 'master.key'), 'utf8'), text)
    }
  })
})
