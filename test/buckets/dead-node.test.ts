/**
 * A PostgreSQL server hangs under load: its keys are unavailable, and keys of other servers are not affected (ADR
 * 0066). `TEST_REPORT` prints figures.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { cleanUp } from '#testing/clean-up.ts'
import type { Client } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import { startProcess } from '#testing/processes/process.ts'
import { FULL } from '#testing/run/mode.ts'
import type { OwnPostgres } from '#testing/run/postgres.ts'
import { emptyDatabase, isServed, query, report, runCommand, settingsOf, startBucketPostgres } from './bucket-world.ts'

const SECONDS = Number(process.env.DEAD_NODE_SECONDS ?? (FULL ? 5 : 2))
const FAR_CALLERS = 8

/** Returns the ids of all processes of a server. */
async function processesOf({ url }: OwnPostgres): Promise<number[]> {
  const [found] = await query(url, `select split_part(pg_read_file('postmaster.pid'), e'\\n', 1) as id`)
  const parent = String(found?.id)
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', parent], { encoding: 'utf8' })
  return [parent, ...children.trim().split(/\s+/)].map(Number)
}

const signal = (ids: readonly number[], name: NodeJS.Signals) => {
  for (const id of ids)
    try {
      process.kill(id, name)
    } catch {} // it has ended
}

/** Checks and grants with a key from several callers, for some seconds; returns the milliseconds of each call. */
async function load(key: Client, callers: number): Promise<{ ms: number[]; statuses: number[] }> {
  const [ms, statuses, end]: [number[], number[], number] = [[], [], Date.now() + SECONDS * 1_000]
  const resource = { type: 'organization' as const, id: 'acme' }
  const call = async (turn: number) =>
    turn % 10 === 0
      ? key.post(addPermissions.path, { user: { userId: `user ${turn}` }, permissions: { resources: [resource] } })
      : key.post(checkPermissions.path, { checks: [{ userId: 'ada', resource }] })
  const caller = async () => {
    for (let turn = 0; Date.now() < end; turn++) {
      const began = performance.now()
      const { http } = await call(turn)
      ms.push(performance.now() - began)
      statuses.push(http)
      if (http !== 200) await sleep(20)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return { ms: ms.toSorted((one, other) => one - other), statuses }
}

const at = (ms: number[], part: number) => (ms[Math.floor(ms.length * part)] ?? 0).toFixed(1)

it('a database that hangs makes only its own keys unavailable, under load', async () => {
  const [one, other] = await Promise.all([startBucketPostgres(), startBucketPostgres()])
  const home = await emptyDatabase(one, 'home')
  const server = await startProcess({ ...settingsOf(home), DATABASE_MS_PER_KEY: '0' })
  const atHome = await server.client.newKey()
  await runCommand(home, 'create', 'far', '--url', await emptyDatabase(other, 'far'))
  const far = await server.client.newKey()
  await runCommand(home, 'create', 'near', '--url', await emptyDatabase(one, 'near'))
  await runCommand(home, 'set', 'far', '--takes-keys', 'no')
  const near = await server.client.newKey()
  for (const key of [atHome, far, near])
    await key.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
  const others = () => Promise.all([load(atHome, 4), load(near, 4)])
  await others()
  const [before] = await Promise.all([others(), load(far, FAR_CALLERS)])
  const ids = await processesOf(other)
  cleanUp(() => signal(ids, 'SIGCONT'))
  signal(ids, 'SIGSTOP')
  const hanging = load(far, FAR_CALLERS)
  const during = await others()
  signal(ids, 'SIGCONT')
  const { statuses } = await hanging
  for (const [nth, name] of ['home', 'near'].entries()) {
    const [calm, then] = [before[nth], during[nth]]
    assert.deepEqual([...new Set(then?.statuses)], [200], name)
    assert.ok(
      (then?.ms.length ?? 0) * 4 > (calm?.ms.length ?? 0),
      `${name}: ${then?.ms.length} of ${calm?.ms.length} calls`,
    )
    report(
      `${name}: calls ${calm?.ms.length}, p50 ${at(calm?.ms ?? [], 0.5)}, p99 ${at(calm?.ms ?? [], 0.99)} ms before; calls ${then?.ms.length}, p50 ${at(then?.ms ?? [], 0.5)}, p99 ${at(then?.ms ?? [], 0.99)} ms while another hangs`,
    )
  }
  assert.ok(!statuses.includes(401), `${[...new Set(statuses)]}`)
  // One waiting call of each caller may succeed when the database continues.
  const served = statuses.filter((http) => http === 200).length
  assert.ok(served <= FAR_CALLERS, `${served} calls succeeded while their database hung`)
  await until('the bucket serves again', () => isServed(far))
})
