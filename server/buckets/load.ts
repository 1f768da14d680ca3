/** Measures the size of a bucket and its current load. */
import { setTimeout as sleep } from 'node:timers/promises'
import { connectTo, first } from './move/servers.ts'

export interface Load {
  /** Why its database cannot be reached. */
  unreachable?: string
  bytes?: number
  /** Transactions that its database has ended in a second, of all programs. */
  transactionsPerSecond?: number
  connections?: number
}

const STATS = /* sql */ `
  select pg_database_size(current_database())::float8 as bytes, (xact_commit + xact_rollback)::float8 as transactions, numbackends as connections
    from pg_stat_database where datname = current_database()`

interface Stats {
  bytes: number
  transactions: number
  connections: number
}

export async function loadOf(url: string): Promise<Load> {
  try {
    const client = await connectTo(url)
    try {
      const before = await first<Stats>(client, STATS)
      await sleep(1_000)
      const after = await first<Stats>(client, STATS)
      if (before === undefined || after === undefined) throw new Error('it has no statistics')
      return {
        bytes: after.bytes,
        transactionsPerSecond: Math.max(0, after.transactions - before.transactions),
        connections: after.connections,
      }
    } finally {
      await client.end()
    }
  } catch (error) {
    return { unreachable: (error as Error).message }
  }
}
