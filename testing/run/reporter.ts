/** Prints the summary of a run: the costliest files, the CPU time, and how many tests passed, failed and were skipped. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { fileUsages, treeSeconds } from './cpu.ts'

const COSTLIEST = 20

/**
 * Files are listed by the CPU seconds of their worker and of the processes that they started; where these are not known, by
 * their duration. `TEST_DURATIONS=FILE` also gets the lines of all files, to compare.
 */
export default class implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const usages = new Map(
      fileUsages().map(({ file, project, seconds }) => [`${path.relative(process.cwd(), file)} (${project})`, seconds]),
    )
    const files = modules
      .map((module) => {
        const file = `${module.relativeModuleId} (${module.project.name})`
        return { file, cpu: usages.get(file), seconds: secondsOf(module) }
      })
      .sort((one, other) => (other.cpu ?? other.seconds) - (one.cpu ?? one.seconds))
    const lines = files.map(
      ({ file, cpu, seconds }) =>
        `${cpu?.toFixed(1).padStart(7) ?? '      -'} s CPU ${seconds.toFixed(1).padStart(7)} s  ${file}`,
    )
    if (process.env.TEST_DURATIONS !== undefined) writeFileSync(process.env.TEST_DURATIONS, `${lines.join('\n')}\n`)
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    const broken = modules.filter((module) => module.state() === 'failed' && module.errors().length > 0).length
    const { all, postgres } = treeSeconds()
    process.stdout.write(
      [
        ...(modules.length > COSTLIEST
          ? [`\nThe costliest of ${modules.length} files, without PostgreSQL:`, ...lines.slice(0, COSTLIEST)]
          : []),
        ...(all > 0
          ? [
              '',
              `The tests took ${all.toFixed(0)} s of CPU, all processes included; ${postgres.toFixed(0)} s of it were PostgreSQL.`,
            ]
          : []),
        '',
        `${count('passed')} passed, ${count('failed') + broken} failed, ${count('skipped')} skipped\n`,
      ].join('\n'),
    )
  }
}

const secondsOf = (module: TestModule): number => {
  const { collectDuration, setupDuration, duration } = module.diagnostic()
  return (collectDuration + setupDuration + duration) / 1000
}
