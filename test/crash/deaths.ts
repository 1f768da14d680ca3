/** Lets a server die at every step of a job. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { FULL } from '#testing/mode.ts'
import { type Settings, startScript } from '#testing/process.ts'
import type { DieAt } from './dying.ts'
import type { Order } from './dying-server.ts'

/** Of so many deaths one is tried, unless the run is for all of them. */
const SAMPLED = 3

const SERVER = path.join(import.meta.dirname, 'dying-server.ts')

/** Runs the order and answers the id of its job, and the steps when it was not to die. */
export async function runAndDie(settings: Settings, order: Order): Promise<{ id: string; steps: string[] }> {
  const { dieAt } = order
  const exit = await startScript(SERVER, settings, [JSON.stringify(order)]).exited
  const wanted = dieAt === null ? { code: 0, signal: null } : { code: null, signal: 'SIGKILL' }
  assert.partialDeepStrictEqual(exit, wanted, JSON.stringify({ dieAt, exit }))
  const [id = '', steps = '[]'] = exit.stdout.split('\n')
  return { id, steps: dieAt === null ? JSON.parse(steps) : [] }
}

/**
 * Before every step, and while a commit is under way: to die in another statement is to die before the next. Of steps that come again after the same one, as batches do, the first.
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
