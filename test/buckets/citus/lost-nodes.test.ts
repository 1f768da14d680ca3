/**
 * A node of Citus is lost while a bucket moves under all kinds of load: the source, the target or the coordinator. The
 * test kills its processes, and starts it again some seconds later. No acknowledged change is lost, no answer is stale,
 * other buckets respond, and the same command finishes the move. The nodes of `CITUS_URL` must run on this machine
 * (`npm run soak -- citus`).
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, it } from 'vitest'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { until } from '#testing/eventually.ts'
import { type CitusAddress, citusUrl, readCitusUrl } from '../../../server/buckets/citus/address.ts'
import { findNode } from '../../../server/buckets/citus/nodes.ts'
import { connectTo } from '../../../server/buckets/move/servers.ts'
import { apiKeyOf } from '../../conformance/support/callers.ts'
import {
  emptyDatabase,
  isServed,
  query,
  report,
  runCommand,
  startBucketPostgres,
  startCommand,
} from '../bucket-world.ts'
import { Everything } from '../load/everything.ts'
import { Servers } from '../load/servers.ts'
import { remove } from './removal.ts'

const COORDINATOR = process.env.CITUS_URL || undefined
const MOVES = Number(process.env.BUCKET_MOVES ?? 6)
const LOST = ['from', 'to', 'coordinator'] as const
/** The greatest time from the start of the command to the loss, and the time for which the node is down. */
const BEFORE_MS = 12_000
const GONE_MS = 3_000

interface Node {
  host: string
  port: number
}

const urlOf = ({ host, port }: Node): string =>
  Object.assign(new URL(COORDINATOR ?? ''), { hostname: host, port: String(port) }).href

/** Kills a PostgreSQL server of this machine as a power failure would, and starts it again. */
async function lose(url: string, goneMs: number): Promise<void> {
  const [at] = await query(
    url,
    `select current_setting('data_directory') as folder, split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid,
            (select setting from pg_config where name = 'BINDIR') as programs`,
  )
  const { folder, pid, programs } = at as { folder: string; pid: number; programs: string }
  const here = readFileSync(path.join(folder, 'postmaster.pid'), 'utf8')
  assert.equal(Number.parseInt(here, 10), pid, `${url} is not of this machine`) // the number would be that of another process
  process.kill(pid, 'SIGKILL')
  await sleep(goneMs)
  const { uid, gid } = statSync(folder)
  const env = { ...process.env, HOME: folder } // a server that connects to others searches for certificates there
  const start = ['-D', folder, '-l', path.join(folder, 'started.log'), '-w', '-t', '120', 'start']
  // Its sessions may not have ended yet.
  await until('the node to start', () =>
    promisify(execFile)(path.join(programs, 'pg_ctl'), start, { uid, gid, env }).then(
      () => true,
      () => false,
    ),
  )
}

describe.skipIf(COORDINATOR === undefined)('a bucket on Citus', () => {
  it('loses nothing when a node is lost while it moves', async () => {
    const coordinator = COORDINATOR ?? ''
    const bucket = `l${process.pid}`
    const address = readCitusUrl(citusUrl(coordinator, bucket)) as CitusAddress
    cleanUp(() => remove(address))
    const postgres = await startBucketPostgres()
    const home = await emptyDatabase(postgres, 'home')
    const servers = new Servers(home)
    const first = await servers.start()
    await runCommand(home, 'create', bucket, '--citus', '--url', coordinator)
    const second = await servers.start()
    const key = await first.newKey()
    await runCommand(home, 'set', bucket, '--takes-keys', 'no')
    await runCommand(home, 'create', 'us1', '--url', await emptyDatabase(postgres, 'us1'))
    const neighbour = await first.newKey()
    const places = await query(home, `select api_key_id as id from key_places where bucket = 'us1'`)
    assert.ok(places.some(({ id }) => id === apiKeyOf(neighbour)))
    const load = await Everything.start([key, second.with(key.headers)], servers.urls)
    const nodes = (await query(
      coordinator,
      `select nodename as host, nodeport as port from pg_dist_node where groupid > 0 and shouldhaveshards order by nodeid`,
    )) as unknown as Node[]

    let isOver = false
    const others: number[] = []
    const refusals: string[] = []
    const neighbours = (async () => {
      for (let nth = 0; !isOver; nth++) {
        const began = performance.now()
        const answer = await neighbour.post(addOrganizations.path, { organizations: [{ organizationId: `o ${nth}` }] })
        if (answer.http !== 200) refusals.push(answer.text)
        others.push(performance.now() - began)
        await sleep(50)
      }
    })()

    const found = async () => {
      const client = await connectTo(coordinator)
      return findNode(client, address).finally(() => client.end())
    }
    const pauses: number[] = []
    let [interrupted, again] = [0, 0]
    for (let move = 0; move < MOVES; move++) {
      const isClean = async () => (await query(coordinator, 'select from pg_dist_cleanup')).length === 0
      await until('Citus has cleaned up', isClean)
      const from = await found()
      const to = nodes.find(({ host, port }) => host !== from.host || port !== from.port)
      assert.ok(to !== undefined)
      const lost = LOST[move % LOST.length] ?? 'from'
      const args = ['move', bucket, '--to', `${to.host}:${to.port}`]
      load.findings.takePause()
      load.findings.happens(`move ${move} to ${to.port}, which loses: ${lost}`)
      const command = startCommand(home, ...args)
      await Promise.race([sleep(Math.random() * BEFORE_MS), command.exited])
      const began = performance.now()
      await lose(lost === 'coordinator' ? coordinator : urlOf(lost === 'from' ? from : to), GONE_MS)
      const gone = Math.round(performance.now() - began)
      let exit = await command.exited
      if (exit.code !== 0) interrupted++
      const said = [exit.stdout + exit.stderr]
      for (; exit.code !== 0 && said.length < 60; said.push(exit.stdout + exit.stderr), again++) {
        await sleep(2_000)
        exit = await startCommand(home, ...args).exited
      }
      load.findings.happens(said.join('\n').replaceAll('\n', '\n    '))
      assert.equal(exit.code, 0, said.join('\n'))
      assert.doesNotMatch(said.join('\n'), /^ +at /m)
      const { host, port } = await found()
      assert.deepEqual({ host, port }, { host: to.host, port: to.port })
      const before = load.acknowledged
      await until('changes are accepted', () => load.acknowledged > before)
      const pauseMs = load.findings.takePause()
      pauses.push(pauseMs)
      report(`move ${move}, ${lost} gone for ${gone} ms, ${said.length} commands: ${pauseMs} ms without a change`)
      report(...said.map((text) => `  ${text.trim().replaceAll('\n', ' | ')}`))
      assert.deepEqual(load.findings.wrong, [], said.join('\n'))
    }
    isOver = true
    await neighbours
    for (const client of [key, second.with(key.headers)]) await until('both serve', () => isServed(client))
    const figures = await load.finish()
    report(
      JSON.stringify({
        ...{ moves: MOVES, interrupted, 'started again': again, ...figures },
        ...{ 'longest pause ms': Math.max(...pauses) },
        ...{ 'calls beside': others.length, 'slowest beside ms': Math.round(Math.max(...others)) },
      }),
    )
    assert.deepEqual(load.findings.wrong, [])
    assert.deepEqual(refusals, [])
    assert.equal(figures['page tokens refused'], 0)
  })
})
