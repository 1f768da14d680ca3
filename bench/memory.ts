/**
 * Measures whether memory stays constant: checks and grants on 64 connections for several minutes, and every minute the
 * memory of the server and of PostgreSQL. The sum over PostgreSQL's processes counts shared memory once per process.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { databaseClock } from '#platform/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { body, grantBody, newDataSet, question } from './checks.ts'
import { load } from './support/load.ts'
import { say, sayHead, sayRow } from './support/report.ts'
import { memoryMb, startProcess } from './support/server.ts'
import { postgresStore } from './support/store.ts'
import { WORLD } from './support/world.ts'

const CONNECTIONS = 64
const BODIES = 5_000

/** Returns the memory of all processes in `pg_stat_activity`. */
async function databaseMemory(db: Db): Promise<{ processes: number; rss: number; own: number }> {
  const { rows } = await db.query('select pid from pg_stat_activity')
  const pids = (rows as { pid: number }[]).map(({ pid }) => pid)
  const sum = (what: 'VmRSS' | 'RssAnon') => Math.round(pids.reduce((total, pid) => total + memoryMb(pid, what), 0))
  return { processes: pids.length, rss: sum('VmRSS'), own: sum('RssAnon') }
}

export async function benchMemory(settings: Record<string, string>, minutes: number): Promise<void> {
  const databaseUrl = settings.DATABASE_URL ?? ''
  const headers = await newDataSet({ settings, withStore: postgresStore(databaseUrl) }, WORLD)
  const server = await startProcess('server/main.ts', settings)
  const db = await openPostgres(databaseUrl, databaseClock, { connections: 1, statementTimeoutMs: 0 })
  say(`\n## Memory over ${minutes} minutes of checks and grants, ${CONNECTIONS / 2} connections each`)
  sayHead('minute', 'server, RSS MB', 'PostgreSQL, processes', 'RSS in sum, MB', 'of that their own, MB')
  const sample = async (minute: number) => {
    const { processes, rss, own } = await databaseMemory(db)
    sayRow(minute, server.rssMb(), processes, rss, own)
  }
  const half = (path: string, bodies: string[]) =>
    load({
      url: server.url + path,
      headers: { 'content-type': 'application/json', ...headers },
      bodies,
      connections: CONNECTIONS / 2,
      seconds: minutes * 60,
    })
  await sample(0)
  const loads = Promise.all([
    half(
      checkPermissions.path,
      Array.from({ length: BODIES }, () => body({ checks: [question(WORLD)] })),
    ),
    half(addPermissions.path, Array.from({ length: BODIES }, grantBody)),
  ])
  for (let minute = 1; minute <= minutes; minute++) {
    await sleep(minute < minutes ? 60_000 : 58_000) // the last sample is taken under load
    await sample(minute)
  }
  const [checks, grants] = await loads
  say(
    `\n${Math.round(checks.rate)} checks/s (p99 ${checks.p99Ms.toFixed(1)} ms) and ${Math.round(grants.rate)} grants/s (p99 ${grants.p99Ms.toFixed(1)} ms), ${checks.errors + grants.errors} errors.`,
  )
  await db.close()
  await server.stop()
}
