/** A disk that is full: changes are refused with a reason, reads work, and changes work again when there is space. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chownSync, openSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { describe, test } from 'vitest'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { cleanUp } from '#testing/clean-up.ts'
import type { Client } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import {
  createLastingStore,
  refusedStart,
  type ServerProcess,
  type Settings,
  startProcess,
  temporaryFolder,
} from '#testing/processes/process.ts'
import { serverUser } from '#testing/run/postgres.ts'
import { ENGINE } from '#testing/server.ts'

const METRICS_TOKEN = 'a-token-for-metrics'

/** Mounts a small disk; returns undefined if this user may not mount. */
function mountDisk(): string | undefined {
  const folder = temporaryFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  cleanUp(() => execFileSync('umount', ['--lazy', folder]))
  return folder
}

/** Returns the settings of a server whose data are on the disk. */
async function storeOn(disk: string): Promise<Settings> {
  const { settings } = await createLastingStore()
  if (ENGINE === 'embedded') return { DATA_DIR: path.join(disk, 'data'), METRICS_TOKEN }
  const user = serverUser()
  if (user !== undefined) chownSync(disk, user.uid, user.gid)
  const url = new URL(settings.DATABASE_URL ?? '')
  const name = url.pathname.slice(1)
  url.pathname = '/postgres'
  const db = new pg.Client({ connectionString: url.href })
  await db.connect()
  await db.query(`create tablespace "${name}" location '${disk}'`)
  await db.query(`alter database "${name}" set tablespace "${name}"`)
  cleanUp(async () => {
    await db.query(`alter database "${name}" set tablespace pg_default`)
    await db.query(`drop tablespace "${name}"`)
    await db.end()
  })
  return { ...settings, METRICS_TOKEN }
}

/** Fills the disk and keeps it full while the database writes; returns a function that frees it. */
function fill(disk: string): () => void {
  const file = path.join(disk, 'other-data')
  const { bavail, bsize } = statfsSync(disk)
  try {
    writeFileSync(file, Buffer.alloc(bavail * bsize + 16 * 1_024 ** 2))
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
    return () => rmSync(file)
  }
  return assert.fail('the disk took more than it had room for')
}

let serial = 0
const write = (client: Client) =>
  client.post(addOrganizations.path, {
    organizations: Array.from({ length: 200 }, () => ({
      organizationId: `org ${serial++}`,
      organizationName: 'x'.repeat(200),
    })),
  })

/** Makes changes until one fails, because the pages of tables have room for some. */
async function writeUntilRefused(client: Client) {
  for (let round = 0; round < 100; round++) {
    const answer = await write(client)
    if (answer.http !== 200) return answer
  }
  return assert.fail('the disk is full, and 20,000 organizations were added')
}

async function state({ url }: ServerProcess) {
  const ready = await fetch(`${url}/readyz`)
  const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  const writable = /^commonhold_database_writable (\d)$/m.exec(await metrics.text())?.[1]
  return { http: ready.status, ready: (await ready.json()) as { status: string; why?: string }, writable }
}

const disk = mountDisk()

describe('a full disk', { skip: disk === undefined }, () => {
  test('refuses changes with a reason, serves reads, reports itself, and needs no restart', async () => {
    const folder = disk ?? assert.fail()
    const settings = await storeOn(folder)
    const server = await startProcess(settings)
    const client = await server.client.newKey()
    assert.equal((await write(client)).http, 200)
    const free = fill(folder)
    const refused = await writeUntilRefused(client)
    assert.equal(refused.http, 503, refused.text)
    assert.equal(refused.body.error.status, 'UNAVAILABLE')
    assert.equal(refused.body.error.reason, 'storage_full')
    assert.equal((await client.post(getOrganizations.path, {})).http, 200)
    const { http, ready, writable } = await state(server)
    assert.deepEqual({ http, status: ready.status, writable }, { http: 200, status: 'read only', writable: '0' })
    assert.match(ready.why ?? '', /The storage of the database is full/)
    free()
    assert.equal((await write(client)).http, 200)
    await until('report that there is space', async () => (await state(server)).writable === '1')
    assert.deepEqual((await state(server)).ready, { status: 'ready' })
    await server.kill('SIGTERM')
  })

  test('is named with its free space when a server starts on it', { skip: ENGINE !== 'embedded' }, async () => {
    const folder = disk ?? assert.fail()
    for (const DATA_DIR of [path.join(folder, 'new'), path.join(folder, 'data')]) {
      const free = fill(folder)
      const { code, stderr } = await refusedStart({ DATA_DIR })
      assert.match(
        stderr,
        /^commonhold: The disk of the data folder \S+ is full: \d+ MB are available, and the embedded engine needs at least 24 MB; free some space, or set DATA_DIR to another\.\n$/,
      )
      assert.equal(code, 1)
      free()
    }
    await (await startProcess({ DATA_DIR: path.join(folder, 'data') })).kill('SIGTERM')
  })
})

describe('a full disk of the log', { skip: disk === undefined || ENGINE === 'embedded' }, () => {
  test('drops lines, of which the log says how many, and neither ends the server nor holds its stop', async () => {
    const folder = mountDisk() ?? assert.fail()
    const file = path.join(folder, 'log')
    const log = openSync(file, 'a')
    const { settings } = await createLastingStore()
    const server = await startProcess(settings, undefined, log)
    const client = await server.client.newKey()
    const free = fill(folder)
    for (let call = 0; call < 100; call++) assert.equal((await client.post(getOrganizations.path, {})).http, 200)
    free()
    assert.equal((await client.post(getOrganizations.path, {})).http, 200)
    const isSaid = () => readFileSync(file, 'utf8').includes('lines of the log could not be written')
    await until('the number of lines', async () => isSaid())
    for (const line of readFileSync(file, 'utf8').trim().split('\n')) JSON.parse(line)
    fill(folder)
    assert.equal((await client.post(getOrganizations.path, {})).http, 200)
    assert.equal((await server.kill('SIGTERM')).code, 0)
  })
})
