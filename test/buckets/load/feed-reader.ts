/**
 * Reads the feed of an API key, at once or with page tokens during moves and kills, and reports events that it gets
 * twice or not at all.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { listEvents } from '#contract/events/events.ts'
import type { Client } from '#testing/client.ts'
import { REPEATED } from '../bucket-world.ts'
import { Findings } from './findings.ts'

export class FeedReader {
  /** The number of page tokens that were refused, after which the reader started again. */
  restarts = 0
  readonly #findings: Findings
  /** The page in which each event was read. */
  #seen = new Map<string, string>()
  #last = new Map<string, number>()
  #pageToken: string | undefined
  #isStopping = false
  readonly #ended: Promise<void>

  constructor(clients: readonly Client[], findings = new Findings(clients)) {
    this.#findings = findings
    this.#ended = this.#follow()
  }

  get wrong(): readonly string[] {
    return this.#findings.wrong
  }

  async #follow(): Promise<void> {
    for (;;) {
      const isStopping = this.#isStopping
      const hasMore = await this.#page()
      if (hasMore === false && isStopping) return
      if (!hasMore) await sleep(50)
    }
  }

  /** Reads a page. Returns whether there are more; undefined if there was no answer. */
  async #page(): Promise<boolean | undefined> {
    const asked = { order: 'oldestFirst', ...(this.#pageToken && { pageToken: this.#pageToken }) }
    const answer = await this.#findings.call(this.#findings.next(), listEvents.path, asked)
    if (answer === undefined || REPEATED.includes(answer.http)) return undefined
    if (answer.body.error?.reason === 'page_token_invalid') {
      this.restarts++
      this.#pageToken = undefined
      this.#seen = new Map()
      this.#last = new Map()
      return undefined
    }
    if (answer.http !== 200) {
      this.#findings.add(`the feed: ${answer.http} ${answer.text}`, JSON.stringify(asked))
      return undefined
    }
    const { data, nextPageToken } = answer.body.result
    const page = `${new Date().toISOString()} ${answer.headers.get('x-request-id')}, from ${this.#pageToken}`
    this.#pageToken = nextPageToken
    for (const { id } of data.events as { id: string }[]) this.#note(id, page)
    return data.hasMore
  }

  #note(id: string, page: string): void {
    const [stream = '', number] = id.split('-')
    const last = this.#last.get(stream)
    const pages = [`in ${page}`, `before: ${this.#seen.get(id) ?? this.#seen.get(`${stream}-${last}`)}`]
    if (this.#seen.has(id)) this.#findings.add(`the event ${id} was read twice`, id, pages)
    else if (last !== undefined && Number(number) <= last)
      this.#findings.add(`the event ${id} was read after ${last}`, id, pages)
    this.#seen.set(id, page)
    this.#last.set(stream, Number(number))
  }

  /** Reads to the end, and compares the result with the complete feed. */
  async stopAfter(ids: readonly string[]): Promise<void> {
    this.#isStopping = true
    await this.#ended
    const missing = ids.filter((id) => !this.#seen.has(id))
    if (missing.length === 0) return
    const around = missing.slice(0, 5).map((id) => {
      const [stream, number] = id.split('-')
      const [before, after] = [Number(number) - 1, Number(number) + 1].map((other) => `${stream}-${other}`)
      return `${id}: ${before} was in ${this.#seen.get(`${before}`)}, ${after} in ${this.#seen.get(`${after}`)}`
    })
    this.#findings.add(`${missing.length} events were not read`, missing[0], around)
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
