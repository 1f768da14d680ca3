/**
 * Runs two servers that are killed, or that stop responding for the duration of several moves, and then are available
 * again at the same address.
 */
import type { Client } from '#testing/client.ts'
import { type ServerProcess, type Settings, startProcess } from '#testing/processes/process.ts'
import { settingsOf } from '../bucket-world.ts'

export class Servers {
  readonly #settings: Settings
  readonly #running: ServerProcess[] = []
  #sleeping: number | undefined
  kills = 0
  sleeps = 0

  constructor(home: string) {
    this.#settings = {
      ...settingsOf(home),
      WEBHOOK_ALLOW_PRIVATE: 'true',
      // The same for each server, so that a user token opens streams of both.
      PUBLIC_URL: 'http://127.0.0.1:9',
      // The time for which a server sleeps counts as time of the database.
      DATABASE_MS_PER_KEY: '0',
    }
  }

  async start(): Promise<Client> {
    const server = await startProcess(this.#settings)
    this.#running.push(server)
    return server.client
  }

  get isOneAsleep(): boolean {
    return this.#sleeping !== undefined
  }

  get urls(): string[] {
    return this.#running.map(({ url }) => url)
  }

  /** Returns the last lines of the logs of all servers that match. */
  logged(pattern: RegExp, count: number): string[] {
    const linesOf = ({ output }: ServerProcess) => `${output.stdout}${output.stderr}`.split('\n')
    return this.#running.flatMap((server) =>
      linesOf(server)
        .filter((line) => pattern.test(line))
        .slice(-count),
    )
  }

  async killAndStart(nth: number): Promise<void> {
    const server = this.#running[nth]
    if (server === undefined || this.#sleeping === nth) return
    this.kills++
    await server.kill('SIGKILL')
    this.#running[nth] = await startProcess({ ...this.#settings, PORT: new URL(server.url).port })
  }

  /** Stops the process of a server until `wake`: meanwhile all its leases expire, and buckets move. */
  sleep(nth: number): void {
    if (this.#sleeping !== undefined) return
    this.#sleeping = nth
    this.sleeps++
    this.#running[nth]?.child.kill('SIGSTOP')
  }

  wake(): void {
    if (this.#sleeping !== undefined) this.#running[this.#sleeping]?.child.kill('SIGCONT')
    this.#sleeping = undefined
  }
}
