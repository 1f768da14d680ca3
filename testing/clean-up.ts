/** Cleaning up after a test or, outside of tests, after the file. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { TestContext } from 'vitest'

type CleanUp = () => unknown

/** The test that the current work belongs to, because tests of `describe.concurrent` run at the same time. */
const currentTest = new AsyncLocalStorage<TestContext>()

/** Work registered outside of tests; `setup.ts` runs it after the file's own hooks. */
const afterFile: CleanUp[] = []

/**
 * Runs `work` when the test that calls this has finished, also after a failure; outside of a test, when the file has
 * finished.
 */
export function cleanUp(work: CleanUp): void {
  const test = currentTest.getStore()
  if (test === undefined) afterThisFile(work)
  else
    test.onTestFinished(async () => {
      await work()
    })
}

/** Runs `work` when the file has finished, also if a test calls this. */
export function afterThisFile(work: CleanUp): void {
  afterFile.push(work)
}

/** Runs a test; everything that it starts belongs to it. */
export const withinTest = (run: () => Promise<void>, test: TestContext): Promise<void> => currentTest.run(test, run)

/** Runs the clean-ups that the file registered, the latest first. */
export async function cleanUpAfterFile(): Promise<void> {
  for (let work = afterFile.pop(); work !== undefined; work = afterFile.pop()) await work()
}
