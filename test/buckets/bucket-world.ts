/** PostgreSQL servers with a home database and buckets, the command that manages buckets, and a load that knows what must be true. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { getOrganizations } from '#contract/resources/organizations.ts'
import { cleanUp } from '#testing/clean-up.ts'
import type { Client } from '#testing/client.ts'
import { type Exit, type Process, type Settings, spawnServer } from '#testing/processes/process.ts'
import { type OwnPostgres, startOwnPostgres } from '#testing/run/postgres.ts'
import { MASTER_KEY } from '#testing/server.ts'

/** Starts a PostgreSQL server from which buckets can be moved, unless `settings` are others. */
export async function startBucketPostgres(settings: Record<string, string | number> = {}): Promise<OwnPostgres> {
  const postgres = await startOwnPostgres({
    fsync: false,
    settings: {
      wal_level: 'logical',
      synchronous_commit: 'on',
      max_replication_slots: 60,
      max_wal_senders: 60,
      max_worker_processes: 60,
      ...settings,
    },
  })
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= postgres.stop())
  cleanUp(stop)
  return { ...postgres, stop }
}

/** Creates an empty database; returns its URL. */
export async function emptyDatabase({ url }: OwnPostgres, name: string): Promise<string> {
  await query(url, `create database ${name}`)
  const own = new URL(url)
  own.pathname = `/${name}`
  return own.href
}

export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** Uses so many transaction numbers of the server: its counter is ahead of that of another one. */
export const spendNumbers = (url: string, count: number) =>
  query(url, `do $$ begin for n in 1..${count} loop perform pg_current_xact_id(); commit; end loop; end $$`)

/** Whether a key is served: its database can be reached, and the server uses it. */
export const isServed = async (key: Client): Promise<boolean> =>
  (await key.post(getOrganizations.path, {})).http === 200

/** Prints what a soak wants to read. */
export const report = (...lines: string[]): void =>
  void (process.env.TEST_REPORT && process.stdout.write(`${lines.join('\n')}\n`))

/** What a caller repeats: the call may or may not have been made. */
export const REPEATED: readonly number[] = [503, 504]

export const settingsOf = (home: string): Settings => ({
  DATABASE_URL: home,
  MASTER_KEY: MASTER_KEY.toString('base64'),
})

/** Calls end soon, so that the move of a key soon deletes what it has left. */
export const SHORT_CALLS: Settings = { REQUEST_TIMEOUT_MS: '2000' }

/** Starts `commonhold buckets` with arguments. */
export const startCommand = (home: string, ...args: string[]): Process =>
  spawnServer({ ...settingsOf(home), ...SHORT_CALLS }, undefined, ['buckets', ...args])

/** Runs it to its end; throws if it fails. */
export async function runCommand(home: string, ...args: string[]): Promise<Exit> {
  const exit = await startCommand(home, ...args).exited
  assert.equal(exit.code, 0, `${args.join(' ')}: ${exit.stderr}${exit.stdout}`)
  return exit
}

/**
 * Grants and revokes access of one user after the other, and checks each at once. An answer other than UNAVAILABLE must be right; a
 * change that was refused as UNAVAILABLE may or may not have happened, and its user is not used again.
 */
export class Load {
  readonly wrong: string[] = []
  acknowledged = 0
  refused = 0
  /** Why changes were refused. */
  readonly reasons = new Set<string>()
  /** The longest time without an acknowledged change, in milliseconds. */
  longestPauseMs = 0
  readonly #allowed = new Map<string, boolean>()
  readonly #ended: Promise<unknown>
  readonly #pauseMs: number
  #isStopping = false
  #lastAt = performance.now()

  /** `pauseMs`: of each worker, between two users. */
  constructor(clients: readonly Client[], workers: number, pauseMs = 0) {
    this.#pauseMs = pauseMs
    this.#ended = Promise.all(
      Array.from({ length: workers }, (_, worker) => this.#work(clients[worker % clients.length] as Client, worker)),
    )
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#ended
  }

  async #work(client: Client, worker: number): Promise<void> {
    const organizationId = `organization ${worker}`
    for (let serial = 0; !this.#isStopping; serial++) {
      if (this.#pauseMs > 0) await sleep(this.#pauseMs)
      const userId = `user ${worker} ${serial}`
      const resource = { type: 'document' as const, id: `document ${serial % 7}`, organizationId }
      const granted = await this.#change(client, addPermissions.path, {
        user: { userId },
        permissions: { resources: [{ ...resource, accessRole: 'viewer' }] },
      })
      if (!granted) continue
      this.#allowed.set(`${userId}\n${JSON.stringify(resource)}`, true)
      await this.check(client, userId, resource)
      if (serial % 3 !== 0) continue
      const key = `${userId}\n${JSON.stringify(resource)}`
      this.#allowed.delete(key)
      if (await this.#change(client, removePermissions.path, { userId, permissions: { resources: [resource] } })) {
        this.#allowed.set(key, false)
        await this.check(client, userId, resource)
      }
    }
  }

  async #change(client: Client, path: string, data: unknown): Promise<boolean> {
    const answer = await client.post(path, data).catch(() => undefined)
    if (answer?.http === 200) {
      this.acknowledged++
      this.longestPauseMs = Math.max(this.longestPauseMs, performance.now() - this.#lastAt)
      this.#lastAt = performance.now()
      return true
    }
    this.refused++
    if (answer !== undefined) this.reasons.add(answer.body.error?.reason)
    if (answer !== undefined && !REPEATED.includes(answer.http))
      this.wrong.push(`${path}: ${answer.http} ${answer.text}`)
    await sleep(20)
    return false
  }

  async check(client: Client, userId: string, resource: object): Promise<void> {
    const expected = this.#allowed.get(`${userId}\n${JSON.stringify(resource)}`)
    const answer = await client.post(checkPermissions.path, { checks: [{ userId, resource }] }).catch(() => undefined)
    if (answer === undefined || REPEATED.includes(answer.http)) return
    if (answer.http !== 200) this.wrong.push(`a check: ${answer.http} ${answer.text}`)
    else if (answer.body.result.data.checks[0].allowed !== expected)
      this.wrong.push(`${userId} ${JSON.stringify(resource)}: ${answer.text}, expected ${expected}`)
  }

  /** Asks again for everything that was acknowledged. Nothing is refused any more. */
  async verify(client: Client): Promise<number> {
    const all = [...this.#allowed]
    for (let from = 0; from < all.length; from += 200) {
      const part = all.slice(from, from + 200)
      const checks = part.map(([key]) => {
        const [userId = '', resource = ''] = key.split('\n')
        return { userId, resource: JSON.parse(resource) }
      })
      const { checks: answers } = await client.call(checkPermissions, { checks })
      part.forEach(([key, expected], nth) => {
        const { allowed } = answers[nth] as { allowed: boolean }
        if (allowed !== expected) this.wrong.push(`afterwards, ${key}: ${allowed}, expected ${expected}`)
      })
    }
    return all.length
  }
}
