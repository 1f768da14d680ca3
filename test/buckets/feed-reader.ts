/** Reads the feed of an API key: at once, or with page tokens over moves and kills, noting an event that comes twice or not at all. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { listEvents } from '#contract/events/events.ts'
import type { Client } from '#testing/client.ts'
import { REPEATED } from './bucket-world.ts'

export class FeedReader {
  readonly wrong: string[] = []
  /** How often a page token was refused, so that it began again. */
  restarts = 0
  readonly #clients: readonly Client[]
  #seen = new Set<string>()
  #last = new Map<string, number>()
  #pageToken: string | undefined
  #isStopping = false
  readonly #ended: Promise<void>

  constructor(clients: readonly Client[]) {
    this.#clients = clients
    this.#ended = this.#follow()
  }

  async #follow(): Promise<void> {
    for (let turn = 0; ; turn++) {
      const isStopping = this.#isStopping
      const hasMore = await this.#page(this.#clients[turn % this.#clients.length] as Client)
      if (hasMore === false && isStopping) return
      if (!hasMore) await sleep(50)
    }
  }

  /** Reads a page. Returns whether there are more; undefined: there was no answer. */
  async #page(client: Client): Promise<boolean | undefined> {
    const answer = await client
      .post(listEvents.path, { order: 'oldestFirst', ...(this.#pageToken && { pageToken: this.#pageToken }) })
      .catch(() => undefined)
    if (answer === undefined || REPEATED.includes(answer.http)) return undefined
    if (answer.body.error?.reason === 'page_token_invalid') {
      this.restarts++
      this.#pageToken = undefined
      this.#seen = new Set()
      this.#last = new Map()
      return undefined
    }
    if (answer.http !== 200) {
      this.wrong.push(`the feed: ${answer.http} ${answer.text}`)
      return undefined
    }
    const { data, nextPageToken } = answer.body.result
    this.#pageToken = nextPageToken
    for (const { id } of data.events as { id: string }[]) this.#note(id)
    return data.hasMore
  }

  #note(id: string): void {
    const [stream = '', number] = id.split('-')
    const last = this.#last.get(stream)
    if (this.#seen.has(id)) this.wrong.push(`the event ${id} was read twice`)
    else if (last !== undefined && Number(number) <= last) this.wrong.push(`the event ${id} was read after ${last}`)
    this.#seen.add(id)
    this.#last.set(stream, Number(number))
  }

  /** Reads to the end, and compares with everything that is in the feed. */
  async stopAfter(ids: readonly string[]): Promise<void> {
    this.#isStopping = true
    await this.#ended
    const missing = ids.filter((id) => !this.#seen.has(id))
    if (missing.length > 0) this.wrong.push(`${missing.length} events were not read: ${missing.slice(0, 5).join(', ')}`)
  }
}

/** Reads the feed of a key from its beginning. Asserts that each organization numbers its events without a gap or a repeat. */
export async function readFeed(client: Client): Promise<string[]> {
  const ids: string[] = []
  for (let pageToken: string | undefined; ; ) {
    const { body } = await client.post(listEvents.path, { order: 'oldestFirst', ...(pageToken && { pageToken }) })
    const { data, nextPageToken } = body.result
    ids.push(...data.events.map(({ id }: { id: string }) => id))
    pageToken = nextPageToken
    if (!data.hasMore) break
  }
  assert.equal(new Set(ids).size, ids.length, 'an event is in the feed twice')
  const last = new Map<string, number>()
  for (const id of ids) {
    const [stream = '', sequence] = id.split('-')
    // The first events of the workspace are about another key.
    assert.equal(
      Number(sequence),
      (last.get(stream) ?? Number(sequence) - 1) + 1,
      `the event ${id} does not follow the one before`,
    )
    last.set(stream, Number(sequence))
  }
  return ids
}
