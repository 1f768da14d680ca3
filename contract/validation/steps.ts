/** Long computations in steps: a generator yields where it may pause, and its caller decides whether it does. */
export type Steps<Result> = Generator<undefined, Result>

/** Runs a computation without a pause, and returns its result. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}
