/**
 * Counts the calls of API keys in memory, and adds the counts to the database every few seconds (rules/keys.md#usage,
 * ADR 0060). No call waits for this or fails because of it. Unwritten counts are lost if the process is killed. They
 * are kept while the database cannot be reached: one small record for each key that has called.
 */
import type { Kernel } from '#kernel'
import { DistinctSketch } from '#platform/distinct.ts'
import { poll } from '#platform/jobs/repeat.ts'
import { ADD_USAGE, type Counts, READ_ACTIVE_USERS, SET_ACTIVE_USERS } from './counting-statements.ts'

const WRITE_EVERY_MS = 5_000
/** A key that is being deleted holds the locks of its rows; the counts of the others wait no longer for it. */
const LOCK_TIMEOUT_MS = 2_000
/** The keys whose active users of today are remembered, so that those already stored need not be read. */
const REMEMBERED_MAX = 10_000

export class KeyCounts implements Counts {
  calls = 0
  refused = 0
  failed = 0
  checks = 0
  webhooks = 0
  readonly users = new DistinctSketch()
  hasUsers = false

  addUser(userId: string): void {
    this.hasUsers = this.users.add(userId) || this.hasUsers
  }

  add({ calls, refused, failed, checks, webhooks, users, hasUsers }: KeyCounts): void {
    this.calls += calls
    this.refused += refused
    this.failed += failed
    this.checks += checks
    this.webhooks += webhooks
    if (hasUsers) this.users.merge(users)
    this.hasUsers ||= hasUsers
  }
}

export interface Counting {
  /** Returns the counts of an API key, to be added to at once. */
  of(apiKeyId: string): KeyCounts
  /** Resolves when everything that was counted before is written, or when that has failed; then it is tried again later. */
  written(): Promise<void>
  /** Writes the rest. */
  stop(): Promise<void>
}

export function startCounting({ db, log, metrics }: Pick<Kernel, 'db' | 'log' | 'metrics'>): Counting {
  let pending = new Map<string, KeyCounts>()
  let waiting: (() => void)[] = []
  /** The active users that are stored, by API key. */
  const stored = new Map<string, { day: string; users: DistinctSketch }>()

  function of(apiKeyId: string): KeyCounts {
    const known = pending.get(apiKeyId)
    if (known !== undefined) return known
    const counts = new KeyCounts()
    pending.set(apiKeyId, counts)
    return counts
  }

  async function write(): Promise<void> {
    if (pending.size === 0) return
    const taken = pending
    pending = new Map()
    try {
      await add(taken)
    } catch (error) {
      for (const [apiKeyId, counts] of taken) of(apiKeyId).add(counts)
      stored.clear() // it may have users that were not stored
      throw error
    }
    for (const [apiKeyId, counts] of taken) metrics.usageCounted(apiKeyId, counts)
  }

  async function add(counted: ReadonlyMap<string, KeyCounts>): Promise<void> {
    const rows = [...counted]
      .map(([apiKeyId, { calls, refused, failed, checks, webhooks }]) => ({
        ...{ apiKeyId, calls, refused, failed, checks, webhooks },
      }))
      .sort((one, other) => (one.apiKeyId < other.apiKeyId ? -1 : 1))
    let runs = 0
    await db.transaction(
      async (session) => {
        // A transaction that runs again must not take for stored what its first run would have stored.
        if (runs++ > 0) stored.clear()
        const days = await session.runSet(ADD_USAGE, rows)
        const changed = days.filter(({ apiKeyId, day }) => {
          const { hasUsers, users } = counted.get(apiKeyId) as KeyCounts
          const known = stored.get(apiKeyId)
          return hasUsers && (known?.day !== day || known.users.merge(users))
        })
        if (changed.length === 0) return
        const dayOf = new Map(changed.map(({ apiKeyId, day }) => [apiKeyId, day]))
        if (stored.size + changed.length > REMEMBERED_MAX) stored.clear()
        const merged = (await session.runSet(READ_ACTIVE_USERS, changed)).map(({ apiKeyId, activeUsers }) => {
          const day = dayOf.get(apiKeyId) as string
          const users = DistinctSketch.from(activeUsers)
          users.merge((counted.get(apiKeyId) as KeyCounts).users)
          stored.set(apiKeyId, { day, users })
          return { apiKeyId, day, activeUsers: Buffer.from(users.bytes()) }
        })
        await session.runSet(SET_ACTIVE_USERS, merged)
      },
      { lockTimeoutMs: LOCK_TIMEOUT_MS },
    )
  }

  const polling = poll(
    async () => {
      const asked = waiting
      waiting = []
      await write().finally(() => {
        for (const resolve of asked) resolve()
      })
    },
    {
      everyMs: WRITE_EVERY_MS,
      log,
      failure: 'the usage of API keys was not written; it will be, with what is counted meanwhile',
    },
  )

  return {
    of,
    written() {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push(resolve)
      polling.wake()
      return promise
    },
    async stop() {
      await polling.stop()
      await write().catch((err: unknown) => log.warn({ err }, 'the last usage of API keys was lost'))
      for (const resolve of waiting) resolve()
    },
  }
}
