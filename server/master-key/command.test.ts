/** `commonhold master-key reseal` on databases that it cannot work on, and on a bucket in a schema of its own. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { databaseClock } from '#platform/clock.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { createDatabase } from '#testing/databases.ts'
import { createLastingStore, type Settings, spawnServer, startProcess } from '#testing/processes/process.ts'
import { ENGINE } from '#testing/server.ts'

const ONE_CONNECTION = { connections: 1, statementTimeoutMs: 60_000 }

const run = (settings: Settings, ...args: string[]) => spawnServer(settings, undefined, args).exited
const reseal = (settings: Settings) => run(settings, 'master-key', 'reseal')

describe.skipIf(ENGINE !== 'postgres')('commonhold master-key reseal', () => {
  it('names a database that cannot be reached, and ends as the list of exit codes says', async () => {
    const { settings } = await createLastingStore()
    const url = new URL(settings.DATABASE_URL ?? '')
    url.pathname = '/nowhere'
    const { code, stderr } = await reseal({ ...settings, DATABASE_URL: url.href })
    assert.match(stderr, /^commonhold: .*\/nowhere cannot be reached: database "nowhere" does not exist; create it, or/)
    assert.equal(code, 4)
  })

  it('says what a database without the schema needs', async () => {
    const { settings, open } = await createLastingStore()
    const db = await open()
    await db.script('drop schema public cascade; create schema public')
    await db.close()
    const { code, stderr } = await reseal(settings)
    assert.match(stderr, /^commonhold: The database does not have the schema .*; run: commonhold migrate-db\n$/)
    assert.equal(code, 2)
  })

  it('works on a bucket in the schema where servers use it, and names one that no server has opened', async () => {
    const { settings } = await createLastingStore()
    const bucket = await createDatabase()
    const url = new URL(bucket.url)
    const role = `${url.pathname.slice(1)}_own`
    const db = await openPostgres(bucket.url, databaseClock, ONE_CONNECTION)
    await db.script(`create role ${role} login; alter role ${role} set search_path = own`)
    await db.script(`drop schema public cascade; create schema own authorization ${role}`)
    await db.close()
    cleanUp(async () => {
      await bucket.remove()
      const home = await openPostgres(settings.DATABASE_URL ?? '', databaseClock, ONE_CONNECTION)
      await home.script(`drop role ${role}`)
      await home.close()
    })
    const { href } = Object.assign(url, { username: role, password: '' })
    const created = await run(settings, 'buckets', 'create', 'eu1', '--url', href)
    assert.equal(created.code, 0, created.stderr)
    const early = await reseal(settings)
    assert.match(early.stderr, /^commonhold: No server has opened the bucket eu1 with this MASTER_KEY yet\./)
    assert.equal(early.code, 2)
    await (await startProcess(settings)).kill('SIGTERM')
    const { code, stdout, stderr } = await reseal(settings)
    assert.equal(stdout, 'Every secret is sealed with MASTER_KEY.\n', stderr)
    assert.equal(code, 0)
  })
})
