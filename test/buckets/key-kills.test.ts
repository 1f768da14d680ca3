/**
 * `commonhold buckets move-key` is killed at every step and started again, while two servers serve the key under load and a reader
 * follows its feed with page tokens. Nothing acknowledged is lost, no answer is stale, the reader gets every event once and in order.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, it } from 'vitest'
import { until } from '#testing/eventually.ts'
import { startProcess } from '#testing/processes/process.ts'
import { patient } from '#testing/run/mode.ts'
import {
  emptyDatabase,
  Load,
  query,
  readFeed,
  runCommand,
  SHORT_CALLS,
  settingsOf,
  startBucketPostgres,
  startCommand,
} from './bucket-world.ts'
import { FeedReader } from './feed-reader.ts'

/** Where the command is killed: after a line, or while it waits for a lock at home or in the database that the key leaves. */
type Death = { after: RegExp } | { at: 'home' | 'source'; lock: string }

const DEATHS: Death[] = [
  { after: /^Moving/m },
  { at: 'source', lock: 'lock table resources in exclusive mode' }, // half of the fence is there
  { after: /are refused/ },
  { after: /grants: / },
  { after: /is copied/ },
  { at: 'home', lock: 'lock table key_moves in exclusive mode' }, // copied, not closed
  { at: 'source', lock: 'lock table signing_keys in exclusive mode' }, // closed, with its credentials
  { at: 'home', lock: 'lock table key_places in exclusive mode' }, // without its credentials, not switched
  { after: /The key is in/ },
  { after: /^Waiting/m },
]

describe('a move of a key that is killed', () => {
  it('goes on, and nothing is lost', async () => {
    const [one, other] = await Promise.all([startBucketPostgres(), startBucketPostgres()])
    await query(one.url, `do $$ begin for n in 1..30000 loop perform pg_current_xact_id(); commit; end loop; end $$`)
    const home = await emptyDatabase(one, 'home')
    const bucket = await emptyDatabase(other, 'bucket')
    const first = await startProcess({ ...settingsOf(home), ...SHORT_CALLS })
    const key = await first.client.newKey({ defaultDocumentAccessType: 'restricted' })
    await runCommand(home, 'create', 'eu1', '--url', bucket)
    await runCommand(home, 'set', 'eu1', '--takes-keys', 'no')
    const second = await startProcess({ ...settingsOf(home), ...SHORT_CALLS })
    const clients = [key, second.client.with(key.headers)]
    const reader = new FeedReader(clients)
    const load = new Load(clients, 4)
    const apiKey = key.headers['x-service-api-key'] ?? ''
    await sleep(10_000) // until every process knows of the bucket
    let inBucket = false
    for (const [nth, death] of DEATHS.entries()) {
      const args: string[] = ['move-key', apiKey, ...(inBucket ? ['--to-home'] : ['--to', 'eu1'])]
      const said: string[] = [await killedAt(home, args, death, { home, source: inBucket ? bucket : home })]
      if (nth < 3 && nth > 0) {
        // Nothing is copied yet.
        said.push((await runCommand(home, 'move-key', apiKey, '--undo')).stdout)
        assert.match(said.join('\n'), /The key stays in/)
      } else {
        const again = await startCommand(home, ...args).exited
        said.push(again.stdout + again.stderr)
        if (again.code !== 0) assert.match(again.stderr, /is in .* already/, said.join('\n'))
        inBucket = !inBucket
      }
      const [left] = await query(home, 'select count(*)::int as count from key_moves where finished_at is null')
      assert.equal(left?.count, 0, said.join('\n'))
      for (const url of [home, bucket])
        assert.deepEqual(await query(url, `select tgname from pg_trigger where tgname like 'moving%'`), [])
      const before = load.acknowledged
      await until(`changes are accepted after ${said.join('\n')}`, () => load.acknowledged > before)
      assert.deepEqual([...load.wrong, ...reader.wrong], [], said.join('\n'))
      if (process.env.TEST_REPORT)
        process.stdout.write(`${'lock' in death ? death.lock : death.after}: ${load.acknowledged} acknowledged\n`)
    }
    await load.stop()
    const verified = await load.verify(key)
    const events = await readFeed(key)
    await reader.stopAfter(events)
    assert.deepEqual([...load.wrong, ...reader.wrong], [])
    assert.equal(reader.restarts, 0, 'a page token was refused')
    if (process.env.TEST_REPORT)
      process.stdout.write(
        `${load.acknowledged} acknowledged, ${load.refused} refused, ${verified} verified, ${events.length} events\n`,
      )
  })
})

/** Starts the command and kills it there; returns what it said. */
async function killedAt(
  home: string,
  args: string[],
  death: Death,
  urls: Record<'home' | 'source', string>,
): Promise<string> {
  if ('after' in death) {
    const command = startCommand(home, ...args)
    let isOver = false
    void command.exited.then(() => {
      isOver = true
    })
    while (!isOver && !death.after.test(command.output.stdout)) await sleep(2)
    const { stdout, stderr } = await command.kill('SIGKILL')
    return stdout + stderr
  }
  const client = new pg.Client(urls[death.at])
  await client.connect()
  try {
    if (death.lock.includes('resources')) await client.query(`begin; ${death.lock}`)
    const command = startCommand(home, ...args)
    // The fence needs the same locks for a moment; the copy does not.
    while (!death.lock.includes('resources') && !/are refused/.test(command.output.stdout)) {
      assert.equal(command.output.stderr, '')
      await sleep(1)
    }
    if (!death.lock.includes('resources')) await client.query(`begin; ${death.lock}`)
    const waits = `select from pg_stat_activity where application_name = 'commonhold move' and wait_event_type = 'Lock'
                    union all select from pg_stat_activity where query like '%key_moves%' and wait_event_type = 'Lock'`
    const end = performance.now() + patient(20_000)
    while ((await client.query(waits)).rowCount === 0 && performance.now() < end) await sleep(10)
    const { stdout, stderr } = await command.kill('SIGKILL')
    return stdout + stderr
  } finally {
    await client.end()
  }
}
