/** Kills a server at every step of a job. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { type Settings, startScript } from '#testing/processes/process.ts'
import { FULL } from '#testing/run/mode.ts'
import type { DieAt } from './crash-step.ts'
import type { Order } from './crashing-server.ts'

/** One in this number of kill points is tried, unless the run tries all of them. */
const SAMPLED = 20

/** Runs a script of this folder until it dies at the step of its order. Returns what it printed: without a death, the steps are the last line. */
export async function runScript(
  script: string,
  settings: Settings,
  order: { dieAt: DieAt },
): Promise<{ first: string; steps: string[] }> {
  const { dieAt } = order
  const exit = await startScript(path.join(import.meta.dirname, script), settings, [JSON.stringify(order)]).exited
  const expectedExit = dieAt === null ? { code: 0, signal: null } : { code: null, signal: 'SIGKILL' }
  assert.partialDeepStrictEqual(exit, expectedExit, JSON.stringify({ dieAt, exit }))
  const lines = exit.stdout.trim().split('\n')
  return { first: lines[0] ?? '', steps: dieAt === null ? JSON.parse(lines.at(-1) ?? '[]') : [] }
}

/** Runs a server with a job, and returns the id of the job, and the steps if it was not killed. */
export async function runAndDie(settings: Settings, order: Order): Promise<{ id: string; steps: string[] }> {
  const { first, steps } = await runScript('crashing-server.ts', settings, order)
  return { id: first, steps }
}

/**
 * Returns the deaths to test: before every step, and during a commit. A death during another statement equals one before
 * the next. Of steps that repeat after the same one, as batches do, it takes the first.
 */
export function deathsOf(
  steps: readonly string[],
  matters: (death: NonNullable<DieAt>) => boolean = () => true,
): NonNullable<DieAt>[] {
  const deaths = new Map<string, NonNullable<DieAt>>()
  steps.forEach((name, index) => {
    const place = `${steps[index - 1]}, ${name}`
    if (deaths.has(place)) return
    deaths.set(place, { step: index + 1, when: 'before' })
    if (name.startsWith('commit')) deaths.set(`during ${place}`, { step: index + 1, when: 'during' })
  })
  return [...deaths.values()].filter(matters).filter((_, nth) => FULL || nth % SAMPLED === 0)
}
