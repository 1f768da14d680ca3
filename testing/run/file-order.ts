/**
 * Sorts the test files. Files that wait long are spread evenly among the first files that compute, so that the workers
 * seldom compete for the cores, and no long wait is left at the end.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that wait long: for processes, leases, retries or a browser. */
const WAITS = /\/(crash|lifecycle|mail|webhooks|console|readme|cli|examples)\//

/** The share of the other files that has begun when the last of these begins. */
const BEGUN_AT_LAST = 0.7

export class WaitingAmongComputing extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const projects = Map.groupBy(
      [...files].sort((one, other) => (one.moduleId < other.moduleId ? -1 : 1)),
      ({ project }) => project,
    )
    return [...projects.values()].flatMap(interleaved)
  }
}

function interleaved(files: readonly TestSpecification[]): TestSpecification[] {
  const { waiting = [], computing = [] } = Object.groupBy(files, ({ moduleId }) =>
    WAITS.test(moduleId) ? 'waiting' : 'computing',
  )
  const placed = [
    ...waiting.map((file, nth) => ({ file, place: (nth / waiting.length) * BEGUN_AT_LAST })),
    ...computing.map((file, nth) => ({ file, place: nth / computing.length })),
  ]
  return placed.sort((one, other) => one.place - other.place).map(({ file }) => file)
}
