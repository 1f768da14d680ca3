/**
 * All kinds of load on one API key, whose bucket moves: grants, checks and revocations, document ids that are migrated,
 * users who leave, threads with notifications, live streams, webhooks, page tokens and repeated calls. At the end,
 * every acknowledged change must be stored.
 */
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import type { Client } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import { isServed } from '../bucket-world.ts'
import { Calls } from './calls.ts'
import { FeedReader, readFeed } from './feed-reader.ts'
import type { Findings } from './findings.ts'
import { Leavers, Migrations } from './jobs.ts'
import { Load } from './load.ts'
import { Talk } from './talk.ts'
import { Webhooks } from './webhooks.ts'

/** The pause between two changes of one kind. Each move copies the databases, so they must stay small. */
const PAUSE_MS = 40

export class Everything {
  readonly #clients: readonly Client[]
  readonly #calls: Calls
  readonly #load: Load
  readonly #reader: FeedReader
  readonly #migrations: Migrations
  readonly #leavers: Leavers
  readonly #talk: Talk
  readonly #webhooks: Webhooks
  readonly #running: Promise<unknown>[]

  /** Starts the load on the servers that `clients` call, which are at `urls`. */
  static async start(clients: readonly Client[], urls: readonly string[]): Promise<Everything> {
    const calls = new Calls(clients)
    await calls.insist(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
    const webhooks = new Webhooks(calls)
    await webhooks.prepare()
    const [migrations, talk] = [new Migrations(calls), new Talk(calls, urls)]
    await migrations.prepare()
    await talk.prepare()
    return new Everything(clients, { calls, migrations, talk, webhooks })
  }

  private constructor(
    clients: readonly Client[],
    parts: { calls: Calls; migrations: Migrations; talk: Talk; webhooks: Webhooks },
  ) {
    this.#clients = clients
    this.#calls = parts.calls
    this.#migrations = parts.migrations
    this.#talk = parts.talk
    this.#webhooks = parts.webhooks
    this.#leavers = new Leavers(parts.calls)
    this.#load = new Load(clients, 4, PAUSE_MS, parts.calls.findings)
    this.#reader = new FeedReader(clients, parts.calls.findings)
    const { calls, migrations, talk } = parts
    const organization = (turn: number) => [{ organizationId: `organization of its own ${turn}` }]
    this.#running = [
      calls.keep(() => migrations.migrate(), PAUSE_MS),
      calls.keep((turn) => this.#leavers.leave(turn), PAUSE_MS * 5),
      calls.keep((turn) => talk.write(turn), PAUSE_MS * 3),
      // Without an `Idempotency-Key`, a repeat would get the answer that the item exists already.
      calls.keep((turn) => calls.insist(addOrganizations, { organizations: organization(turn) }), PAUSE_MS * 5),
      calls.keep(() => calls.repeatOne(), PAUSE_MS * 2),
    ]
  }

  get findings(): Findings {
    return this.#calls.findings
  }

  get acknowledged(): number {
    return this.#calls.acknowledged + this.#load.acknowledged
  }

  /** Stops the load, and compares all acknowledged changes with the stored data. Returns figures. */
  async finish(): Promise<Record<string, number>> {
    this.#calls.isStopping = true
    await Promise.all([this.#load.stop(), ...this.#running])
    for (const client of this.#clients) await until('every server serves the bucket', () => isServed(client))
    const key = this.#clients[0] as Client
    const verified = await this.#load.verify(key)
    await this.#leavers.verify()
    await this.#migrations.verify()
    const events = await readFeed(key)
    await this.#reader.stopAfter(events)
    await this.#webhooks.verify(events)
    await this.#talk.verify()
    await this.findings.examined()
    return {
      acknowledged: this.acknowledged,
      refused: this.#calls.refused + this.#load.refused,
      verified,
      migrations: this.#migrations.migrated,
      leavers: this.#leavers.left.length,
      threads: this.#talk.threads.length,
      repeats: this.#calls.repeated,
      events: events.length,
      webhooks: this.#webhooks.received,
      'webhooks again': this.#webhooks.again,
      'page tokens refused': this.#reader.restarts,
      'streams reset': this.#talk.resets,
      wrong: this.findings.wrong.length,
    }
  }
}
