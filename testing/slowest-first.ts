/** The order of the files: the slowest first, so that no worker waits for them at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that wait long: for processes, leases, retries or a browser. */
const SLOW = /\/(crash|lifecycle|mail|console|readme|cli)\//

const isSlow = ({ moduleId }: TestSpecification): number => Number(SLOW.test(moduleId))

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const projects = [...new Set(files.map(({ project }) => project))]
    return [...files].sort(
      (one, other) =>
        projects.indexOf(one.project) - projects.indexOf(other.project) ||
        isSlow(other) - isSlow(one) ||
        (one.moduleId < other.moduleId ? -1 : 1),
    )
  }
}
