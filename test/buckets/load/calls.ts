/**
 * Makes the calls of a load on servers that are killed and moved, and records which were acknowledged, refused as
 * UNAVAILABLE, or answered wrongly.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DataOf, Operation, ResultOf } from '#contract/core/operation.ts'
import type { Answer, Client } from '#testing/client.ts'
import { REPEATED } from '../bucket-world.ts'
import { Findings } from './findings.ts'

const IN_USE = 'idempotency_key_in_use'
/** The number of answers that are requested again later. */
const KEPT_MAX = 200

interface Kept {
  path: string
  data: unknown
  idempotencyKey: string
  text: string
}

export class Calls {
  readonly findings: Findings
  acknowledged = 0
  refused = 0
  /** The number of calls with an `Idempotency-Key` that were repeated after an answer. */
  repeated = 0
  isStopping = false
  readonly #kept: Kept[] = []

  constructor(clients: readonly Client[]) {
    this.findings = new Findings(clients)
  }

  /** Returns a client of each server in turn, except sleeping ones. */
  get client(): Client {
    return this.findings.next()
  }

  /** Records that a change was acknowledged. */
  note(): void {
    this.acknowledged++
    this.findings.acknowledge()
  }

  /** Returns an answer that is not UNAVAILABLE; undefined if there is none. */
  async attempt(client: Client, path: string, data: unknown, headers = {}): Promise<Answer | undefined> {
    const answer = await this.findings.call(client, path, data, { headers })
    const isRepeated = answer === undefined || REPEATED.includes(answer.http) || answer.body.error?.reason === IN_USE
    if (!isRepeated) return answer
    this.refused++
    await sleep(20)
    return undefined
  }

  /**
   * Repeats a change with one `Idempotency-Key`, through all servers in turn, until it has an answer: the change must
   * be made once, before or after moves. Some changes are also repeated later. Returns undefined if the answer was
   * recorded as wrong.
   */
  // biome-ignore lint/suspicious/noExplicitAny: an operation of whatever schemas
  async insist<Op extends Operation<any, any>>(
    { path }: Op,
    data: DataOf<Op>,
    isKept = Math.random() < 0.3,
  ): Promise<ResultOf<Op> | undefined> {
    const idempotencyKey = randomUUID()
    for (;;) {
      const answer = await this.attempt(this.client, path, data, { 'idempotency-key': idempotencyKey })
      if (answer === undefined) continue
      if (answer.http !== 200)
        return void this.findings.add(`${path}: ${answer.http} ${answer.text}`, JSON.stringify(data))
      this.note()
      if (isKept) this.#kept.push({ path, data, idempotencyKey, text: answer.text })
      return answer.body.result.data
    }
  }

  /** Repeats a read until it has an answer. */
  // biome-ignore lint/suspicious/noExplicitAny: an operation of whatever schemas
  async read<Op extends Operation<any, any>>({ path }: Op, data: DataOf<Op>): Promise<ResultOf<Op>> {
    for (;;) {
      const answer = await this.attempt(this.client, path, data)
      if (answer?.http === 200) return answer.body.result.data
      if (answer !== undefined) throw new Error(`${path}: ${answer.http} ${answer.text}`)
    }
  }

  /** Repeats an earlier call: it must get the first answer again, byte for byte. */
  async repeatOne(): Promise<void> {
    while (this.#kept.length > KEPT_MAX) this.#kept.shift()
    const one = this.#kept[Math.floor(Math.random() * this.#kept.length)]
    if (one === undefined) return
    const { path, data, idempotencyKey, text } = one
    const answer = await this.attempt(this.client, path, data, { 'idempotency-key': idempotencyKey })
    if (answer === undefined) return
    this.repeated++
    if (answer.text !== text)
      this.findings.add(`the repeat of ${path} got ${answer.text} instead of ${text}`, JSON.stringify(data))
  }

  /** Runs `work` repeatedly, with pauses, until the load is stopped. */
  async keep(work: (turn: number) => Promise<unknown>, pauseMs: number): Promise<void> {
    for (let turn = 0; !this.isStopping; turn++) {
      await work(turn).catch((error: Error) => this.findings.add(error.stack ?? error.message))
      await sleep(pauseMs)
    }
  }
}
