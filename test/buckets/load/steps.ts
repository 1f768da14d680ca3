/** The steps of `commonhold buckets move` at which it is killed, or stopped for longer than it may hold locks. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '#testing/eventually.ts'
import type { Process } from '#testing/processes/process.ts'
import { startCommand } from '../bucket-world.ts'
import { held, isWaiting, killWaiting, type Release, said } from '../held-command.ts'

/** Longer than a stopped command keeps the tables of a bucket locked. */
const STOPPED_MS = 7_000

/** The old database is closed, and the home database does not name the new one yet: a lock holds the command there. */
const BEFORE_HOME = 'before the home database names the new one'

export type Step = RegExp | number | typeof BEFORE_HOME

/** The steps at which the command is interrupted: after a line of output, after a time in milliseconds, or at a lock that holds it. */
export const STEPS: readonly Step[] = [
  /^Moving/m,
  /tables copied/,
  /([1-9]\d*) of \1 tables copied/,
  BEFORE_HOME,
  /Writes waited/,
  /is at /,
  300,
  1_000,
  2_000,
  3_000,
]

/**
 * Starts the command and kills it at a step. With `isStopped`, it is stopped instead; meanwhile another command is
 * refused or replaces it, and then it continues. Returns its output.
 */
export async function interrupt(home: string, args: string[], step: Step, isStopped = false): Promise<string> {
  const command = startCommand(home, ...args)
  let release: Release | undefined
  if (typeof step === 'number') await Promise.race([sleep(step * (0.5 + Math.random())), command.exited])
  else if (step === BEFORE_HOME) release = await holdAtHome(home, command)
  else await said(command, step)
  if (!isStopped) {
    const killed = release ? killWaiting(command, home, 'bucket_moves') : command.kill('SIGKILL')
    const { stdout, stderr } = await killed
    await release?.()
    return stdout + stderr
  }
  command.child.kill('SIGSTOP')
  await sleep(STOPPED_MS)
  const other = await startCommand(home, 'move', args[1] as string, '--undo').exited
  if (command.child.exitCode === null && other.code !== 0)
    assert.match(other.stderr, /Another command|is not being moved/, other.stdout + other.stderr)
  await release?.()
  command.child.kill('SIGCONT')
  const { stdout, stderr } = await command.exited
  return stdout + stderr
}

/**
 * Locks the move in the home database when it has begun, and waits until the command waits for that lock. The lock is
 * held by a transaction: on the server of the source, it would hold up the replication slot.
 */
async function holdAtHome(home: string, command: Process): Promise<Release> {
  await said(command, /^(Moving|Going on)/m)
  const release = await held(home, 'select from bucket_moves for update')
  await said(command, /Writes waited/)
  await until('the command to wait', () => isWaiting(home, 'bucket_moves'))
  return release
}
