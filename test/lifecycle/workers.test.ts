/**
 * Workers share rows: each row runs at least once, retries are spaced, and no row is lost when a worker dies. Each test
 * waits for leases on a store of its own, so all run at the same time.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import type { Db } from '#platform/db/db.ts'
import { findDue, watchDueWork } from '#platform/jobs/due-work.ts'
import { leasedRows } from '#platform/jobs/leased-rows.ts'
import { type JobResult, startWorker } from '#platform/jobs/worker.ts'
import { createLog } from '#platform/log.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { until } from '#testing/eventually.ts'
import { createStore } from '#testing/server.ts'

interface Job {
  id: string
}

const errands = (name: string, kind: 'ours' | 'theirs') =>
  leasedRows<Job>({
    name,
    table: 'errands',
    key: { id: 'id' },
    where: `kind = '${kind}'`,
    retrySeconds: { first: 1, longest: 10 },
  })

const JOBS = errands('errands', 'ours')
const THEIRS = errands('their-errands', 'theirs')

const FIND_DUE = findDue('errands.find-due', [JOBS, THEIRS])

const log = createLog('silent')

async function openQueue(...ids: string[]) {
  const { db, remove } = await createStore()
  cleanUp(async () => {
    await db.close()
    await remove()
  })
  await db.script(`create table errands (
    id text primary key, kind text not null default 'ours', due_at timestamptz not null default clock_timestamp(),
    claimed_at timestamptz, claims int not null default 0, finished_at timestamptz)`)
  for (const id of ids) await db.query('insert into errands (id) values ($1)', [id])
  return db
}

const finish = (db: Db, { id }: Job) => db.query('update errands set finished_at = now() where id = $1', [id])

async function rowOf(db: Db, id: string) {
  const sql = 'select claims, claimed_at is null as free, due_at <= clock_timestamp() as due from errands where id = $1'
  const { rows } = await db.query(sql, [id])
  return rows[0]
}

/** A worker that records its rows; it stops after the test. */
function startNoting(db: Db, work: (job: Job) => Promise<JobResult>) {
  const given: string[] = []
  const dueWork = watchDueWork({ db, log }, [FIND_DUE])
  const worker = startWorker({ db, log, dueWork, observeJob: (_queue, run) => run() }, JOBS, (job) => {
    given.push(job.id)
    return work(job)
  })
  cleanUp(() => Promise.all([dueWork.stop(), worker.stop()]))
  return { given, worker }
}

describe.concurrent('workers', () => {
  test('run each row once, two at once, and ignore the rows of other queues', async () => {
    const ids = Array.from({ length: 10 }, (_, index) => `job ${index}`)
    const db = await openQueue(...ids)
    await db.query(`insert into errands (id, kind) values ('other', 'theirs')`)
    let running = 0
    let most = 0
    const { given } = startNoting(db, async (job) => {
      most = Math.max(most, ++running)
      await sleep(20)
      await finish(db, job)
      running--
      return 'done'
    })
    await until('end of the jobs', () => given.length === ids.length && running === 0)
    await sleep(100)
    assert.deepEqual(given.toSorted(), ids)
    assert.equal(most, 2)
  })

  test('find due rows of all queues with one statement', async () => {
    const db = await openQueue()
    const sent: string[] = []
    db.observe(({ name }) => sent.push(name))
    const dueWork = watchDueWork({ db, log }, [FIND_DUE])
    for (const jobs of [JOBS, THEIRS]) {
      const worker = startWorker({ db, log, dueWork, observeJob: (_queue, run) => run() }, jobs, async (job) => {
        await finish(db, job)
        return 'done'
      })
      cleanUp(() => worker.stop())
    }
    cleanUp(() => dueWork.stop())
    await until('looks', () => sent.length >= 4)
    assert.deepEqual(new Set(sent), new Set([FIND_DUE.name]))
    await db.query(`insert into errands (id) values ('ours')`)
    await db.query(`insert into errands (id, kind) values ('theirs', 'theirs')`)
    const isFinished = async () => (await db.query('select from errands where finished_at is null')).rows.length === 0
    await until('jobs that others added', isFinished)
  })

  test('try a job that fails again, after a pause that doubles', async () => {
    const db = await openQueue('fails')
    const times: number[] = []
    startNoting(db, async (job) => {
      if (times.push(performance.now()) < 3) throw new Error('not yet')
      await finish(db, job)
      return 'done'
    })
    await until('end of the jobs', () => times.length === 3)
    const [first = 0, second = 0, third = 0] = times
    assert.ok(second - first >= 1_000, `${second - first} ms`)
    assert.ok(third - second >= 2_000, `${third - second} ms`)
  })

  test('run a row again whose worker is gone, when its lease expires', async () => {
    const db = await openQueue('left')
    assert.deepEqual(await db.run(JOBS.claim, [5]), [{ id: 'left', claims: 1 }])
    assert.deepEqual(await db.run(JOBS.claim, [5]), [])
    const { given } = startNoting(db, async (job) => {
      await finish(db, job)
      return 'done'
    })
    await until('end of the jobs', () => given.length === 1)
    assert.deepEqual(await db.run(JOBS.count), [{ ready: 0, deferred: 0, active: 0 }])
  })

  test('give a row whose lease expired to the job that they still run on it', async () => {
    const db = await openQueue('slow')
    const { promise, resolve } = Promise.withResolvers<JobResult>()
    const { given } = startNoting(db, () => promise)
    await until('job', () => given.length === 1)
    await until('second claim', async () => {
      await db.query('update errands set due_at = clock_timestamp() where claims = 1')
      return ((await rowOf(db, 'slow')) as { claims: number }).claims === 2
    })
    const isRenewed = async () =>
      (await db.query(`select from errands where due_at > $1`, [leaseEnd])).rows.length === 1
    const [{ leaseEnd } = {}] = (await db.query('select due_at as "leaseEnd" from errands')).rows as {
      leaseEnd?: Date
    }[]
    await until('renewal', isRenewed)
    resolve('failed')
    await until('release', async () => ((await rowOf(db, 'slow')) as { free: boolean }).free)
    assert.deepEqual(given, ['slow'])
  })

  test('continue an unfinished job after the other due ones', async () => {
    const db = await openQueue('long', 'short', 'shorter')
    const { given } = startNoting(db, async (job) => {
      if (job.id === 'long' && given.filter((id) => id === 'long').length === 1) return 'again'
      await finish(db, job)
      return 'done'
    })
    await until('end of the jobs', () => given.length === 4)
    assert.equal(given.at(-1), 'long')
  })

  test('release a row for others when they stop before it is done', async () => {
    const db = await openQueue('hangs')
    const { given, worker } = startNoting(db, () => new Promise(() => {}))
    await until('job', () => given.length === 1)
    await worker.stop()
    assert.deepEqual(await rowOf(db, 'hangs'), { claims: 1, free: true, due: true })
  })
})

test('a worker whose lease expired does not release the row of the next', async () => {
  const db = await openQueue('taken')
  const [first] = await db.run(JOBS.claim, [1])
  assert.ok(first)
  await db.query('update errands set due_at = clock_timestamp()')
  await db.run(JOBS.claim, [1])
  await db.run(JOBS.release, JOBS.releaseValues(first, 0))
  assert.deepEqual(await rowOf(db, 'taken'), { claims: 2, free: false, due: false })
  assert.deepEqual(await db.run(JOBS.count), [{ ready: 0, deferred: 0, active: 1 }])
})
