/**
 * A server that starts one durable job and dies at the given step of it. Steps are the statements of its
 * transactions except the first of each, and the commits. Without a step it prints the steps that it saw.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, Session } from '#platform/db/db.ts'
import type { Statement } from '#platform/db/statement.ts'
import { createLog } from '#platform/log.ts'
import { MASTER_KEY } from '#testing/databases.ts'
import { buildApp } from '../../server/app.ts'
import { readConfig } from '../../server/config.ts'
import { countSteps, type DieAt, openStore, printSteps } from './crash-step.ts'

export interface Order {
  headers: Record<string, string>
  /** Starts the job; `id` is the field of the response with the id of the job. */
  start: { path: string; data: object; id: string }
  /** Reads its state, with the id and `data`. */
  status: { path: string; data: object }
  /** A statement that begins every transaction of the job and no other, and a text that only this job has in its values or results. */
  begins: { name: string; mark: string }
  dieAt: DieAt
}

const order: Order = JSON.parse(process.argv[2] ?? '')
const config = readConfig(process.env)
const opened = await openStore(config)

const { steps, step } = countSteps(order.dieAt)
let commits = 0
const accepted = Promise.withResolvers<void>()

/** Observes the session of a transaction. `isIts` returns whether the transaction belongs to the job. */
function watched(session: Session): { session: Session; isIts: () => boolean } {
  const { name, mark } = order.begins
  let its = false
  const take = <T>(what: string, run: () => Promise<T>) => (its ? step(what, run) : run())
  return {
    isIts: () => its,
    session: {
      run: async <Row>(statement: Statement<Row>, values: readonly unknown[] = []) => {
        const rows = await take(statement.name, () => session.run(statement, values))
        if (!its && statement.name === name && JSON.stringify([values, rows]).includes(`"${mark}"`)) {
          its = true
          await accepted.promise // the caller gets its answer before the job begins
        }
        return rows
      },
      runSet: (set, rows) => take(set.name, () => session.runSet(set, rows)),
      query: (text, values) => session.query(text, values),
    },
  }
}

const db: Db = {
  run: (statement, values) => opened.run(statement, values),
  runSet: (set, rows) => opened.runSet(set, rows),
  query: (text, values) => opened.query(text, values),
  engine: opened.engine,
  connections: opened.connections,
  pool: opened.pool,
  writesRefused: undefined,
  primary: undefined,
  observe: () => {},
  ambient: undefined,
  ambientTransaction: (work, options) => opened.ambientTransaction(work, options),
  afterCommit: (effect) => effect(),
  script: (text) => opened.script(text),
  close: () => opened.close(),
  runInSuccession: (first, second, options) => opened.runInSuccession(first, second, options),
  transaction: (work, options) =>
    opened.transaction(async (session) => {
      const watch = watched(session)
      const answer = await work(watch.session)
      // The commit follows as soon as this returns, so that `during` dies with it under way.
      if (watch.isIts()) await step(`commit ${++commits}`, async () => {})
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
const { start, status } = order
const { [start.id]: id } = await call(start.path, start.data)
process.stdout.write(`${id}\n`)
accepted.resolve()
for (;;) {
  const asked = await call(status.path, { ...status.data, [start.id]: id })
  if (asked.status === 'completed') break
  await sleep(20)
}
await printSteps(steps)
