/** How the tests run: all of them or only those for a push, and how long they wait on this machine. */
import os from 'node:os'

/** Whether the run is `npm run test:full`: every death, every package, both engines. */
export const FULL = process.env.TEST_FULL === 'true'

/** The milliseconds of the fixed work on a quiet core of the machines on which the bounds were chosen. */
const FIXED_WORK_MS = 120
/** The bounds were chosen on two cores. */
const CORES = 2

/** Computes for about a tenth of a second and returns the milliseconds that this took, as a cost to compare others with. */
export function fixedWorkMs(): number {
  const began = performance.now()
  let number = 1
  for (let round = 0; round < 60_000_000; round++) number = (Math.imul(number, 31) + round) | 0
  // The result is used, so that the loop is not optimized away.
  return performance.now() - began + (number & 0)
}

const slownessOf = (ms: number): number =>
  Math.max(1, (ms / FIXED_WORK_MS) * (CORES / Math.min(os.availableParallelism(), CORES)))

// The process that starts the run measures its machine. The workers inherit the result.
process.env.TEST_SLOWNESS ??= slownessOf(fixedWorkMs()).toFixed(1)

/**
 * How many times as long as usual the tests wait: 1 on two quiet cores, 6 on one core that is shared with two other programs.
 * `TEST_SLOWNESS` sets it.
 */
const slowness = Number(process.env.TEST_SLOWNESS)

/**
 * Returns a bound in milliseconds for this machine. Tests use bounds on time only to detect hanging: a cost is compared
 * with another cost of the same test, or counted. It is a whole number, as the bounds of child processes have to be:
 * 30 s times 4.1 is 122,999.99999999999 ms.
 */
export const patient = (ms: number): number => Math.ceil(ms * slowness)

/** A test that takes this long hangs; the slowest tests take a quarter of it on a busy machine. The soak takes hours. */
export const TEST_TIMEOUT_MS = Number(process.env.TEST_TIMEOUT_MS ?? patient(240_000))
