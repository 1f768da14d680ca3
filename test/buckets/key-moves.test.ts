/** `commonhold buckets move-key`: one API key moves to another database and back, with two processes that serve it. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { until } from '#testing/eventually.ts'
import { startProcess } from '#testing/processes/process.ts'
import { FULL } from '#testing/run/mode.ts'
import { startReceiver } from '#testing/stand-ins/receiver.ts'
import {
  emptyDatabase,
  Load,
  query,
  readFeed,
  runCommand,
  SHORT_CALLS,
  settingsOf,
  startBucketPostgres,
} from './bucket-world.ts'
import { FeedReader } from './feed-reader.ts'

describe('an API key', () => {
  it('moves from the home database to a bucket and back, under load', async () => {
    const [one, other] = await Promise.all([startBucketPostgres(), startBucketPostgres()])
    await query(one.url, `do $$ begin for n in 1..30000 loop perform pg_current_xact_id(); commit; end loop; end $$`)
    const home = await emptyDatabase(one, 'home')
    const first = await startProcess({ ...settingsOf(home), ...SHORT_CALLS, WEBHOOK_ALLOW_PRIVATE: 'true' })
    const key = await first.client.newKey({ defaultDocumentAccessType: 'restricted' })
    await runCommand(home, 'create', 'eu1', '--url', await emptyDatabase(other, 'bucket'))
    await runCommand(home, 'set', 'eu1', '--takes-keys', 'no')
    const second = await startProcess({ ...settingsOf(home), ...SHORT_CALLS, WEBHOOK_ALLOW_PRIVATE: 'true' })
    const receiver = await startReceiver()
    await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
    await key.call(createWebhookEndpoint, { url: receiver.url })
    const earlier = await readFeed(key)
    const clients = [key, second.client.with(key.headers)]
    const reader = new FeedReader(clients)
    const load = new Load(clients, 4)
    const apiKey = key.headers['x-service-api-key'] ?? ''
    for (const where of FULL ? [['--to', 'eu1'], ['--to-home'], ['--to', 'eu1']] : [['--to', 'eu1'], ['--to-home']]) {
      await sleep(1_000)
      const { stdout } = await runCommand(home, 'move-key', apiKey, ...where)
      if (process.env.TEST_REPORT) process.stdout.write(stdout)
      assert.deepEqual([...load.wrong, ...reader.wrong], [], stdout)
      const before = load.acknowledged
      for (let tries = 0; load.acknowledged === before && tries < 100; tries++) await sleep(100)
      assert.notEqual(load.acknowledged, before, stdout)
    }
    await load.stop()
    const verified = await load.verify(key)
    const events = await readFeed(key)
    await reader.stopAfter(events)
    const told = () =>
      new Set(receiver.received.map(({ headers }) => String(headers['webhook-id']).replace('msg_', '')))
    const toTell = events.filter((id) => !earlier.includes(id))
    await until('the receiver has every event', () => toTell.every((id) => told().has(id)))
    receiver.close()
    assert.deepEqual([...load.wrong, ...reader.wrong], [])
    assert.equal(reader.restarts, 0, 'a page token was refused')
    assert.ok(load.reasons.has('api_key_moving'), [...load.reasons].join())
    if (process.env.TEST_REPORT)
      process.stdout.write(
        `${load.acknowledged} acknowledged, ${load.refused} refused, ${verified} verified, ${events.length} events, ${receiver.received.length} deliveries of ${told().size}\n`,
      )
  })
})
