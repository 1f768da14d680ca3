/** When the engine's thread dies, callers get an error immediately, and acknowledged writes are kept. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Worker } from 'node:worker_threads'
import { describe, it } from 'vitest'
import { cleanUp } from '#testing/clean-up.ts'
import { databaseClock } from '../clock.ts'
import { DataFolderInUse, openEmbedded } from './embedded.ts'
import { toStatusError } from './pg-errors.ts'
import { templateFolder } from './template.ts'

function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'commonhold-test-'))
  cleanUp(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Opens a store, and returns it with the thread of its engine. */
async function open(folder = temporaryFolder()) {
  const begun = once(process, 'worker')
  const db = await openEmbedded(folder, databaseClock, templateFolder())
  const [thread] = (await begun) as [Worker]
  return { db, thread, folder }
}

describe('the engine', () => {
  it('that dies fails statements under way as UNAVAILABLE, and restarts with every acknowledged write', async () => {
    const { db, thread } = await open()
    await db.script('create table notes (id int primary key)')
    await db.query('insert into notes values (1)')
    const underWay = [
      db.query('select count(*) from generate_series(1, 100000000)'),
      db.query('insert into notes values (2)'),
      db.transaction((session) => session.query('insert into notes values (3)')),
    ]
    const settled = Promise.allSettled(underWay)
    await thread.terminate()
    const [first, ...others] = await settled
    assert.equal(first?.status === 'rejected' && toStatusError(first.reason)?.status, 'UNAVAILABLE')
    for (const other of others)
      if (other.status === 'rejected') assert.equal(toStatusError(other.reason)?.status, 'UNAVAILABLE')
    const { rows } = await db.query('select id from notes where id = 1')
    assert.deepEqual(rows, [{ id: 1 }])
    await db.close()
  })

  it('that died can be closed, and stays closed', async () => {
    const { db, thread, folder } = await open()
    await thread.terminate()
    await db.close()
    await (await open(folder)).db.close()
  })

  it('locks its folder until it is closed', async () => {
    const { db, folder } = await open()
    await assert.rejects(openEmbedded(folder, databaseClock), DataFolderInUse)
    await db.query('create table notes (id int)')
    await db.close()
    const again = await open(folder)
    await again.db.query('select from notes')
    await again.db.close()
  })

  it('that cannot start reports why, and unlocks the folder', async () => {
    const { db, folder } = await open()
    await db.close()
    const version = path.join(folder, 'store', 'PG_VERSION')
    writeFileSync(version, '9.1\n')
    await assert.rejects(openEmbedded(folder, databaseClock), (error) => !(error instanceof DataFolderInUse))
    writeFileSync(version, '18\n')
    await assert.rejects(openEmbedded(path.join(version, 'no folder'), databaseClock))
  })
})
