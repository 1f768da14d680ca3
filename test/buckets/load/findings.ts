/**
 * Collects the faults that a load finds, with their evidence: calls about the same object and their answers, the steps
 * of moves and servers, and the rows in the databases.
 */
import { AssertionError } from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Client } from '#testing/client.ts'
import { patient } from '#testing/run/mode.ts'
import { report } from '../bucket-world.ts'

/** The number of calls that are remembered, and the number of steps of moves that are shown. */
const CALLS_MAX = 200_000
const STEPS_SHOWN = 20
/** A server that has not responded by then is asleep: callers use another one. */
const ASLEEP_MS = patient(5_000)
const TEXT_MAX = 600

const time = () => new Date().toISOString().slice(11, 23)
const short = (text: string) => (text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text)

export class Findings {
  readonly wrong: string[] = []
  /** Searches the databases and the logs of servers for something that calls named. */
  examine: (about: string) => Promise<string[]> = async () => []
  readonly #clients: readonly Client[]
  readonly #calls: string[] = []
  readonly #steps: string[] = []
  readonly #examining: Promise<unknown>[] = []
  /** Calls that a server has not responded to in time. */
  readonly #late = new Map<Client, number>()
  #turn = 0
  #acknowledgedAt = performance.now()
  #longestPauseMs = 0

  constructor(clients: readonly Client[]) {
    this.#clients = clients
  }

  /** Remembers a step of a move, or an event of a server, such as a kill. */
  happens(what: string): void {
    this.#steps.push(`${time()} ${what}`)
  }

  /** `about` is the name in its calls, as in their JSON; `more` is further evidence. */
  add(what: string, about?: string, more: readonly string[] = []): void {
    const calls = about === undefined ? [] : this.#calls.filter((call) => call.includes(about))
    const steps = this.#steps.slice(-STEPS_SHOWN)
    const parts = [`${time()} ${what}`, ...more, ...calls, 'what happened:', ...steps]
    const nth = this.wrong.push(parts.join('\n  ')) - 1
    report(`WRONG: ${this.wrong[nth]}`)
    if (about === undefined) return
    const examined = this.examine(about).then((found) => {
      this.wrong[nth] += found.map((line) => `\n  ${line}`).join('')
      report(`WRONG, the databases: ${found.join('\n  ')}`)
    })
    this.#examining.push(examined.catch((error: Error) => report(`not examined: ${error.message}`)))
  }

  /** Records that a change was acknowledged. */
  acknowledge(): void {
    const now = performance.now()
    this.#longestPauseMs = Math.max(this.#longestPauseMs, now - this.#acknowledgedAt)
    this.#acknowledgedAt = now
  }

  /** Returns the longest time without an acknowledged change since the last question, in milliseconds. */
  takePause(): number {
    const ms = Math.max(this.#longestPauseMs, performance.now() - this.#acknowledgedAt)
    this.#longestPauseMs = 0
    return Math.round(ms)
  }

  /** Waits until every fault is examined. */
  async examined(): Promise<void> {
    await Promise.all(this.#examining)
  }

  /** Returns a client of each server in turn, except sleeping ones. */
  next(): Client {
    const awake = this.#clients.filter((client) => !this.#late.get(client))
    const all = awake.length > 0 ? awake : this.#clients
    return all[this.#turn++ % all.length] as Client
  }

  /**
   * Makes a call; returns undefined if there was no answer. If a sleeping server answers later, `judge` gets that
   * answer, which must not be stale at the time of the call.
   */
  async call(
    client: Client,
    path: string,
    data: unknown,
    { headers, judge = () => {} }: { headers?: Record<string, string>; judge?: (answer: Answer) => void } = {},
  ): Promise<Answer | undefined> {
    const called = this.#call(client, path, data, headers)
    const answer = await Promise.race([called, sleep(ASLEEP_MS, 'asleep' as const)])
    if (answer !== 'asleep') return answer
    const count = (more: number) => this.#late.set(client, (this.#late.get(client) ?? 0) + more)
    count(1)
    void called.then((late) => {
      count(-1)
      if (late !== undefined) judge(late)
    })
    return undefined
  }

  /** Makes a call and remembers it. An answer that the contract does not allow is wrong. */
  async #call(
    client: Client,
    path: string,
    data: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer | undefined> {
    const [began, named] = [performance.now(), JSON.stringify(data)]
    const note = (came: string) => {
      const ms = Math.round(performance.now() - began)
      this.#calls.push(
        `${time()} server ${this.#clients.indexOf(client)}, ${ms} ms: ${path} ${short(named)} -> ${came}`,
      )
      if (this.#calls.length > CALLS_MAX) this.#calls.splice(0, CALLS_MAX / 10)
    }
    try {
      const answer = await client.raw(path, JSON.stringify({ data }), headers)
      note(`${answer.http} ${answer.headers.get('x-request-id')} ${short(answer.text)}`)
      return answer
    } catch (error) {
      const { message, cause } = error as Error
      note(`${message} ${cause ?? ''}`)
      if (error instanceof AssertionError) this.add(`${path}: ${message}`, named)
      return undefined
    }
  }
}
