/**
 * Finds programs of this machine that only some tests need: an older Node, toolchains of other languages, registries.
 * If one is missing, the test is skipped with the reason.
 */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

export const run = promisify(execFile)

/** Resolves with the reason why something is not available here, or with undefined if it is available. */
export const whyMissing = (what: string, install: Promise<unknown>): Promise<string | undefined> =>
  install.then(
    () => undefined,
    (error: { stderr?: string }) =>
      `${what} is not available here: ${String(error.stderr || error)
        .trim()
        .slice(-500)}`,
  )

const majorOf = (version: string): number => Number.parseInt(version, 10)

/** Returns the path of the first Node of `PATH` that is older than ours and has at least this major version. */
export function olderNode(majorMin: number): string | undefined {
  const programs = (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, 'node'))
  return programs.find((program) => {
    if (!existsSync(program)) return false
    const major = majorOf(execFileSync(program, ['-p', 'process.versions.node'], { encoding: 'utf8' }))
    return major >= majorMin && major < majorOf(process.versions.node)
  })
}
