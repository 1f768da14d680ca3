/** Faults during a move of a bucket: each ends with a sentence that says what to do, and leaves no replication slot behind (ADR 0066). */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chownSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { until } from '#testing/eventually.ts'
import { startProcess, temporaryFolder } from '#testing/processes/process.ts'
import { serverUser } from '#testing/run/postgres.ts'
import {
  emptyDatabase,
  isServed,
  query,
  runCommand,
  settingsOf,
  startBucketPostgres,
  startCommand,
} from './bucket-world.ts'
import { held, heldBeforeHome, heldInCopy, refused, startBucket } from './held-command.ts'

const [one, other] = await Promise.all([
  startBucketPostgres(),
  startBucketPostgres({ wal_retrieve_retry_interval: '200ms' }),
])
let worlds = 0

const startWorld = (postgres = one) => startBucket(`faulty${++worlds}`, { home: one, from: postgres, to: other })

const slotsOf = (url: string) => query(url, 'select slot_name from pg_replication_slots')

describe('a move is refused', () => {
  for (const [settings, where, why] of [
    [{ wal_level: 'replica' }, 'source', /wal_level = replica; set it to logical/],
    [{ max_replication_slots: 1 }, 'source', /fewer than two free replication slots; raise max_replication_slots/],
    [{ max_wal_senders: 1 }, 'source', /fewer than two free connections for replication; raise max_wal_senders/],
    [{ max_logical_replication_workers: 1 }, 'target', /fewer than two free workers for replication/],
  ] as const)
    it(`by a ${where} with ${JSON.stringify(settings)}`, async () => {
      const wrong = await startBucketPostgres(settings)
      const home = await emptyDatabase(one, `home${++worlds}`)
      const [from, to] = where === 'source' ? [wrong, other] : [one, wrong]
      const urls = [await emptyDatabase(from, `from${worlds}`), await emptyDatabase(to, `to${worlds}`)] as const
      await runCommand(home, 'create', 'eu1', '--url', urls[0])
      refused(await startCommand(home, 'move', 'eu1', '--to', urls[1]).exited, why)
      assert.deepEqual(await slotsOf(urls[0]), [])
      assert.deepEqual(await query(urls[0], 'select from pg_publication'), [])
      assert.deepEqual(await query(home, 'select from bucket_moves'), [])
    })

  it('between servers whose clocks differ', async () => {
    const { home, from, to } = await startWorld()
    await query(
      to,
      `set allow_system_table_mods = on;
       alter function pg_catalog.clock_timestamp() rename to clock_of_machine;
       create function pg_catalog.clock_timestamp() returns timestamptz language sql
           as $$ select pg_catalog.clock_of_machine() + interval '1 hour' $$`,
    )
    const why = /is 3600 s ahead of that of the old one, and grants would expire at other times; set both/
    refused(await startCommand(home, 'move', 'eu1', '--to', to).exited, why)
    assert.deepEqual(await slotsOf(from), [])
  })
})

describe('a move ends', () => {
  it('when the disk of the new server is full, and succeeds once it has space', async (t) => {
    const disk = temporaryFolder()
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', disk], { stdio: 'ignore' })
    } catch {
      return t.skip('no disk can be mounted here')
    }
    cleanUp(() => execFileSync('umount', ['--lazy', disk]))
    const user = serverUser()
    if (user !== undefined) chownSync(disk, user.uid, user.gid)
    const { home, from, to, key } = await startWorld()
    const name = new URL(to).pathname.slice(1)
    await query(other.url, `create tablespace small location '${disk}'`)
    await query(other.url, `alter database ${name} set tablespace small`)
    const [command, letCopy] = await heldInCopy(home, { from, to }, '--to', to)
    const file = path.join(disk, 'other-data')
    for (let size = 1 << 20; size >= 4_096; ) {
      try {
        writeFileSync(file, Buffer.alloc(size), { flag: 'a' })
      } catch {
        size /= 2
      }
    }
    for (let nth = 0; nth < 10; nth++)
      await key.call(addOrganizations, {
        organizations: Array.from({ length: 100 }, (_, n) => ({ organizationId: `o ${nth} ${n}` })),
      })
    await letCopy()
    refused(await command.exited, /cannot store what it gets, for example because its disk is full/)
    assert.deepEqual(await slotsOf(from), [])
    assert.ok(await isServed(key))
    rmSync(file)
    await runCommand(home, 'move', 'eu1')
    await until('the bucket serves', () => isServed(key))
    await runCommand(home, 'move', 'eu1', '--confirm')
    assert.deepEqual(await slotsOf(from), [])
    const [count] = await query(to, 'select count(*)::int as count from organizations')
    assert.equal(count?.count, 1_001)
  })

  it('with --undo when the new server is lost during the copy: no slot is left', async () => {
    const gone = await startBucketPostgres()
    const { home, from, key } = await startWorld()
    const to = await emptyDatabase(gone, 'target')
    const letBegin = await held(from, 'select pg_current_xact_id()')
    const command = startCommand(home, 'move', 'eu1', '--to', to)
    await until('the publication', async () => (await query(from, 'select from pg_publication')).length > 0)
    // The copy of a table waits for a row with the same key. By then, it has a slot.
    const [row] = await query(from, 'select stream from event_streams')
    const letCopy = await held(to, `insert into public.event_streams values ('${row?.stream}', 0)`)
    await letBegin()
    await until('a slot for the copy of a table', async () => (await slotsOf(from)).length > 1)
    await gone.stop()
    refused(await command.exited, /A connection was lost: .* Start the same command again soon, or give the move up/)
    await letCopy()
    refused(await startCommand(home, 'move', 'eu1').exited, /cannot be reached/)
    const { stdout } = await runCommand(home, 'move', 'eu1', '--undo')
    assert.match(stdout, /It is left as it is: drop it/)
    assert.deepEqual(await slotsOf(from), [])
    assert.deepEqual(await query(from, 'select from pg_publication'), [])
    assert.ok(await isServed(key))
  })
})

describe('a move continues', () => {
  it('with the new password of a database', async () => {
    const { home, from, to, key } = await startWorld()
    await query(other.url, `create role mover login superuser`)
    const withPassword = (password: string) => to.replace('postgres@', `mover:${password}@`)
    const [command, letCopy] = await heldInCopy(home, { from, to }, '--to', withPassword('old'))
    await command.kill('SIGKILL')
    await letCopy()
    await query(other.url, 'alter role mover nologin')
    const why = /cannot be reached: .*not permitted to log in; correct the user and the password/
    refused(await startCommand(home, 'move', 'eu1').exited, why)
    await query(other.url, 'alter role mover login')
    await runCommand(home, 'move', 'eu1', '--to', withPassword('new'))
    await until('the bucket serves', () => isServed(key))
    await runCommand(home, 'move', 'eu1', '--confirm')
    const { stdout } = await runCommand(home, 'set', 'eu1', '--url', withPassword('newer'))
    assert.doesNotMatch(stdout, /newer/)
    await until('the bucket serves', () => isServed(key))
  })

  it('without the old server, if it was closed before it was lost', async () => {
    const lost = await startBucketPostgres()
    const { home, from, to, server, key } = await startWorld(lost)
    const command = await heldBeforeHome({ home, from, to })
    await server.kill('SIGKILL') // it would finish the switch as soon as the command is dead
    await command.die()
    await lost.stop()
    const { stdout } = await runCommand(home, 'move', 'eu1')
    assert.match(stdout, /It was closed before, and the new database has everything; finishing the switch/)
    const again = (await startProcess(settingsOf(home))).client.with(key.headers)
    await until('the bucket serves', () => isServed(again))
    refused(await startCommand(home, 'move', 'eu1', '--undo').exited, /cannot be reached/)
    await runCommand(home, 'move', 'eu1', '--confirm')
    assert.deepEqual(await query(to, 'select from pg_subscription'), [])
    const organizations = await again.call(getOrganizations, {})
    assert.equal(organizations.length, 1)
  })

  it('no further when the old server is lost during the copy: a restored copy replaces it', async () => {
    const { home, from, to, server, key } = await startWorld()
    await server.kill('SIGTERM')
    const [name, backup] = [new URL(from).pathname.slice(1), new URL(from)]
    backup.pathname = `/${name}_backup`
    await query(one.url, `create database ${name}_backup template ${name}`)
    const [command, letCopy] = await heldInCopy(home, { from, to }, '--to', to)
    await command.kill('SIGKILL')
    await letCopy()
    await query(one.url, `alter database ${name} allow_connections false`)
    await query(one.url, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
    const why = /may lack changes of it.*restore a backup, name that with: commonhold buckets set eu1/
    refused(await startCommand(home, 'move', 'eu1').exited, why)
    await runCommand(home, 'set', 'eu1', '--url', backup.href)
    await runCommand(home, 'move', 'eu1', '--undo')
    const again = (await startProcess(settingsOf(home))).client.with(key.headers)
    assert.ok(await isServed(again))
    await runCommand(home, 'move', 'eu1', '--to', to)
    await until('the bucket serves', () => isServed(again))
  })
})
