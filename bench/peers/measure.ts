/** The measurements of the comparison: all systems take turns in each. */
import { postgresCpuSeconds } from '../support/cpu.ts'
import { load, type Measured } from '../support/load.ts'
import { percentile, say, sayHead, sayRow } from '../support/report.ts'
import type { Call, System } from './system.ts'
import type { PeersWorld } from './world.ts'

const ROUNDS = 5
const BODIES = 2_000
const BODIES_MIN = 100
export const CHECKS_IN_CALL = 50

interface Measurement {
  name: string
  /** The number of checks or grants in a call. */
  rows: number
  /** The factor by which it is measured longer than others, because a call of some system takes seconds. */
  times?: number
  connections: number
  call(system: System, world: PeersWorld): Call
}

/** A user that no other call names: the generator of the load replaces `@` with a number. */
const NEW_USER = 'user-@'

const grants = (count: number, connections: number): Measurement => ({
  name: count === 1 ? 'one grant' : `${count} grants a call`,
  rows: count,
  connections,
  call: (system, world) => system.grant(NEW_USER, world.targets(count)),
})
const MEASUREMENTS: Measurement[] = [
  { name: 'one check', rows: 1, connections: 64, call: (system, world) => system.check(world.question()) },
  {
    name: `${CHECKS_IN_CALL} checks a call`,
    rows: CHECKS_IN_CALL,
    times: 5,
    connections: 16,
    call: (system, world) => system.checks(world.questions(CHECKS_IN_CALL)),
  },
  { name: 'the documents of a user', rows: 1, connections: 16, call: (system, world) => system.list(world.user()) },
  grants(1, 64),
  grants(5, 32),
  grants(20, 32),
  grants(100, 32),
]

interface Sample extends Measured {
  /** CPU time of a call, in microseconds. */
  own: number
  postgres: number
}

export async function measureAll(
  systems: readonly System[],
  world: PeersWorld,
  { databaseUrl, seconds }: { databaseUrl: string; seconds: number },
): Promise<void> {
  say(`\n${ROUNDS} rounds by turns after one to warm up, ${seconds} s each; medians, and the range of the rates.`)
  sayHead(
    'what',
    'connections',
    'system',
    'calls/s',
    'range',
    'p50 ms',
    'p99 ms',
    'CPU of the system, µs a call',
    'of PostgreSQL',
    'errors',
  )
  for (const { name, rows, times = 1, connections, call } of MEASUREMENTS) {
    const bodies = Math.max(BODIES / rows, BODIES_MIN)
    const samples = new Map(systems.map((system) => [system, [] as Sample[]]))
    for (let round = -1; round < ROUNDS; round++)
      for (const [system, ofSystem] of samples) {
        const calls = Array.from({ length: bodies }, () => call(system, world))
        const sample = await measure(system, calls, {
          connections,
          databaseUrl,
          seconds: round < 0 ? 1 : times * seconds,
        })
        if (round >= 0) ofSystem.push(sample)
      }
    for (const [system, ofSystem] of samples) sayRow(name, connections, system.name, ...summary(ofSystem))
  }
}

async function measure(
  system: System,
  calls: readonly Call[],
  { connections, databaseUrl, seconds }: { connections: number; databaseUrl: string; seconds: number },
): Promise<Sample> {
  const cpu = async () => [system.server.cpuSeconds(), await postgresCpuSeconds(databaseUrl)] as const
  const before = await cpu()
  const measured = await load({
    url: system.server.url + calls[0]?.path,
    headers: { 'content-type': 'application/json', ...system.headers },
    bodies: calls.map(({ body }) => body),
    connections,
    seconds,
  })
  const after = await cpu()
  const responses = Math.max(1, measured.rate * seconds)
  const perCall = (spent: number) => (spent / responses) * 1e6
  return { ...measured, own: perCall(after[0] - before[0]), postgres: perCall(after[1] - before[1]) }
}

function summary(samples: readonly Sample[]): (string | number)[] {
  const median = (of: keyof Sample) =>
    percentile(
      samples.map((sample) => sample[of]),
      0.5,
    )
  const rates = samples.map(({ rate }) => Math.round(rate))
  return [
    Math.round(median('rate')),
    `${Math.min(...rates)}–${Math.max(...rates)}`,
    median('p50Ms').toFixed(1),
    median('p99Ms').toFixed(1),
    Math.round(median('own')),
    Math.round(median('postgres')),
    samples.reduce((sum, { errors }) => sum + errors, 0),
  ]
}
