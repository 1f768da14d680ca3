/** A data set of its own, and the command line for it. */
import assert from 'node:assert/strict'
import { environmentOf } from '#testing/processes/cli.ts'
import { cliInProcess as cli } from '#testing/processes/in-process-cli.ts'
import { newCallers } from '../../conformance/support/callers.ts'

export async function newWorld(url: string) {
  const callers = await newCallers(url)
  const environment = environmentOf(url, callers)
  const run = (...args: string[]) => cli(args, environment)
  /** Runs a command that must succeed; returns its output. */
  const ok = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args)
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
    return stdout
  }
  return { callers, environment, run, ok }
}

/** Returns what `--json` wrote: a value for each line. */
export const linesOf = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
