/** Finds another Node on this machine, to test that packages run on the versions that they promise. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'

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
