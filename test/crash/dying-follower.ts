/**
 * Writes events of an API key, follows them into the table `followed`, and dies at the given step of that: before a
 * statement of its transactions or a commit is sent, or while the answer is awaited. Without a step it names the steps
 * that it saw until it had followed everything.
 */
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import { databaseClock } from '#platform/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { openEmbedded } from '#platform/db/embedded.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { createLog } from '#platform/log.ts'
import { followEvents, startFollowing } from '#tenancy/event-feed.ts'
import { recordStreamEvents } from '#tenancy/events.ts'
import { readConfig } from '../../server/config.ts'
import { READER } from '../support/consumers.ts'

export interface FollowOrder {
  apiKeyId: string
  /** From 1; null: run to the end. */
  dieAt: { step: number; when: 'before' | 'during' } | null
}

/** More than a transaction takes. */
const EVENTS = 600

const { apiKeyId, dieAt }: FollowOrder = JSON.parse(process.argv[2] ?? '')
const { DATABASE_URL, DATA_DIR } = readConfig(process.env)
const opened =
  DATABASE_URL === undefined
    ? await openEmbedded(DATA_DIR, databaseClock)
    : await openPostgres(DATABASE_URL, databaseClock, { connections: 2, statementTimeoutMs: 30_000 })

await opened.script('create table if not exists followed (place bigserial, stream uuid, sequence bigint)')
await opened.transaction(async (session) => {
  await startFollowing(session, READER, apiKeyId)
  const event = {
    type: 'user_token.generated' as const,
    workspaceId: 'w',
    apiKeyId,
    userId: 'ada',
    actor: { address: 'test' },
  }
  await recordStreamEvents(
    session,
    Array.from({ length: EVENTS }, () => event),
  )
})

const steps: string[] = []

/** Counts a step, and dies when it is the one. */
function step<T>(name: string, take: () => Promise<T>): Promise<T> {
  steps.push(name)
  if (dieAt?.step !== steps.length) return take()
  if (dieAt.when === 'before') process.kill(process.pid, 'SIGKILL')
  const taken = take()
  setImmediate(() => process.kill(process.pid, 'SIGKILL'))
  return taken
}

const db: Db = Object.create(opened, {
  transaction: {
    value: (work, options) =>
      opened.transaction(async (session) => {
        const answer = await work({
          run: (statement, values) => step(statement.name, () => session.run(statement, values)),
          runSet: (set, rows) => step(set.name, () => session.runSet(set, rows)),
          query: (text, values) => step('handle', () => session.query(text, values)),
        })
        // The commit follows as soon as this returns, so that `during` dies with it under way.
        await step('commit', async () => {})
        return answer
      }, options),
  } satisfies { value: Db['transaction'] },
})

const stop = followEvents(
  { db, log: createLog('silent') },
  READER,
  async (session, followed) => {
    const events = followed.flatMap((one) => one.events)
    await session.query('insert into followed (stream, sequence) select * from unnest($1::uuid[], $2::bigint[])', [
      events.map(({ stream }) => stream),
      events.map(({ sequence }) => sequence),
    ])
  },
  { intervalMs: 5 },
)
const left = async () => {
  const { rows } = await opened.query(
    'select (select count(*) from events where api_key_id = $1 and type = $2)::int - (select count(*) from followed)::int as left',
    [apiKeyId, 'user_token.generated'],
  )
  return (rows as { left: number }[])[0]?.left
}
while (dieAt !== null || (await left()) !== 0) await sleep(5)
await stop()
await immediate()
process.stdout.write(`${JSON.stringify(steps)}\n`)
process.exit(0)
