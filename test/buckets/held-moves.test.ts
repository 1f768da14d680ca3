/**
 * A move of a bucket is held between two steps, by a lock of the test: how servers respond meanwhile, and what
 * continues when the move continues (ADR 0066). These tests do not depend on how long a step takes.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { listEvents } from '#contract/events/events.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { until } from '#testing/eventually.ts'
import { startProcess } from '#testing/processes/process.ts'
import { startTcpProxy } from '../lifecycle/tcp-proxy.ts'
import {
  isServed,
  query,
  runCommand,
  settingsOf,
  spendNumbers,
  startBucketPostgres,
  startCommand,
} from './bucket-world.ts'
import {
  held,
  heldAfterCopy,
  heldBeforeHome,
  heldInCopy,
  LOCK_CLOSED,
  said,
  startBucket,
  succeeded,
} from './held-command.ts'
import { readFeed } from './load/feed-reader.ts'

const [one, other] = await Promise.all([startBucketPostgres(), startBucketPostgres()])
let worlds = 0

/** A bucket on one server, an empty database on the other, a server process, and a key in the bucket. */
const startWorld = () => startBucket(`held${++worlds}`, { home: one, from: one, to: other })

const isHidden = async (url: string) =>
  (await query(url, `select to_regclass('api_keys') is null as hidden`))[0]?.hidden === true

describe('a move', () => {
  it('that has closed the old database before the home database names the new one serves no call from either', async () => {
    const world = await startWorld()
    const { home, from, to, key } = world
    const { command, letSwitch } = await heldBeforeHome(world)
    assert.deepEqual(await query(home, 'select switched_at from bucket_moves'), [{ switched_at: null }])
    for (let calls = 0; calls < 5; calls++) {
      assert.equal((await key.post(getOrganizations.path, {})).http, 503)
      const grant = { user: { userId: 'ada' }, permissions: { resources: [{ type: 'organization', id: 'acme' }] } }
      assert.equal((await key.post(addPermissions.path, grant)).http, 503)
    }
    await assert.rejects(query(from, 'select from api_keys'), /does not exist/)
    // A second server, which starts now, does not open the old one either.
    const second = await startProcess(settingsOf(home))
    assert.equal((await second.client.with(key.headers).post(getOrganizations.path, {})).http, 503)
    await letSwitch()
    await succeeded(command)
    await until('the bucket serves', () => isServed(key))
    await until('the other server', () => isServed(second.client.with(key.headers)))
    assert.equal((await query(to, 'select from api_keys')).length, 2)
  })

  it('waits for a change that is under way, and moves it too', async () => {
    const { home, from, to, key } = await startWorld()
    const { command, goOn } = await heldAfterCopy(home, { from, to })
    const change = `update organizations set metadata = '{"late": true}' where organization_id = 'acme'`
    const letCommit = await held(from, change)
    await goOn()
    await said(command, /trying again/)
    assert.ok(await isServed(key))
    await letCommit('commit')
    await succeeded(command)
    const rows = await query(to, `select metadata from organizations where organization_id = 'acme'`)
    assert.deepEqual(rows, [{ metadata: { late: true } }])
  })

  it('lets transactions under way end under a constant load, instead of waiting for those that wait for it', async () => {
    const { home, from, to, key } = await startWorld()
    const { command, goOn } = await heldAfterCopy(home, { from, to })
    let isOver = false
    const begin = 'lock table organizations in row share mode; select pg_sleep(0.1)'
    const transactions = async (_: unknown, nth: number) => {
      for (await sleep(nth * 30); !isOver; ) {
        const end = await held(from, begin)
        await end('commit', 'lock table search_entries, users, grants in row exclusive mode')
      }
    }
    // Statements that come too late find no tables.
    const load = Promise.allSettled(Array.from({ length: 4 }, transactions))
    await goOn()
    await succeeded(command)
    isOver = true
    await load
    const attempts = command.output.stdout.match(/trying again/g) ?? []
    assert.ok(attempts.length <= 3, command.output.stdout)
    await until('the bucket serves', () => isServed(key))
  })

  it('hides the new database from a server that slept since that database had the bucket', async () => {
    const { home, from, to, key } = await startWorld()
    const other = await startProcess(settingsOf(home))
    const sleeper = other.client.with(key.headers)
    assert.ok(await isServed(sleeper))
    other.child.kill('SIGSTOP')
    await runCommand(home, 'move', 'eu1', '--to', to)
    await until('the bucket serves', () => isServed(key))
    await key.call(addOrganizations, { organizations: [{ organizationId: 'later' }] })
    const [undo, letCopy] = await heldInCopy(home, { from: to, to: from }, '--undo')
    // The server wakes and has the URL of a database that is being filled. It neither answers from this database nor
    // writes into it.
    const calls = Array.from({ length: 10 }, () => sleeper.post(getOrganizations.path, {}))
    other.child.kill('SIGCONT')
    for (const { http, body } of await Promise.all(calls))
      if (http === 200) assert.ok(JSON.stringify(body).includes('later'))
      else assert.equal(http, 503)
    await until('it serves', () => isServed(sleeper))
    assert.ok(await isHidden(from))
    await letCopy()
    await succeeded(undo)
    await until('it serves again', async () => (await isServed(sleeper)) && (await isServed(key)))
    const organizations = await sleeper.call(getOrganizations, {})
    assert.equal(organizations.length, 2)
  })

  it('whose last statement arrives late does not change a later move', async () => {
    const { home, from, to, key } = await startWorld()
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(home).port) })
    cleanUp(() => proxy.close())
    const slow = new URL(home)
    slow.port = String(proxy.port)
    const [command, letCopy] = await heldInCopy(slow.href, { from, to }, '--to', to)
    const letGo = await held(to, LOCK_CLOSED)
    await letCopy()
    await said(command, /Writes waited/)
    proxy.hang()
    await letGo()
    await until('the statement for the home database', async () => (await isHidden(to)) === false)
    // Its locks are gone, as after a failure of the network. A server takes over.
    for (const url of [home, to])
      await query(
        url,
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'commonhold move'`,
      )
    await until('the bucket serves', () => isServed(key))
    await runCommand(home, 'move', 'eu1', '--confirm')
    const [back, letBack] = await heldInCopy(home, { from: to, to: from }, '--to', from)
    await proxy.open()
    assert.notEqual((await command.exited).code, 0)
    assert.deepEqual(await query(home, 'select switched_at from bucket_moves'), [{ switched_at: null }])
    await letBack()
    await succeeded(back)
    await until('the bucket serves', () => isServed(key))
    assert.equal((await query(from, 'select from api_keys')).length, 2)
  })

  it('that is undone after the old database was closed is first completed, then reversed', async () => {
    const world = await startWorld()
    const { home, from, to, key } = world
    await (await heldBeforeHome(world)).die()
    // From this point on, a server that already knew the new database would write there.
    await query(to, `update organizations set metadata = '{"late": true}' where organization_id = 'acme'`)
    await runCommand(home, 'move', 'eu1', '--undo')
    await until('the bucket serves', () => isServed(key))
    const rows = await query(from, `select metadata from organizations where organization_id = 'acme'`)
    assert.deepEqual(rows, [{ metadata: { late: true } }])
  })

  it('waits for an old transaction of the new server, whose number would hide an event', async () => {
    const { home, from, to, key } = await startWorld()
    const { command, goOn } = await heldAfterCopy(home, { from, to })
    assert.ok(await isServed(key))
    await goOn()
    await succeeded(command)
    await until('the bucket serves', () => isServed(key))
    await readFeed(key)
  })

  it('keeps page tokens of the feed valid on a server with a lower counter', async () => {
    const { home, from, to, key } = await startWorld()
    await spendNumbers(from, 30_000)
    const add = (organizationId: string) => key.call(addOrganizations, { organizations: [{ organizationId }] })
    await add('before')
    const page = async (pageToken?: string) => {
      const { http, text, body } = await key.post(listEvents.path, {
        order: 'oldestFirst',
        ...(pageToken && { pageToken }),
      })
      assert.equal(http, 200, text)
      return body.result
    }
    const first = await page()
    await add('unread')
    await runCommand(home, 'move', 'eu1', '--to', to)
    await until('the bucket serves', () => isServed(key))
    await add('after')
    const { data } = await page(first.nextPageToken)
    const named = data.events.map(({ organizationId }: { organizationId: string }) => organizationId)
    assert.deepEqual(named, ['unread', 'after'])
  })

  it('is durable on servers that do not wait for their log: both crash when the old one is closed', async () => {
    const settings = { synchronous_commit: 'off', wal_writer_delay: '10s', wal_writer_flush_after: '1GB' }
    const [source, target] = await Promise.all([startBucketPostgres(settings), startBucketPostgres(settings)])
    const { home, from, to, server, key } = await startBucket('durable', { home: one, from: source, to: target })
    // The commits of another session would flush the logs, too.
    await server.kill('SIGKILL')
    const { die } = await heldBeforeHome({ home, from, to })
    await Promise.all([source.restart('crash'), target.restart('crash')])
    await die()
    assert.ok(await isHidden(from), 'the old database is open again')
    await startCommand(home, 'move', 'eu1').exited
    const again = (await startProcess(settingsOf(home))).client.with(key.headers)
    await until('the bucket serves', () => isServed(again))
    assert.equal((await again.call(getOrganizations, {})).length, 1)
    assert.equal((await query(to, 'select from api_keys')).length, 2)
  })
})
