/** How the tests run: everything or what a push needs, and how long they wait on this machine. */
import { createHash } from 'node:crypto'
import os from 'node:os'

/** Whether the run is `npm run test:full`: every death, every package, both engines. */
export const FULL = process.env.TEST_FULL === 'true'

/** What `fixedWork` takes on a quiet core of the machines that the bounds were chosen on. */
const FIXED_WORK_MS = 120
/** The bounds were chosen on two cores. */
const CORES = 2

/** Hashes 64 megabytes, and returns how many milliseconds that took. */
function fixedWork(): number {
  const block = Buffer.alloc(1_000_000, 'x')
  const began = performance.now()
  const hash = createHash('sha256')
  for (let round = 0; round < 64; round++) hash.update(block)
  hash.digest()
  return performance.now() - began
}

const measured = () => Math.max(1, (fixedWork() / FIXED_WORK_MS) * (CORES / Math.min(os.availableParallelism(), CORES)))

/**
 * How many times as long as usual the tests wait: 1 on two quiet cores, 6 on one core that is shared with two other programs.
 * The process that starts the run measures it, or `TEST_SLOWNESS` sets it; the workers inherit it.
 */
const slowness = Number(process.env.TEST_SLOWNESS ?? measured().toFixed(1))
process.env.TEST_SLOWNESS = String(slowness)

/**
 * Returns a bound in milliseconds for this machine. Tests use bounds on time only to find what hangs: what has a cost is
 * compared with another cost of the same test, or counted.
 */
export const patient = (ms: number): number => ms * slowness

/** A test that takes this long has failed; the slowest take half of it on a busy machine. The soak takes hours. */
export const TEST_TIMEOUT_MS = Number(process.env.TEST_TIMEOUT_MS ?? patient(120_000))
