/** `commonhold buckets move-key`: one API key moves to another database and back, with two processes that serve it. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { until } from '#testing/eventually.ts'
import { FULL } from '#testing/run/mode.ts'
import { startReceiver } from '#testing/stand-ins/receiver.ts'
import { report, runCommand } from './bucket-world.ts'
import { readFeed } from './load/feed-reader.ts'
import { startLoad, startMovingKey } from './load/moving-key.ts'

describe('an API key', () => {
  it('moves from the home database to a bucket and back, under load', async () => {
    const { home, key, apiKey, clients } = await startMovingKey({ WEBHOOK_ALLOW_PRIVATE: 'true' })
    const receiver = await startReceiver()
    await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
    await key.call(createWebhookEndpoint, { url: receiver.url })
    const earlier = await readFeed(key)
    const { load, nothingWrong, finish } = startLoad(clients)
    for (const where of FULL ? [['--to', 'eu1'], ['--to-home'], ['--to', 'eu1']] : [['--to', 'eu1'], ['--to-home']]) {
      await sleep(1_000)
      const { stdout } = await runCommand(home, 'move-key', apiKey, ...where)
      report(stdout)
      nothingWrong(stdout)
      const before = load.acknowledged
      for (let tries = 0; load.acknowledged === before && tries < 100; tries++) await sleep(100)
      assert.notEqual(load.acknowledged, before, stdout)
    }
    const events = await finish()
    const told = () =>
      new Set(receiver.received.map(({ headers }) => String(headers['webhook-id']).replace('msg_', '')))
    const toTell = events.filter((id) => !earlier.includes(id))
    await until('the receiver has every event', () => toTell.every((id) => told().has(id)))
    receiver.close()
    assert.ok(load.reasons.has('api_key_moving'), [...load.reasons].join())
    report(`${receiver.received.length} deliveries of ${told().size}`)
  })
})
