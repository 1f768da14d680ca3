/**
 * PostgreSQL primaries that are killed or stopped under load while their standby is promoted, with two servers that
 * nobody restarts. With a synchronous standby no acknowledged grant is lost and no revoked access comes back; with an
 * asynchronous one the lost changes are counted. No check allows access that the promoted server does not have.
 * Webhooks and readers get every event of the promoted server, and never two events with the same id.
 * `npm run soak -- failover` does it 20 times, 10 times and 10 times, and prints a table; with `--patroni PROGRAM`,
 * Patroni also switches over and fails over by itself, ten times each.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, test } from 'vitest'
import { PATRONI, startPatroni } from '#testing/run/patroni.ts'
import { createReplicas, urlOf } from '#testing/run/replicas.ts'
import { ENGINE } from '#testing/server.ts'
import { idsOn, startTrial } from './failover/trial.ts'

const TIMES = {
  synchronous: Number(process.env.FAILOVERS_SYNCHRONOUS ?? 2),
  asynchronous: Number(process.env.FAILOVERS_ASYNCHRONOUS ?? 2),
  switchover: Number(process.env.SWITCHOVERS ?? 1),
}
type Kind = keyof typeof TIMES

const PATRONI_TIMES = {
  switchover: Number(process.env.PATRONI_SWITCHOVERS ?? 1),
  failover: Number(process.env.PATRONI_FAILOVERS ?? 2),
  'outage of etcd': 1,
}

/** The rows of the table, one for each kind. */
const table: Record<string, string | number>[] = []
afterAll(() => {
  for (const row of table) process.stdout.write(`${JSON.stringify(row)}\n`)
})

async function failOver(kind: Kind, times: number): Promise<void> {
  const [first, second] = await createReplicas(2)
  let [primary, standby] = [first, second]
  await primary.start()
  const join = async () => {
    await standby.copy(primary)
    await standby.start()
    await (kind === 'asynchronous' ? primary.streamedBy(standby) : primary.waitFor(standby))
  }
  await join()
  const trial = await startTrial(urlOf([first, second]), primary)
  let fenced = 0
  for (let round = 1; round <= times; round++) {
    const isSplit = kind !== 'switchover' && round % 2 === 1
    await trial.round({
      before: async () => {
        if (kind === 'asynchronous' && round % 3 !== 0) await standby.leave()
      },
      async change() {
        await (kind === 'switchover' ? primary.stop() : primary.kill())
        await standby.promote()
        return standby
      },
      async after(apiKeyId) {
        if (!isSplit) return
        // The former primary returns as a primary.
        await primary.start()
        const before = await idsOn(primary, apiKeyId)
        await sleep(1_500)
        assert.deepEqual(await idsOn(primary, apiKeyId), before, 'a write on the former primary')
        await primary.kill()
        fenced++
      },
      mayLose: kind === 'asynchronous',
      mayAnnounce: kind !== 'switchover',
    })
    ;[primary, standby] = [standby, primary]
    await join()
  }
  table.push({ kind, ...trial.row, 'two primaries': fenced })
}

/** In every second failover the machine of the primary does not die, but hangs, and continues when another is primary. */
async function failOverByPatroni(kind: keyof typeof PATRONI_TIMES, isSynchronous: boolean, times: number) {
  const patroni = await startPatroni({ isSynchronous })
  const trial = await startTrial(urlOf(patroni.nodes), await patroni.leader())
  for (let round = 1; round <= times; round++) {
    const former = await patroni.leader()
    const hangs = round % 2 === 0
    await trial.round({
      async change() {
        if (kind === 'switchover') return patroni.switchOver()
        if (kind === 'outage of etcd') {
          await patroni.withoutEtcd()
          assert.equal(await patroni.leader(), former, 'the primary changed')
          return former
        }
        if (hangs) former.freeze()
        else await former.kill()
        return patroni.promoted(former)
      },
      after: async () => {
        if (kind === 'failover' && hangs) former.thaw()
      },
      mayLose: !isSynchronous,
      mayAnnounce: kind === 'failover',
    })
    if (kind === 'failover' && !hangs) former.start()
    await patroni.settle()
  }
  table.push({ kind: `Patroni, ${isSynchronous ? 'synchronous' : 'asynchronous'} ${kind}`, ...trial.row })
}

describe('a failover', { skip: ENGINE === 'embedded' }, () => {
  for (const kind of ['synchronous', 'asynchronous', 'switchover'] as const)
    test(`${kind}: ${TIMES[kind]} times`, async () => failOver(kind, TIMES[kind]))
})

const where = PATRONI ?? 'is not here: npm run soak -- failover --patroni PROGRAM'
describe(`Patroni ${where}`, { skip: ENGINE === 'embedded' || PATRONI === undefined }, () => {
  for (const isSynchronous of [true, false])
    for (const kind of ['switchover', 'failover', 'outage of etcd'] as const)
      test(`${isSynchronous ? 'synchronous' : 'asynchronous'} ${kind}: ${PATRONI_TIMES[kind]} times`, async () =>
        failOverByPatroni(kind, isSynchronous, PATRONI_TIMES[kind]))
})
