/** What a caller of the Coalescer is promised, with work that the tests make up: it is asked for by interface. */
import assert from 'node:assert/strict'
import { setImmediate as tick } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { Coalescer, type Patience } from './coalesce.ts'
import type { StatusError } from './status-error.ts'

interface Ask {
  name: string
  rows: number
  lane: string
}

interface Run {
  names: string[]
  patience: Patience
}

const ask = (name: string, { rows = 1, lane = 'a' } = {}): Ask => ({ name, rows, lane })
const fault = (code: string) => Object.assign(new Error(code), { code })
const LOCKED = '55P03'
const DEADLOCK = '40P01'
const CANCELED = '57014'
const LOST = 'ECONNRESET'

/** Answers each request its name in capitals, after `before` has had its say; `runs` are those that were begun. */
function coalescer(before: (run: Run, nth: number) => unknown = () => {}, { idempotent = true } = {}) {
  const runs: Run[] = []
  const made = new Coalescer<Ask, string>({
    name: 'made up',
    idempotent,
    rows: ({ rows }) => rows,
    lane: ({ lane }) => lane,
    async execute(requests, patience) {
      const run = { names: requests.map(({ name }) => name), patience }
      runs.push(run)
      await before(run, runs.length)
      return run.names.map((name) => name.toUpperCase())
    },
  })
  return { made, runs, all: (...asked: Ask[]) => Promise.allSettled(asked.map((request) => made.run(request))) }
}

/** The answers, or the code of the error, in order. */
const told = (settled: PromiseSettledResult<string>[]): string[] =>
  settled.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason.code ?? one.reason.status)))

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}

describe('Coalescer', () => {
  describe('joining', () => {
    it('joins the calls of one moment into one run and gives each its own answer', async () => {
      const { all, runs } = coalescer()
      assert.deepEqual(told(await all(ask('x'), ask('y'), ask('z'))), ['X', 'Y', 'Z'])
      assert.deepEqual(runs, [{ names: ['x', 'y', 'z'], patience: 'brief' }])
    })

    it('shows runs to an observer, with where their requests come from, and tells what waits', async () => {
      const { opened, open } = gate()
      const { made, all } = coalescer(() => opened)
      const seen: unknown[] = []
      let asked = 0
      made.observe({
        origin: () => ++asked,
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
        { origins: [3], rows: 300 },
        { origins: [2], rows: 2 },
      ])
    })

    it('has one run under way, and what comes meanwhile shares the next', async () => {
      const { opened, open } = gate()
      const { all, runs } = coalescer((_, nth) => (nth === 1 ? opened : undefined))
      const answers = []
      for (const name of ['x', 'y', 'z', 'w']) {
        answers.push(all(ask(name)))
        await tick()
      }
      assert.deepEqual(
        runs.map(({ names }) => names),
        [['x']],
      )
      open()
      await Promise.all(answers)
      assert.deepEqual(
        runs.map(({ names }) => names),
        [['x'], ['y', 'z', 'w']],
      )
    })

    it('takes at most 256 rows a run, and larger requests alone, beside the others', async () => {
      const { all, runs } = coalescer()
      const asked = [ask('x', { rows: 200 }), ask('y', { rows: 57 }), ask('z', { rows: 900 }), ask('w')]
      assert.deepEqual(told(await all(...asked)), ['X', 'Y', 'Z', 'W'])
      assert.deepEqual(
        runs.map(({ names }) => names),
        [['x'], ['z'], ['y', 'w']],
      )
    })

    it('refuses with RESOURCE_EXHAUSTED when 100,000 rows wait in a line, and takes calls again when they are done', async () => {
      const { made, all } = coalescer()
      const full = all(...Array.from({ length: 100 }, (_, index) => ask(`x${index}`, { rows: 1_000 })))
      await assert.rejects(
        made.run(ask('y', { rows: 1_000 })),
        (error: StatusError) => error.status === 'RESOURCE_EXHAUSTED',
      )
      assert.ok((await full).every(({ status }) => status === 'fulfilled'))
      assert.equal(await made.run(ask('z')), 'Z')
    })

    it('counts what waits in large requests apart: a flood of them refuses no small one', async () => {
      const { made, all } = coalescer()
      const flood = all(...Array.from({ length: 14 }, (_, index) => ask(`x${index}`, { rows: 10_000 })))
      assert.equal(await made.run(ask('y')), 'Y')
      assert.deepEqual(told(await flood).slice(9), ['X9', ...Array.from({ length: 4 }, () => 'RESOURCE_EXHAUSTED')])
    })
  })

  describe('a poisoned request', () => {
    it('hurts only itself: the others of its run are answered', async () => {
      const { all, runs } = coalescer(({ names }) => {
        if (names.includes('poison')) throw fault('22021')
      })
      assert.deepEqual(told(await all(ask('x'), ask('poison'), ask('y'))), ['X', '22021', 'Y'])
      assert.deepEqual(
        runs.map(({ names }) => names),
        [['x', 'poison', 'y'], ['x'], ['poison'], ['y']],
      )
    })

    it('is looked for one request after the other: a run never becomes many at once', async () => {
      let running = 0
      const { all, runs } = coalescer(async (_, nth) => {
        running++
        assert.equal(running, 1)
        await tick()
        running--
        if (nth === 1) throw fault('22021')
      })
      const asked = Array.from({ length: 10 }, (_, index) => ask(`x${index}`))
      assert.ok((await all(...asked)).every(({ status }) => status === 'fulfilled'))
      assert.equal(runs.length, 1 + 10)
    })

    it('is run again up to five times when it only lost a race', async () => {
      const twice = coalescer((_, nth) => {
        if (nth <= 3) throw fault(DEADLOCK)
      })
      assert.deepEqual(told(await twice.all(ask('x'))), ['X'])
      assert.equal(twice.runs.length, 4)
      const always = coalescer(() => {
        throw fault(DEADLOCK)
      })
      assert.deepEqual(told(await always.all(ask('x'))), [DEADLOCK])
      assert.equal(always.runs.length, 1 + 5, 'once with others, five times alone')
    })
  })

  describe('a lost connection', () => {
    const lostOnce = (_: Run, nth: number) => {
      if (nth === 1) throw fault(LOST)
    }

    it('runs idempotent work again, together', async () => {
      const { all, runs } = coalescer(lostOnce)
      assert.deepEqual(told(await all(ask('x'), ask('y'))), ['X', 'Y'])
      assert.equal(runs.length, 2)
    })

    it('that is lost again is told to all at once, however many they are', async () => {
      const { all, runs } = coalescer(() => {
        throw fault(LOST)
      })
      assert.deepEqual(told(await all(ask('x'), ask('y'), ask('z'))), [LOST, LOST, LOST])
      assert.equal(runs.length, 2)
    })

    it('never runs other work again: it may have happened', async () => {
      const { all, runs } = coalescer(lostOnce, { idempotent: false })
      assert.deepEqual(told(await all(ask('x'), ask('y'))), [LOST, LOST])
      assert.equal(runs.length, 1)
    })

    it('never runs other work again in a slow lane either', async () => {
      const { all, runs } = coalescer(
        (_, nth) => {
          throw fault(nth === 1 ? LOCKED : LOST)
        },
        { idempotent: false },
      )
      assert.deepEqual(told(await all(ask('x'), ask('y'))), [LOST, LOST])
      assert.equal(runs.length, 2)
    })
  })

  describe('a lock that is not free', () => {
    const lockedAtFirst = (_: Run, nth: number) => {
      if (nth === 1) throw fault(LOCKED)
    }

    it('sends the run on lane by lane, briefly once more', async () => {
      const { all, runs } = coalescer(lockedAtFirst)
      const asked = [ask('x'), ask('y', { lane: 'b' }), ask('z')]
      assert.deepEqual(told(await all(...asked)), ['X', 'Y', 'Z'])
      assert.deepEqual(runs.slice(1), [
        { names: ['x', 'z'], patience: 'brief' },
        { names: ['y'], patience: 'brief' },
      ])
    })

    it('sends a lane that is alone in its run on patiently', async () => {
      const { all, runs } = coalescer(lockedAtFirst)
      assert.deepEqual(told(await all(ask('x'), ask('y'))), ['X', 'Y'])
      assert.deepEqual(runs.slice(1), [{ names: ['x', 'y'], patience: 'patient' }])
    })

    it('of three lanes does not stall a fourth that shared their run, nor what comes meanwhile', async () => {
      const { opened, open } = gate()
      const { made, all } = coalescer(async ({ names, patience }) => {
        if (!names.some((name) => name.startsWith('locked'))) return
        if (patience === 'brief') throw fault(LOCKED)
        await opened
      })
      const locked = ['a', 'b', 'c'].map((lane) => made.run(ask(`locked ${lane}`, { lane })))
      const innocent = made.run(ask('innocent', { lane: 'd' }))
      assert.equal(await innocent, 'INNOCENT')
      assert.deepEqual(told(await all(ask('y', { lane: 'd' }), ask('z', { lane: 'e' }))), ['Y', 'Z'])
      open()
      assert.deepEqual(await Promise.all(locked), ['LOCKED A', 'LOCKED B', 'LOCKED C'])
    })

    it('lets the line go on while the lanes of a run are tried', async () => {
      const { opened, open } = gate()
      const { made, all, runs } = coalescer((run, nth) => {
        lockedAtFirst(run, nth)
        return run.names.includes('x') ? opened : undefined
      })
      const tried = all(ask('x'), ask('y', { lane: 'b' }))
      while (runs.length < 2) await tick()
      assert.equal(await made.run(ask('z', { lane: 'c' })), 'Z')
      open()
      assert.deepEqual(told(await tried), ['X', 'Y'])
    })

    it('fails what waited for it in one run together, without asking for it again', async () => {
      for (const code of [LOCKED, CANCELED]) {
        const { all, runs } = coalescer((_, nth) => {
          throw fault(nth === 1 ? LOCKED : code)
        })
        const asked = Array.from({ length: 10 }, (_, index) => ask(`x${index}`))
        assert.deepEqual(
          told(await all(...asked)),
          Array.from({ length: 10 }, () => code),
        )
        assert.equal(runs.length, 2)
      }
    })

    it('holds up its own lane alone: later calls of it wait behind, those of others do not', async () => {
      const { opened, open } = gate()
      const { made, all, runs } = coalescer(({ patience }, nth) => {
        lockedAtFirst({ names: [], patience }, nth)
        return patience === 'patient' ? opened : undefined
      })
      const slow = made.run(ask('x'))
      while (runs.length < 2) await tick()
      const behind = all(ask('y'))
      assert.deepEqual(told(await all(ask('z', { lane: 'b' }))), ['Z'])
      assert.deepEqual(runs.at(-1), { names: ['z'], patience: 'brief' })
      open()
      assert.equal(await slow, 'X')
      assert.deepEqual(told(await behind), ['Y'])
      assert.deepEqual(runs.at(-1), { names: ['y'], patience: 'patient' })
      await made.drained()
      await all(ask('w'))
      assert.deepEqual(runs.at(-1), { names: ['w'], patience: 'brief' }, 'the lane is no longer slow')
    })

    it('keeps the bounds of a run and of the queue in a slow lane', async () => {
      const { opened, open } = gate()
      const { made, all, runs } = coalescer(({ patience }, nth) => {
        lockedAtFirst({ names: [], patience }, nth)
        return patience === 'patient' ? opened : undefined
      })
      const slow = made.run(ask('x'))
      while (runs.length < 2) await tick()
      const behind = all(...Array.from({ length: 500 }, (_, index) => ask(`y${index}`, { rows: 200 })))
      await assert.rejects(made.run(ask('z')), (error: StatusError) => error.status === 'RESOURCE_EXHAUSTED')
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
    it('is tried again lane by lane, and a lane that takes too long again fails whole', async () => {
      const { all, runs } = coalescer(({ names }) => {
        if (names.includes('long')) throw fault(CANCELED)
      })
      const asked = [ask('long'), ask('x'), ask('y', { lane: 'b' }), ask('z', { lane: 'b' })]
      assert.deepEqual(told(await all(...asked)), [CANCELED, CANCELED, 'Y', 'Z'])
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
    const { made, all } = coalescer(async ({ names, patience }) => {
      if (patience === 'brief') throw fault(LOCKED)
      await tick()
      if (patience === 'patient') done += names.length
    })
    void all(ask('x'), ask('y', { lane: 'b' }))
    await made.drained()
    assert.equal(done, 2)
  })
})
