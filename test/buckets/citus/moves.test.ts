/**
 * A bucket on Citus moves from node to node under all kinds of load, by Citus's own commands, its rebalancer and our
 * command. No acknowledged change is lost, no answer is stale, and readers get every event once and in order (ADR
 * 0069). `CITUS_URL` names the database of a coordinator with two workers, as a superuser: `npm run soak -- citus`. The
 * packages of this repository do not include Citus.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, it } from 'vitest'
import { migrationVersion, readMigrations } from '#platform/db/migrate.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { until } from '#testing/eventually.ts'
import { type CitusAddress, citusUrl, readCitusUrl } from '../../../server/buckets/citus/address.ts'
import { arrive } from '../../../server/buckets/citus/arrive.ts'
import { distribute } from '../../../server/buckets/citus/distribute.ts'
import { findNode, otherNodes } from '../../../server/buckets/citus/nodes.ts'
import { prepareOnCitus } from '../../../server/buckets/citus/prepare.ts'
import { migrateAt } from '../../../server/buckets/citus/upgrade.ts'
import { connectTo } from '../../../server/buckets/move/servers.ts'
import { emptyDatabase, query, runCommand, spendNumbers, startBucketPostgres } from '../bucket-world.ts'
import { Everything } from '../load/everything.ts'
import { Servers } from '../load/servers.ts'
import { remove } from './removal.ts'

const COORDINATOR = process.env.CITUS_URL || undefined
const MOVES = Number(process.env.BUCKET_MOVES ?? 6)
const AHEAD = 60_000

const CLEANING = 'select from pg_dist_cleanup'

const table: string[] = []
afterAll(() => {
  if (table.length > 0) process.stdout.write(`${table.join('\n')}\n`)
})

const addressOf = (coordinator: string, bucket: string) => readCitusUrl(citusUrl(coordinator, bucket)) as CitusAddress

describe.skipIf(COORDINATOR === undefined)('a bucket on Citus', () => {
  it('moves under load by each command of Citus', async () => {
    const coordinator = COORDINATOR ?? ''
    const bucket = `t${process.pid}`
    const address = addressOf(coordinator, bucket)
    cleanUp(() => remove(address))
    const home = await emptyDatabase(await startBucketPostgres(), 'home')
    const servers = new Servers(home)
    const first = await servers.start()
    await runCommand(home, 'create', bucket, '--citus', '--url', coordinator)
    const second = await servers.start()
    const key = await first.newKey()
    const load = await Everything.start([key, second.with(key.headers)], servers.urls)
    const pauses: number[] = []
    const nodes = (await query(
      coordinator,
      `select nodename || ':' || nodeport as place, nodename as host, nodeport as port from pg_dist_node where groupid > 0 and shouldhaveshards order by nodeid`,
    )) as { place: string; host: string; port: number }[]
    assert.ok(nodes.length >= 2)
    const found = async () => {
      const client = await connectTo(coordinator)
      return findNode(client, address).finally(() => client.end())
    }
    for (let move = 0; move < MOVES; move++) {
      // Citus moves nothing to a node that still has the tables of the previous move.
      await until('Citus has cleaned up', async () => (await query(coordinator, CLEANING)).length === 0)
      const from = await found()
      const to = nodes.find(({ host, port }) => host !== from.host || port !== from.port)
      assert.ok(to !== undefined)
      const at = new URL(coordinator)
      const ahead = move % 4 === 0 ? from : to
      Object.assign(at, { hostname: ahead.host, port: String(ahead.port) })
      if (move % 4 < 2) await spendNumbers(at.href, AHEAD)
      const killed = move % 3 === 2 ? sleep(Math.random() * 3_000).then(() => servers.killAndStart(0)) : undefined
      if (move % 3 === 0) await runCommand(home, 'move', bucket, '--to', to.place)
      else if (move % 3 === 1)
        await query(coordinator, `select citus_schema_move('${address.schemas.tables}', '${to.host}', ${to.port})`)
      else {
        const drained = `citus_set_node_property('${from.host}', ${from.port}, 'shouldhaveshards'`
        await query(coordinator, `select ${drained}, false)`)
        try {
          await query(coordinator, `select citus_rebalance_start(shard_transfer_mode => 'force_logical')`)
          await query(coordinator, 'select citus_rebalance_wait()')
        } finally {
          await query(coordinator, `select ${drained}, true)`)
        }
      }
      await killed
      assert.deepEqual([(await found()).host, (await found()).port], [to.host, to.port])
      const before = load.acknowledged
      for (let tries = 0; load.acknowledged === before && tries < 200; tries++) await sleep(100)
      assert.notEqual(load.acknowledged, before, `no change is acknowledged after the move ${move}`)
      pauses.push(load.findings.takePause())
      assert.deepEqual(load.findings.wrong, [])
    }
    const figures = await load.finish()
    table.push(
      JSON.stringify({
        ...{ moves: MOVES, 'servers killed': servers.kills, ...figures },
        ...{ 'longest pause ms': Math.max(...pauses) },
      }),
    )
    assert.deepEqual(load.findings.wrong, [])
    assert.equal(figures['page tokens refused'], 0)
  })

  it('continues its numbers on each node, and is upgraded through the coordinator', async () => {
    const address = addressOf(COORDINATOR ?? '', `u${process.pid}`)
    const { tables, names, numbers, here, left } = address.schemas
    cleanUp(() => remove(address))
    const coordinator = await connectTo(address.coordinator)
    cleanUp(() => coordinator.end())
    await coordinator.query(`create schema ${tables}; create schema ${names}; create schema ${numbers}`)
    await migrateAt(address, readMigrations().slice(0, -2))
    await distribute(coordinator, address)
    const next = async (at: string) =>
      Number((await query(at, `select nextval('${numbers}.webhook_endpoints__endpoint_key')`))[0]?.nextval)
    assert.equal(await next(await arrive(address)), 1)
    const from = await findNode(coordinator, address)
    const to = (await otherNodes(coordinator, from)).find(
      ({ port }) => String(port) !== new URL(COORDINATOR ?? '').port,
    )
    await coordinator.query('select citus_schema_move($1::regnamespace, $2::text, $3::int)', [
      tables,
      to?.host,
      to?.port,
    ])
    const moved = await arrive(address)
    assert.equal(await next(moved), 2)
    // Creates the state after moves there and back that no server has noticed: this node has the last numbers, others
    // have earlier ones.
    await query(moved, `alter schema ${here} rename to ${left}`)
    assert.equal(await next(await arrive(address)), 3)
    const upgraded = await prepareOnCitus(address)
    assert.equal(await next(upgraded), 4)
    const version = await query(upgraded, 'select max(version)::int as version from schema_migrations')
    assert.deepEqual(version, [{ version: migrationVersion }])
  })
})
