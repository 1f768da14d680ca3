/** Toolchains of other languages, and registries: tests that need one are skipped, with the reason, where it is missing. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export const run = promisify(execFile)

/** Resolves with why something is not available here, or with undefined if it is. */
export const whyMissing = (what: string, install: Promise<unknown>): Promise<string | undefined> =>
  install.then(
    () => undefined,
    (error: { stderr?: string }) =>
      `${what} is not available here: ${String(error.stderr || error)
        .trim()
        .slice(-500)}`,
  )
