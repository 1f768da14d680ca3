/** Receives events as applications do, by reading the feed and by webhooks, while the primary of the database changes. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { listEvents } from '#contract/events/events.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import type { Client } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import { startReceiver } from '#testing/stand-ins/receiver.ts'

/** The received events, by their ids. No id may arrive again with other contents. */
class Contents {
  readonly byId = new Map<string, string>()

  add(id: string, content: string): void {
    assert.equal(this.byId.get(id) ?? content, content, `the id ${id} has two contents`)
    this.byId.set(id, content)
  }
}

/** Reads the feed as an application does, with its page token. */
export class Reader {
  readonly seen = new Map<string, string>()
  announced = 0
  /** Every event that it has ever received, including lost ones. */
  readonly #known = new Contents()
  #token: string | undefined
  readonly #caller: Client

  constructor(caller: Client) {
    this.#caller = caller
  }

  /** Reads up to the end. */
  async catchUp(): Promise<void> {
    for (;;) {
      const pageToken = this.#token
      const answer = await this.#caller.post(listEvents.path, { order: 'oldestFirst', ...(pageToken && { pageToken }) })
      if (answer.http === 400) {
        assert.equal(answer.body.error.reason, 'page_token_invalid', answer.text)
        this.announced++
        this.seen.clear()
        this.#token = undefined
        continue
      }
      if (answer.http !== 200) {
        await sleep(50)
        continue
      }
      const { data, nextPageToken } = answer.body.result
      for (const event of data.events) {
        const before = this.seen.get(event.id)
        assert.equal(before, undefined, `the event ${event.id} came twice: ${before} and ${JSON.stringify(event)}`)
        this.seen.set(event.id, JSON.stringify(event))
        this.#known.add(event.id, JSON.stringify(event))
      }
      this.#token = nextPageToken
      if (!data.hasMore) return
    }
  }
}

/**
 * Receives webhooks. Returns functions that wait for messages about all `events` except the `unreported` ones, and
 * count messages about other events.
 */
export async function startConsumer(key: Client) {
  const receiver = await startReceiver()
  await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
  await key.call(createWebhookEndpoint, { url: receiver.url })
  const contents = new Contents()
  return async (events: readonly string[], unreported: readonly string[]): Promise<number> => {
    const messages = new Set(events.map((id) => `msg_${id}`))
    for (const id of unreported) messages.delete(`msg_${id}`)
    await until('all webhooks', () => {
      for (const { headers, body } of receiver.received.splice(0)) contents.add(String(headers['webhook-id']), body)
      return messages.isSubsetOf(contents.byId)
    })
    return [...contents.byId.keys()].filter((id) => !events.includes(id.slice('msg_'.length))).length
  }
}
