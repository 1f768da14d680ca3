/** Lets a server die at every step of a job. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { type Settings, startScript } from '../support/process.ts'
import type { Order } from './dying-server.ts'

const SERVER = path.join(import.meta.dirname, 'dying-server.ts')

export type DieAt = Order['dieAt']

/** Runs the order and answers the id of its job, and the steps when it was not to die. */
export async function runAndDie(settings: Settings, order: Order): Promise<{ id: string; steps: string[] }> {
  const { dieAt } = order
  const exit = await startScript(SERVER, settings, [JSON.stringify(order)]).exited
  const wanted = dieAt === null ? { code: 0, signal: null } : { code: null, signal: 'SIGKILL' }
  assert.partialDeepStrictEqual(exit, wanted, JSON.stringify({ dieAt, exit }))
  const [id = '', steps = '[]'] = exit.stdout.split('\n')
  return { id, steps: dieAt === null ? JSON.parse(steps) : [] }
}

/** Before every step, and while a commit or the queue's note is under way: to die in another statement is to die before the next. */
export const deathsOf = (steps: readonly string[]): NonNullable<DieAt>[] =>
  steps.flatMap((name, index) => [
    { step: index + 1, when: 'before' },
    ...(/^(commit|the queue)/.test(name) ? [{ step: index + 1, when: 'during' } as const] : []),
  ])
