/** The guarantees of the Coalescer to its callers, tested with sample work through its interface. */
import assert from 'node:assert/strict'
import { setImmediate as tick } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { until } from '#testing/eventually.ts'
import type { StatusError } from '../status-error.ts'
import { Coalescer } from './coalesce.ts'
import type { LockWait } from './lanes.ts'

interface Ask {
  name: string
  rows: number
  lane: string
  tenant: string
  locks: string[]
}

interface Run {
  names: string[]
  lockWait: LockWait
}

const ask = (name: string, { rows = 1, lane = 'a', tenant = 't', locks = [name] } = {}): Ask => ({
  name,
  rows,
  lane,
  tenant,
  locks,
})
const fault = (code: string) => Object.assign(new Error(code), { code })
const LOCKED = '55P03'
const DEADLOCK = '40P01'
const CANCELED = '57014'
const LOST = 'ECONNRESET'

/** Returns the name of each request in capitals after `before`, which can delay or fail a run. `runs` lists the runs that began. */
function coalescer(
  before: (run: Run, nth: number) => unknown = () => {},
  {
    idempotent = true,
    beside = false,
    more = {},
  }: { idempotent?: boolean; beside?: boolean; more?: { rowsBeside?: number } } = {},
) {
  const runs: Run[] = []
  const made = new Coalescer<Ask, string>({
    name: 'sample',
    idempotent,
    rows: ({ rows }) => rows,
    lane: ({ lane }) => lane,
    ...(beside && { locks: ({ locks }) => locks }),
    ...more,
    async execute(requests, lockWait) {
      const run = { names: requests.map(({ name }) => name), lockWait }
      runs.push(run)
      await before(run, runs.length)
      return run.names.map((name) => name.toUpperCase())
    },
  })
  const run = (request: Ask) => made.run(request, request.tenant)
  return { made, run, runs, all: (...requests: Ask[]) => Promise.allSettled(requests.map(run)) }
}

/** Returns the results or error codes, in order. */
const outcomes = (settled: PromiseSettledResult<string>[]): string[] =>
  settled.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason.code ?? one.reason.status)))

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}

describe('Coalescer', () => {
  describe('joining', () => {
    it('joins concurrent calls into one run and returns to each its own result', async () => {
      const { all, runs } = coalescer()
      assert.deepEqual(outcomes(await all(ask('x'), ask('y'), ask('z'))), ['X', 'Y', 'Z'])
      assert.deepEqual(runs, [{ names: ['x', 'y', 'z'], lockWait: 'brief' }])
    })

    it('reports runs to an observer with the origins of their requests, and reports the queue', async () => {
      const { opened, open } = gate()
      const { made, all } = coalescer(() => opened)
      const seen: unknown[] = []
      let requests = 0
      made.observe({
        origin: () => ++requests,
        around(run, execute) {
          seen.push(run)
          return execute()
        },
      })
      const first = all(ask('x'))
      await tick()
      const others = all(ask('y', { rows: 2 }), ask('z', { rows: 300 }))
      assert.equal(made.queuedRows, 302)
      open()
      await Promise.all([first, others])
      assert.equal(made.queuedRows, 0)
      assert.deepEqual(seen, [
        { origins: [1], rows: 1 },
        { origins: [2], rows: 2 },
        { origins: [3], rows: 300 },
      ])
    })

    it('runs one batch at a time; calls that arrive during a run share the next', async () => {
      const { opened, open } = gate()
      const { all, runs } = coalescer((_, nth) => (nth === 1 ? opened : undefined))
      const results = []
      for (const name of ['x', 'y', 'z', 'w']) {
        results.push(all(ask(name)))
        await tick()
      }
      assert.deepEqual(
        runs.map(({ names }) => names),
        [['x']],
      )
      open()
      await Promise.all(results)
      assert.deepEqual(
        runs.map(({ names }) => names),
        [['x'], ['y', 'z', 'w']],
      )
    })

    it('limits a run to 256 rows, and runs larger requests alone in their own queue', async () => {
      const { all, runs } = coalescer()
      const requests = [ask('x', { rows: 200 }), ask('y', { rows: 57 }), ask('z', { rows: 900 }), ask('w')]
      assert.deepEqual(outcomes(await all(...requests)), ['X', 'Y', 'Z', 'W'])
      assert.deepEqual(
        runs.map(({ names }) => names),
        [['x'], ['z'], ['y', 'w']],
      )
    })

    it('refuses with RESOURCE_EXHAUSTED when 100,000 rows are queued, and accepts calls again when they are done', async () => {
      const { all, run } = coalescer()
      const full = all(...Array.from({ length: 100 }, (_, index) => ask(`x${index}`, { rows: 1_000 })))
      await assert.rejects(
        run(ask('y', { rows: 1_000 })),
        (error: StatusError) => error.status === 'RESOURCE_EXHAUSTED',
      )
      assert.ok((await full).every(({ status }) => status === 'fulfilled'))
      assert.equal(await run(ask('z')), 'Z')
    })

    it('counts large requests separately: a flood of them does not refuse small ones', async () => {
      const { all, run } = coalescer()
      const flood = all(...Array.from({ length: 14 }, (_, index) => ask(`x${index}`, { rows: 10_000 })))
      assert.equal(await run(ask('y')), 'Y')
      assert.deepEqual(outcomes(await flood).slice(9), ['X9', ...Array.from({ length: 4 }, () => 'RESOURCE_EXHAUSTED')])
    })
  })

  describe('runs beside each other', () => {
    /** Each run waits until the gate of its first request opens. */
    function besides(more: { rowsBeside?: number } = {}) {
      const gates = new Map<string, ReturnType<typeof gate>>()
      const gateOf = (name: string) => gates.getOrInsertComputed(name, gate)
      const asked = coalescer(({ names: [first = ''] }) => gateOf(first).opened, { beside: true, more })
      return {
        ...asked,
        open: (name: string) => gateOf(name).open(),
        begun: () => asked.runs.map(({ names }) => names),
      }
    }
    const settle = async () => {
      for (let turn = 0; turn < 10; turn++) await tick()
    }

    it('share no lock, have enough rows, and are two at most', async () => {
      const { run, begun, open } = besides()
      const ends = [run(ask('x', { locks: ['a', 'b'] }))]
      await settle()
      ends.push(run(ask('locked', { rows: 200, locks: ['b'] })), run(ask('few', { rows: 95 })))
      await settle()
      assert.deepEqual(begun(), [['x']], 'too few rows are free')
      ends.push(run(ask('more', { rows: 1 })), run(ask('third', { rows: 200, locks: ['third'] })))
      await settle()
      assert.deepEqual(begun(), [['x'], ['few', 'more']])
      open('x')
      await settle()
      assert.deepEqual(begun(), [['x'], ['few', 'more'], ['locked']])
      for (const name of ['few', 'locked', 'third']) open(name)
      await Promise.all(ends)
    })

    it('begin with fewer rows if these take longer', async () => {
      const { run, begun, open } = besides({ rowsBeside: 3 })
      const ends = [run(ask('x'))]
      await settle()
      ends.push(run(ask('y', { rows: 2 })))
      await settle()
      assert.deepEqual(begun(), [['x']])
      ends.push(run(ask('z')))
      await settle()
      assert.deepEqual(begun(), [['x'], ['y', 'z']])
      for (const name of ['x', 'y']) open(name)
      await Promise.all(ends)
    })

    it('begin in the order of the calls for each lock: one that needs several is not overtaken indefinitely', async () => {
      const { run, begun, open } = besides()
      const ends = [run(ask('x', { locks: ['a'] }))]
      await settle()
      ends.push(run(ask('y', { rows: 100, locks: ['b'] })))
      await settle()
      ends.push(run(ask('both', { rows: 100, locks: ['a', 'b'] })), run(ask('later', { rows: 100, locks: ['a'] })))
      open('x')
      await settle()
      assert.deepEqual(begun(), [['x'], ['y']], 'the later one waits behind the one that waits for the second run')
      open('y')
      await settle()
      assert.deepEqual(begun(), [['x'], ['y'], ['both', 'later']])
      open('both')
      await Promise.all(ends)
    })

    it('cost no time of the process while they wait', async () => {
      const { all, begun, open } = besides()
      const first = all(ask('x', { rows: 300 }))
      await settle()
      const second = all(ask('y', { rows: 300 }))
      const { eventLoopUtilization } = performance
      // Something else may use the process for a while, but not always.
      await until('an idle process', async () => {
        const before = eventLoopUtilization()
        await new Promise((resolve) => setTimeout(resolve, 50))
        return eventLoopUtilization(before).utilization < 0.5
      })
      open('x')
      open('y')
      await Promise.all([first, second])
      assert.deepEqual(begun(), [['x'], ['y']])
    })
  })

  describe('tenants', () => {
    it('take turns: the request of one is in the next run, however many of another wait', async () => {
      const { opened, open } = gate()
      const { run, runs, all } = coalescer((_, nth) => (nth === 1 ? opened : undefined))
      const first = run(ask('first'))
      await tick()
      const flood = all(...Array.from({ length: 600 }, (_, index) => ask(`x${index}`)))
      const other = run(ask('y', { tenant: 'u' }))
      open()
      assert.deepEqual([await first, await other], ['FIRST', 'Y'])
      await flood
      assert.deepEqual(
        runs.map(({ names }) => [names.length, names.includes('y')]),
        [
          [1, false],
          [256, true],
          [256, false],
          [89, false],
        ],
      )
    })

    it('do not wait for the large request of another', async () => {
      const { opened, open } = gate()
      const { run, all, runs } = coalescer(({ names }) => (names.includes('y') ? undefined : opened))
      const large = all(ask('x1', { rows: 900 }), ask('x2', { rows: 900 }))
      await tick()
      assert.equal(await run(ask('y', { rows: 300, tenant: 'u' })), 'Y')
      assert.deepEqual(
        runs.map(({ names }) => names),
        [['x1'], ['y']],
        'the second of the same tenant waits for its first',
      )
      open()
      await large
    })

    it('are refused for their own queue only', async () => {
      const { run, all } = coalescer()
      const full = all(...Array.from({ length: 101 }, (_, index) => ask(`x${index}`, { rows: 1_000 })))
      assert.equal(await run(ask('y', { rows: 1_000, tenant: 'u' })), 'Y')
      assert.deepEqual(outcomes(await full).slice(99), ['X99', 'RESOURCE_EXHAUSTED'])
    })

    it('with full queues are refused only if they have more than a share', async () => {
      const { run, all } = coalescer()
      const four = ['a', 'b', 'c', 'd'].map((tenant) =>
        all(...Array.from({ length: 100 }, (_, index) => ask(`x${index}`, { rows: 1_000, tenant }))),
      )
      assert.equal(await run(ask('y', { rows: 1_000, tenant: 'u' })), 'Y')
      for (const results of await Promise.all(four)) assert.ok(results.every(({ status }) => status === 'fulfilled'))
    })

    it('fail separately: a run that takes too long is retried tenant by tenant if the lane is the tenant', async () => {
      const { all } = coalescer(({ names }) => {
        if (names.includes('long')) throw fault(CANCELED)
      })
      const asks = [ask('long', { lane: 't' }), ask('y', { tenant: 'u', lane: 'u' })]
      assert.deepEqual(outcomes(await all(...asks)), [CANCELED, 'Y'])
    })
  })

  describe('an invalid request', () => {
    it('fails alone: the others of its run succeed', async () => {
      const { all, runs } = coalescer(({ names }) => {
        if (names.includes('poison')) throw fault('22021')
      })
      assert.deepEqual(outcomes(await all(ask('x'), ask('poison'), ask('y'))), ['X', '22021', 'Y'])
      assert.deepEqual(
        runs.map(({ names }) => names),
        [['x', 'poison', 'y'], ['x'], ['poison'], ['y']],
      )
    })

    it('is found by running requests sequentially: one run never becomes many concurrent ones', async () => {
      let running = 0
      const { all, runs } = coalescer(async (_, nth) => {
        running++
        assert.equal(running, 1)
        await tick()
        running--
        if (nth === 1) throw fault('22021')
      })
      const requests = Array.from({ length: 10 }, (_, index) => ask(`x${index}`))
      assert.ok((await all(...requests)).every(({ status }) => status === 'fulfilled'))
      assert.equal(runs.length, 1 + 10)
    })

    it('is tried up to five times after lost races', async () => {
      const twice = coalescer((_, nth) => {
        if (nth <= 3) throw fault(DEADLOCK)
      })
      assert.deepEqual(outcomes(await twice.all(ask('x'))), ['X'])
      assert.equal(twice.runs.length, 4)
      const always = coalescer(() => {
        throw fault(DEADLOCK)
      })
      assert.deepEqual(outcomes(await always.all(ask('x'))), [DEADLOCK])
      assert.equal(always.runs.length, 1 + 5, 'once with others, five times alone')
    })
  })

  describe('a lost connection', () => {
    const lostOnce = (_: Run, nth: number) => {
      if (nth === 1) throw fault(LOST)
    }

    it('retries idempotent work as one batch', async () => {
      const { all, runs } = coalescer(lostOnce)
      assert.deepEqual(outcomes(await all(ask('x'), ask('y'))), ['X', 'Y'])
      assert.equal(runs.length, 2)
    })

    it('that happens again fails all requests together, however many there are', async () => {
      const { all, runs } = coalescer(() => {
        throw fault(LOST)
      })
      assert.deepEqual(outcomes(await all(ask('x'), ask('y'), ask('z'))), [LOST, LOST, LOST])
      assert.equal(runs.length, 2)
    })

    it('does not retry other work, which may have taken effect', async () => {
      const { all, runs } = coalescer(lostOnce, { idempotent: false })
      assert.deepEqual(outcomes(await all(ask('x'), ask('y'))), [LOST, LOST])
      assert.equal(runs.length, 1)
    })

    it('does not retry other work in a slow lane either', async () => {
      const { all, runs } = coalescer(
        (_, nth) => {
          throw fault(nth === 1 ? LOCKED : LOST)
        },
        { idempotent: false },
      )
      assert.deepEqual(outcomes(await all(ask('x'), ask('y'))), [LOST, LOST])
      assert.equal(runs.length, 2)
    })
  })

  describe('a lock that is held', () => {
    const lockedAtFirst = (_: Run, nth: number) => {
      if (nth === 1) throw fault(LOCKED)
    }

    it('retries the run lane by lane with a brief wait', async () => {
      const { all, runs } = coalescer(lockedAtFirst)
      const requests = [ask('x'), ask('y', { lane: 'b' }), ask('z')]
      assert.deepEqual(outcomes(await all(...requests)), ['X', 'Y', 'Z'])
      assert.deepEqual(runs.slice(1), [
        { names: ['x', 'z'], lockWait: 'brief' },
        { names: ['y'], lockWait: 'brief' },
      ])
    })

    it('moves the only lane of a run directly to the slow lane', async () => {
      const { all, runs } = coalescer(lockedAtFirst)
      assert.deepEqual(outcomes(await all(ask('x'), ask('y'))), ['X', 'Y'])
      assert.deepEqual(runs.slice(1), [{ names: ['x', 'y'], lockWait: 'full' }])
    })

    it('of three lanes delays neither a fourth lane of the same run nor later calls', async () => {
      const { opened, open } = gate()
      const { all, run } = coalescer(async ({ names, lockWait }) => {
        if (!names.some((name) => name.startsWith('locked'))) return
        if (lockWait === 'brief') throw fault(LOCKED)
        await opened
      })
      const locked = ['a', 'b', 'c'].map((lane) => run(ask(`locked ${lane}`, { lane })))
      const innocent = run(ask('innocent', { lane: 'd' }))
      assert.equal(await innocent, 'INNOCENT')
      assert.deepEqual(outcomes(await all(ask('y', { lane: 'd' }), ask('z', { lane: 'e' }))), ['Y', 'Z'])
      open()
      assert.deepEqual(await Promise.all(locked), ['LOCKED A', 'LOCKED B', 'LOCKED C'])
    })

    it('lets the queue continue while the lanes of a run are retried', async () => {
      const { opened, open } = gate()
      const { all, runs, run } = coalescer((run, nth) => {
        lockedAtFirst(run, nth)
        return run.names.includes('x') ? opened : undefined
      })
      const tried = all(ask('x'), ask('y', { lane: 'b' }))
      while (runs.length < 2) await tick()
      assert.equal(await run(ask('z', { lane: 'c' })), 'Z')
      open()
      assert.deepEqual(outcomes(await tried), ['X', 'Y'])
    })

    it('fails all requests of a slow run together, without retrying them', async () => {
      for (const code of [LOCKED, CANCELED]) {
        const { all, runs } = coalescer((_, nth) => {
          throw fault(nth === 1 ? LOCKED : code)
        })
        const requests = Array.from({ length: 10 }, (_, index) => ask(`x${index}`))
        assert.deepEqual(
          outcomes(await all(...requests)),
          Array.from({ length: 10 }, () => code),
        )
        assert.equal(runs.length, 2)
      }
    })

    it('delays only its own lane: later calls of that lane wait, calls of others do not', async () => {
      const { opened, open } = gate()
      const { made, all, runs, run } = coalescer(({ lockWait }, nth) => {
        lockedAtFirst({ names: [], lockWait }, nth)
        return lockWait === 'full' ? opened : undefined
      })
      const slow = run(ask('x'))
      while (runs.length < 2) await tick()
      const behind = all(ask('y'))
      assert.deepEqual(outcomes(await all(ask('z', { lane: 'b' }))), ['Z'])
      assert.deepEqual(runs.at(-1), { names: ['z'], lockWait: 'brief' })
      open()
      assert.equal(await slow, 'X')
      assert.deepEqual(outcomes(await behind), ['Y'])
      assert.deepEqual(runs.at(-1), { names: ['y'], lockWait: 'full' })
      await made.drained()
      await all(ask('w'))
      assert.deepEqual(runs.at(-1), { names: ['w'], lockWait: 'brief' }, 'the lane is no longer slow')
    })

    it('keeps the limits of a run and of the queue in a slow lane', async () => {
      const { opened, open } = gate()
      const { all, runs, run } = coalescer(({ lockWait }, nth) => {
        lockedAtFirst({ names: [], lockWait }, nth)
        return lockWait === 'full' ? opened : undefined
      })
      const slow = run(ask('x'))
      while (runs.length < 2) await tick()
      const behind = all(...Array.from({ length: 500 }, (_, index) => ask(`y${index}`, { rows: 200 })))
      await assert.rejects(run(ask('z')), (error: StatusError) => error.status === 'RESOURCE_EXHAUSTED')
      open()
      await slow
      assert.ok((await behind).every(({ status }) => status === 'fulfilled'))
      assert.ok(
        runs.every(({ names }) => names.length === 1),
        'two of them would be more than 256 rows',
      )
    })
  })

  describe('a run that takes too long', () => {
    it('is retried lane by lane, and a lane that takes too long again fails as a whole', async () => {
      const { all, runs } = coalescer(({ names }) => {
        if (names.includes('long')) throw fault(CANCELED)
      })
      const requests = [ask('long'), ask('x'), ask('y', { lane: 'b' }), ask('z', { lane: 'b' })]
      assert.deepEqual(outcomes(await all(...requests)), [CANCELED, CANCELED, 'Y', 'Z'])
      assert.deepEqual(
        runs.map(({ names }) => names),
        [
          ['long', 'x', 'y', 'z'],
          ['long', 'x'],
          ['y', 'z'],
        ],
      )
    })
  })

  it('is drained when nothing waits or runs, slow lanes included', async () => {
    let done = 0
    const { made, all } = coalescer(async ({ names, lockWait }) => {
      if (lockWait === 'brief') throw fault(LOCKED)
      await tick()
      if (lockWait === 'full') done += names.length
    })
    void all(ask('x'), ask('y', { lane: 'b' }))
    await made.drained()
    assert.equal(done, 2)
  })
})
