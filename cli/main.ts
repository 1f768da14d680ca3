#!/usr/bin/env node
/** The entry point of `commonhold`. Caches compiled code beside the installed packages, which halves the time of later starts. */
import module from 'node:module'
import path from 'node:path'

const NODE_VERSION_MIN = 26

if (Number.parseInt(process.versions.node, 10) < NODE_VERSION_MIN) {
  const next =
    'A folder in which the package is installed has one: use `npx commonhold` there, or put its node_modules/.bin first in PATH.'
  process.stderr.write(
    `commonhold needs Node ${NODE_VERSION_MIN} or later; this is ${process.versions.node}. ${next}\n`,
  )
  process.exit(2)
}
module.enableCompileCache(path.join(import.meta.dirname, '../node_modules/.cache/commonhold/compiled'))
const { run } = await import('./run.ts')
const { fail } = await import('./command.ts')
const { exitCode } = await import('./exit-codes.ts')
const { Failure, reportOf } = await import('./failures.ts')
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that closes the pipe early, such as `head`, has all the lines that it needs: that is success.
  if (error.code === 'EPIPE') process.exit(0)
  // Not 1, which would be an answer: no.
  const failure = new Failure(
    'broken',
    `The result cannot be written to standard output (${error.code}).`,
    'Is there enough space, and may it be written?',
  )
  fail(reportOf(failure), process.argv.includes('--json'))
  process.exit(exitCode('broken'))
})
// Nobody has to read the notes on standard error: a closed pipe there changes no exit code.
process.stderr.on('error', () => {})
process.exitCode = await run(process.argv)
