/**
 * A server that asks itself for one migration and dies at the given step of the job. Steps are the statements and
 * commits of the job on the given organization, and the queue's note afterwards that the job is done. `before` dies
 * instead of sending the step; `during` dies while its answer is awaited. Without a step it names the steps it saw.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { getMigrationStatus, migrateDocument } from '#contract/migrations.ts'
import { databaseClock } from '#platform/clock.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { openEmbedded } from '#platform/db/embedded.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import type { Statement } from '#platform/db/statement.ts'
import { createLog } from '#platform/log.ts'
import { buildApp } from '../../server/app.ts'
import { readConfig } from '../../server/config.ts'
import { MASTER_KEY } from '../support/server.ts'

export interface Order {
  headers: Record<string, string>
  organizationKey: string
  migration: { organizationId: string; documentId: string; newDocumentId: string }
  /** From 1; null: run to the end. */
  dieAt: { step: number; when: 'before' | 'during' } | null
}

const order: Order = JSON.parse(process.argv[2] ?? '')
const config = readConfig(process.env)
const { DATABASE_URL, DATA_DIR } = config
const opened =
  DATABASE_URL === undefined
    ? await openEmbedded(DATA_DIR, databaseClock)
    : await openPostgres(DATABASE_URL, databaseClock, { connections: 5, statementTimeoutMs: 30_000 })

const steps: string[] = []
let commits = 0
const accepted = Promise.withResolvers<void>()

/** Counts a step, and dies when it is the one. */
async function step<T>(name: string, take: () => Promise<T>): Promise<T> {
  steps.push(name)
  const { dieAt } = order
  if (dieAt?.step !== steps.length) return take()
  if (dieAt.when === 'before') process.kill(process.pid, 'SIGKILL')
  const taken = take()
  setImmediate(() => process.kill(process.pid, 'SIGKILL'))
  return taken
}

const isOfTheJob = (name: string, values: readonly unknown[]) =>
  /^(organizations\.lock|migrations\.)/.test(name) &&
  !['migrations.add', 'migrations.get'].includes(name) &&
  values.some(
    (value) => value === order.organizationKey || JSON.stringify(value)?.includes(`"${order.organizationKey}"`),
  )

/** The session, watched; `touched` hears of the first step of the job in it. */
const watched = (session: Session, touched: () => void): Session => ({
  run: async <Row>(statement: Statement<Row>, values: readonly unknown[] = []) => {
    if (!isOfTheJob(statement.name, values)) return session.run(statement, values)
    touched()
    await accepted.promise // the caller has its answer before the job begins
    return step(statement.name, () => session.run(statement, values))
  },
  runSet: (set, rows) =>
    isOfTheJob(set.name, rows) ? step(set.name, () => session.runSet(set, rows)) : session.runSet(set, rows),
  query: (text, values) =>
    commits === 2 && text.includes('SET completed_on')
      ? step('the queue notes that the job is done', () => session.query(text, values))
      : session.query(text, values),
})

const db: Db = {
  ...watched(opened, () => {}),
  engine: opened.engine,
  connections: opened.connections,
  script: (text) => opened.script(text),
  close: () => opened.close(),
  runInSuccession: (first, second, options) => opened.runInSuccession(first, second, options),
  transaction: (work, options) =>
    opened.transaction(async (session) => {
      let ofTheJob = false
      const answer = await work(
        watched(session, () => {
          ofTheJob = true
        }),
      )
      // The commit follows as soon as this returns, so that `during` dies with it under way.
      if (ofTheJob) await step(`commit ${++commits}`, async () => {})
      return answer
    }, options),
}

const app = await buildApp({ config, masterKey: MASTER_KEY, db, log: createLog('silent') })
const call = async (url: string, data: unknown) => {
  const { headers } = order
  const answer = await app.http.inject({ method: 'POST', url, headers, payload: { data } as object })
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return answer.json().result.data
}
const { migrationId } = await call(migrateDocument.path, order.migration)
process.stdout.write(`${migrationId}\n`)
accepted.resolve()
const { organizationId } = order.migration
for (;;) {
  const { status } = await call(getMigrationStatus.path, { organizationId, migrationId })
  if (status === 'completed' && steps.at(-1)?.startsWith('the queue')) break
  await sleep(20)
}
process.stdout.write(`${JSON.stringify(steps)}\n`)
process.exit(0)
