/** A bucket moves to another PostgreSQL while it serves calls: no acknowledged change is lost, and no answer is stale (ADR 0066). */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { until } from '#testing/eventually.ts'
import { startProcess } from '#testing/processes/process.ts'
import { FULL } from '#testing/run/mode.ts'
import { startTcpProxy } from '../lifecycle/tcp-proxy.ts'
import {
  emptyDatabase,
  isServed,
  query,
  report,
  runCommand,
  settingsOf,
  spendNumbers,
  startBucketPostgres,
} from './bucket-world.ts'
import { readFeed } from './load/feed-reader.ts'
import { Load } from './load/load.ts'

const [one, other] = await Promise.all([startBucketPostgres(), startBucketPostgres()])

describe('a bucket', () => {
  it('moves under load to another server, and back, with two processes that serve it', async () => {
    // Makes the transaction numbers of the other server higher.
    await spendNumbers(other.url, 300)
    const home = await emptyDatabase(one, 'home')
    const [from, to] = [await emptyDatabase(one, 'bucket'), await emptyDatabase(other, 'bucket')]
    const first = await startProcess(settingsOf(home))
    await runCommand(home, 'create', 'eu1', '--url', from)
    const second = await startProcess(settingsOf(home))
    const key = await first.client.newKey({ defaultDocumentAccessType: 'restricted' })
    assert.equal((await query(from, 'select from api_keys')).length, 2)
    assert.equal((await query(home, 'select from api_keys')).length, 0)
    const clients = [key, second.client.with(key.headers)]
    const load = new Load(clients, 6, FULL ? 0 : 20)
    const moves: string[] = []
    for (const target of FULL ? [to, from, to] : [to]) {
      await sleep(500)
      const { stdout } = await runCommand(home, 'move', 'eu1', '--to', target)
      moves.push(stdout)
      assert.match(stdout, /Writes waited \d+ ms/)
      await sleep(500)
      await runCommand(home, 'move', 'eu1', '--confirm')
    }
    await sleep(500)
    await load.stop()
    assert.deepEqual(load.wrong, [])
    const verified = await load.verify(key)
    assert.deepEqual(load.wrong, [])
    const events = await readFeed(key)
    report(
      `${moves.length} moves: ${load.acknowledged} changes, ${load.refused} refused, ${verified} verified, ${events.length} events, longest pause ${load.takePause()} ms`,
      ...moves,
    )
    assert.equal((await query(to, 'select from api_keys')).length, 2)
  })

  it('that is down makes only its own keys unavailable, and gets no new ones', async () => {
    const home = await emptyDatabase(one, 'another_home')
    const server = await startProcess(settingsOf(home))
    const atHome = await server.client.newKey()
    const far = new URL(await emptyDatabase(other, 'far'))
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(far.port) })
    cleanUp(() => proxy.close())
    far.port = String(proxy.port)
    await runCommand(home, 'create', 'far', '--url', far.href)
    const inBucket = await server.client.newKey()
    await runCommand(home, 'create', 'near', '--url', await emptyDatabase(one, 'near'))
    await inBucket.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
    await proxy.shut()
    for (let calls = 0; calls < 3; calls++) {
      assert.equal((await inBucket.post(getOrganizations.path, {})).http, 503)
      assert.equal((await atHome.post(getOrganizations.path, {})).http, 200)
    }
    const another = await server.client.newKey()
    assert.equal((await another.post(getOrganizations.path, {})).http, 200)
    await proxy.open()
    await until('the bucket serves again', () => isServed(inBucket))
  })
})
