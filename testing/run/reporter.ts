/** Closes the output of a run: the slowest files, and how many tests passed, failed and were skipped. */
import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

const SLOWEST = 20

/** `TEST_DURATIONS=FILE` also gets the seconds of all files, as lines to compare. */
export default class implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const durations = modules
      .map((module) => ({ file: `${module.relativeModuleId} (${module.project.name})`, seconds: secondsOf(module) }))
      .sort((one, other) => other.seconds - one.seconds)
    const lines = durations.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`)
    if (process.env.TEST_DURATIONS !== undefined) writeFileSync(process.env.TEST_DURATIONS, `${lines.join('\n')}\n`)
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    const broken = modules.filter((module) => module.state() === 'failed' && module.errors().length > 0).length
    process.stdout.write(
      [
        ...(modules.length > SLOWEST ? [`\nThe slowest of ${modules.length} files:`, ...lines.slice(0, SLOWEST)] : []),
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
