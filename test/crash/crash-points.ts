/** Kills a server at every step of a job, and lets servers compete for jobs. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestContext } from 'vitest'
import type { Db } from '#platform/db/db.ts'
import type { Client } from '#testing/client.ts'
import { ensureCrashing } from '#testing/processes/build.ts'
import { createLastingStore, type Settings, type Store, startProcess, startScript } from '#testing/processes/process.ts'
import { FULL } from '#testing/run/mode.ts'
import { MASTER_KEY } from '#testing/server.ts'
import type { DieAt } from './crash-step.ts'
import type { Order } from './crashing-server.ts'

/** One in this number of kill points is tried, unless the run tries all of them. */
const SAMPLED = 20

/**
 * Runs a script of this folder until it dies at the step of its order. Returns the first line of its output, and the
 * steps until then, which are its last line.
 */
export async function runScript(
  script: string,
  settings: Settings,
  order: { dieAt: DieAt },
): Promise<{ first: string; steps: string[] }> {
  const { dieAt } = order
  const bundled = path.join(await ensureCrashing(), script.replace(/ts$/, 'js'))
  const exit = await startScript(bundled, settings, [JSON.stringify(order)]).exited
  const expectedExit = dieAt === null ? { code: 0, signal: null } : { code: null, signal: 'SIGKILL' }
  assert.partialDeepStrictEqual(exit, expectedExit, JSON.stringify({ dieAt, exit }))
  const lines = exit.stdout.trim().split('\n')
  return { first: lines[0] ?? '', steps: JSON.parse(lines.at(-1) ?? '[]') }
}

/** Runs a server with a job, and returns the id of the job, and the steps. */
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

interface UserJob {
  /** Creates users with the data that the job removes. */
  prepare(client: Client): Promise<void>
  userOf(index: number): string
  casesMax: number
  /** The call that starts the job of a user, and the one that reads its status. */
  start: string
  status: string
  /** The statement with which the job begins. */
  begins: string
  /** Waits until a job is completed. */
  completed(client: Client, jobId: string): Promise<void>
}

/**
 * Kills a server at each step of a job, each time with the job of another user; a later server completes all jobs.
 * Returns them in order.
 */
export async function dieAtEachStep(context: TestContext, job: UserJob): Promise<{ store: Store; jobIds: string[] }> {
  const store = await createLastingStore()
  const settings = { ...store.settings, MASTER_KEY: MASTER_KEY.toString('base64'), SIGNUP: 'open' }
  const server = await startProcess(settings)
  const { headers } = await server.client.newKey()
  await job.prepare(server.client.with(headers))
  await server.kill('SIGTERM')

  const jobIds: string[] = []
  async function startAndDie(dieAt: DieAt): Promise<string[]> {
    assert.ok(jobIds.length < job.casesMax, 'more cases than users')
    const userId = job.userOf(jobIds.length)
    const { id, steps } = await runAndDie(settings, {
      headers,
      start: { path: job.start, data: { userIds: [userId] }, id: 'jobId' },
      status: { path: job.status, data: {} },
      begins: { name: job.begins, mark: userId },
      dieAt,
    })
    jobIds.push(id)
    return steps
  }
  const steps = await startAndDie(null)
  context.annotate(`${steps.length} steps: ${steps.join(', ')}`)
  // Before a commit nothing of its transaction has happened, wherever in it the server dies.
  const matters = ({ step }: { step: number }) => steps[step - 1]?.startsWith('commit') === true
  for (const death of deathsOf(steps, matters)) await startAndDie(death)

  const last = await startProcess(settings)
  for (const jobId of jobIds) await job.completed(last.client.with(headers), jobId)
  await last.kill('SIGTERM')
  return { store, jobIds }
}

/** Makes unfinished jobs look abandoned, so that all servers claim them again and again. */
export function abandonAgainAndAgain(
  db: Db,
  jobs: 'document_migrations' | 'user_access_revocations' | 'user_data_deletions',
) {
  let isStopped = false
  const stopped = (async () => {
    for (; !isStopped; await sleep(5)) await db.query(`update ${jobs} set due_at = 'epoch' where finished_at is null`)
  })()
  return {
    async stop(): Promise<void> {
      isStopped = true
      await stopped
    },
  }
}
