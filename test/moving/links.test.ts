/** Links in the place of the files that an export or import keeps beside its file: they are not followed. */
import assert from 'node:assert/strict'
import { existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, it } from 'vitest'
import { MovingFailure } from '#moving/failure.ts'
import type { Client } from '#sdk/index.ts'
import { apiKeyClient } from '#testing/clients.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { sharedServer } from '#testing/server.ts'
import { stateFileOf } from '../../cli/moving/import/import-file.ts'
import { exportTo, faultsIn, importFrom, writeExport } from './files.ts'

const server = await sharedServer()
const folder = temporaryFolder()
let files = 0
let file: string
let precious: string
let key: Client
beforeEach(async () => {
  file = path.join(folder, `${files++}.ndjson`)
  precious = `${file}.precious`
  writeFileSync(precious, 'precious')
  key = apiKeyClient(server.url, await server.newKey())
})

/** Puts a link to the precious file where a command writes. */
const link = (suffix: string) => symlinkSync(precious, file + suffix)
const assertKept = () => assert.equal(readFileSync(precious, 'utf8'), 'precious')
const RECORDS = [{ record: 'organization', organizationId: 'acme' }, { record: 'nonsense' }]

describe('an import', () => {
  it('replaces links in the place of its state and its refused lines', async () => {
    writeExport(file, RECORDS)
    link('.import-state.new')
    link('.import-errors')
    const { failed, errorsFile = '' } = await importFrom(file, key)
    assert.equal(failed, 1)
    assert.deepEqual([faultsIn(errorsFile).length, lstatSync(errorsFile).isSymbolicLink()], [1, false])
    assertKept()
  })

  it('that is resumed refuses a link in the place of its refused lines', async () => {
    writeExport(file, RECORDS)
    const stopping = new AbortController()
    const onProgress = () => stopping.abort()
    await assert.rejects(
      importFrom(file, key, { portion: { records: 1, bytes: 1_000_000 }, onProgress, signal: stopping.signal }),
    )
    assert.ok(existsSync(stateFileOf(file)))
    link('.import-errors')
    await assert.rejects(importFrom(file, key, { resume: true }), (error) => {
      assert.ok(error instanceof MovingFailure, String(error))
      return /import-errors cannot be written \(ELOOP\)/.test(error.message)
    })
    assertKept()
  })

  it('reports a state that it did not write', async () => {
    writeExport(file, RECORDS)
    for (const state of ['', 'null', '[]', '{}', '"x"', '{"line":1,"file":{"bytes":1,"sha256":"x"},"target":[]}'])
      for (const resume of [false, true]) {
        writeFileSync(stateFileOf(file), state)
        await assert.rejects(importFrom(file, key, { resume }), (error) => {
          assert.ok(error instanceof MovingFailure, String(error))
          return /import-state is damaged/.test(error.message)
        })
      }
  })
})

describe('an export', () => {
  it('replaces a link in the place of its incomplete file', async () => {
    link('.part')
    await exportTo(file, key)
    assert.equal(lstatSync(file).isSymbolicLink(), false)
    assert.match(readFileSync(file, 'utf8'), /"record":"end"/)
    assertKept()
  })
})
