/**
 * Writes events of an API key, follows them into the table `followed`, and dies at the given step of that: before a
 * statement of its transactions or a commit is sent, or while it waits for the response. Without a step it prints the steps
 * that it saw until it had followed everything.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createLog } from '#platform/log.ts'
import { followEvents, startFollowing } from '#tenancy/events/feed.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { READER } from '#testing/consumers.ts'
import { readConfig } from '../../server/config.ts'
import { countSteps, type DieAt, openStore, printSteps, stepping } from './crash-step.ts'

export interface FollowOrder {
  apiKeyId: string
  dieAt: DieAt
}

/** More than fit into one transaction. */
const EVENTS = 600

const { apiKeyId, dieAt }: FollowOrder = JSON.parse(process.argv[2] ?? '')
const opened = await openStore(readConfig(process.env))

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

const { steps, step } = countSteps(dieAt)
const db = stepping(opened, step)

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
await printSteps(steps)
