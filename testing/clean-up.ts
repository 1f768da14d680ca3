/** Cleaning up after a test or, outside of tests, after the file. */
import { onTestFinished, TestRunner } from 'vitest'

type CleanUp = () => unknown

/** Work registered outside of tests; `setup.ts` runs it after the file's own hooks. */
const afterFile: CleanUp[] = []

/** Runs `work` when the test that calls this has finished, also after a failure; outside of a test, when the file has. */
export function cleanUp(work: CleanUp): void {
  if (TestRunner.getCurrentTest() === undefined) afterFile.push(work)
  else
    onTestFinished(async () => {
      await work()
    })
}

/** Runs what the file registered, the latest first. */
export async function cleanUpAfterFile(): Promise<void> {
  for (let work = afterFile.pop(); work !== undefined; work = afterFile.pop()) await work()
}
