/** A receiver of the webhooks of a key in a load: it must get each event at least once, and never with two different contents. */
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { until } from '#testing/eventually.ts'
import { startReceiver } from '#testing/stand-ins/receiver.ts'
import type { Calls } from './calls.ts'
import { readFeed } from './feed-reader.ts'

/** After an erasure, events about the user contain the pseudonym. */
const ERASED = /leaver \d+|erased:[0-9a-f]+/g

export class Webhooks {
  readonly #calls: Calls
  readonly #byId = new Map<string, string>()
  /** Events from before there was a receiver. */
  #unreported: ReadonlySet<string> = new Set()
  /** The number of messages that arrived more than once. */
  again = 0

  constructor(calls: Calls) {
    this.#calls = calls
  }

  async prepare(): Promise<void> {
    const receiver = await startReceiver((message) => {
      receiver.received.length = 0
      this.#note(String(message.headers['webhook-id']), message.body)
      return { status: 204 }
    })
    await this.#calls.insist(updateAdvancedWebhookConfig, { isEnabled: true })
    this.#unreported = new Set(await readFeed(this.#calls.client))
    await this.#calls.insist(createWebhookEndpoint, { url: receiver.url })
  }

  #note(id: string, body: string): void {
    const before = this.#byId.get(id)
    const content = body.replace(ERASED, 'a user')
    if (before === undefined) this.#byId.set(id, content)
    else if (before === content) this.again++
    else this.#calls.findings.add(`the message ${id} has two contents: ${before} and ${body}`)
  }

  get received(): number {
    return this.#byId.size
  }

  /** Waits for the messages of all events of the feed. */
  async verify(events: readonly string[]): Promise<void> {
    const missing = () => events.filter((id) => !this.#unreported.has(id) && !this.#byId.has(`msg_${id}`))
    await until('all webhooks', () => missing().length === 0).catch(() => {})
    const left = missing()
    if (left.length > 0) this.#calls.findings.add(`${left.length} events were not sent: ${left.slice(0, 5)}`)
    const known = new Set(events.map((id) => `msg_${id}`))
    const unknown = [...this.#byId.keys()].filter((id) => !known.has(id.replace(/-act$/, '')))
    const contents = unknown.slice(0, 5).map((id) => `${id}: ${this.#byId.get(id)}`)
    if (unknown.length > 0) this.#calls.findings.add(`${unknown.length} messages of no event`, undefined, contents)
  }
}
