/**
 * Long computations, in slices: one runs at a time, tenants take turns, and after each slice other work of the process comes
 * first. A computation is a generator, which yields where it may pause.
 */
import { setImmediate } from 'node:timers/promises'
import type { Steps } from '#contract/validation/steps.ts'
import { Abandoned } from '../lifetime.ts'
import { FairSlots } from './fair-slots.ts'

const SLICE_MS = 8

const turns = new FairSlots(1)

/** Runs a computation of a tenant in slices, and returns its result. Throws `Abandoned` at the next slice once `isAbandoned` holds. */
export async function inSlices<Result>(
  tenant: string,
  steps: Steps<Result>,
  isAbandoned: () => boolean = () => false,
): Promise<Result> {
  for (;;) {
    const { done, value } = await turns.run(tenant, async () => {
      if (isAbandoned()) throw new Abandoned()
      try {
        return sliceOf(steps)
      } finally {
        await setImmediate()
      }
    })
    if (done === true) return value
  }
}

function sliceOf<Result>(steps: Steps<Result>): IteratorResult<undefined, Result> {
  const until = performance.now() + SLICE_MS
  let step = steps.next()
  while (step.done !== true && performance.now() < until) step = steps.next()
  return step
}
