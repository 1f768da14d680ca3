/**
 * Measures very many grants that expire at the same moment, in a thousand organizations and in one: how fast the sweep
 * reports them, and meanwhile the latency of a grant in one of these organizations and of a grant and an expiry elsewhere.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { addPermissions } from '#contract/access/permissions.ts'
import { databaseClock } from '#platform/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { type Client, createClient } from '#testing/client.ts'
import { percentile, say, sayHead, sayRow } from './support/report.ts'
import { startProcess } from './support/server.ts'
import { newDatabase } from './support/store.ts'

const SAMPLE_EVERY = 20
const PAUSE_MS = 20

const grant = (key: Client, userId: string, organizationIds: string[], more: { expiresAt?: number } = {}) =>
  key.call(addPermissions, {
    user: { userId },
    permissions: { resources: organizationIds.map((id) => ({ type: 'organization' as const, id, ...more })) },
  })

/** Creates the grants with a distant expiry, then lets all of them expire in one second. */
async function fill(db: Db, key: Client, organizations: number, grants: number): Promise<void> {
  const ids = Array.from({ length: organizations }, (_, nth) => `o${nth}`)
  await grant(key, 'first', ids)
  await db.query(
    `insert into grants (organization_key, resource_key, principal, kind, temporary_role, expires_at)
     select organization_key, organization_key, 'user ' || nth, 'organization', 'viewer', '2100-01-01'
       from organizations, generate_series(1, $1::int) nth order by organization_key, nth`,
    [grants / organizations],
  )
  await db.query('vacuum (analyze) grants')
  await db.query(`update grants set expires_at = clock_timestamp() + interval '1 second' where expires_at is not null`)
}

interface Progress {
  due: boolean
  elsewhere: boolean
}

async function progressOf(db: Db): Promise<Progress> {
  const { rows } = await db.query(
    `select exists (select from grants where expires_at is not null and expiry_event_at is null) as due,
            exists (select from events where type = 'permission.expired' and organization_id = 'elsewhere') as elsewhere`,
  )
  const [progress] = rows as Progress[]
  return progress ?? { due: true, elsewhere: false }
}

async function burst(settings: Record<string, string>, organizations: number, grants: number): Promise<void> {
  const server = await startProcess('server/main.ts', settings)
  const db = await openPostgres(settings.DATABASE_URL ?? '', databaseClock, { connections: 2, statementTimeoutMs: 0 })
  const key = await createClient(server.url).newKey()
  await fill(db, key, organizations, grants)

  const start = performance.now()
  await grant(key, 'late', ['elsewhere'], { expiresAt: Math.floor(Date.now() / 1000) + 2 })
  const waited: Record<string, number[]> = { o0: [], elsewhere: [] }
  const memoryMb: number[] = []
  let elsewhereAfter: number | undefined
  for (let nth = 0, due = true; due; nth++) {
    for (const [organizationId, times] of Object.entries(waited)) {
      const sent = performance.now()
      await grant(key, `during ${nth}`, [organizationId])
      times.push(performance.now() - sent)
    }
    if (nth % SAMPLE_EVERY === 0) {
      const progress = await progressOf(db)
      due = progress.due
      if (progress.elsewhere) elsewhereAfter ??= performance.now() - start
      memoryMb.push(server.rssMb())
    }
    await sleep(PAUSE_MS)
  }
  const seconds = (performance.now() - start) / 1000
  const { rows } = await db.query(`select count(*)::int as events from events where type = 'permission.expired'`)
  const [{ events } = { events: 0 }] = rows as { events: number }[]
  const { o0 = [], elsewhere = [] } = waited
  const cells = [organizations, events, Math.round(events / seconds)]
  const waits = [o0, elsewhere].flatMap((times) => [0.5, 0.99].map((share) => percentile(times, share).toFixed(0)))
  const memory = [0.1, 0.5, 0.99].map((at) => memoryMb[Math.floor(memoryMb.length * at)] ?? 0)
  sayRow(...cells, ...waits, ((elsewhereAfter ?? 0) / 1000).toFixed(1), memory.join(', '))
  await db.close()
  await server.stop()
}

export async function benchExpiry(settings: Record<string, string>, grants: number): Promise<void> {
  say(`\n## ${grants} grants expire at one moment`)
  say(
    '\nMeanwhile, grants are added in one of the organizations and elsewhere, where one more grant expires 2 s later.',
  )
  sayHead(
    ...['organizations', 'events', 'events/s', 'grant there, p50 ms', 'p99 ms', 'grant elsewhere, p50 ms', 'p99 ms'],
    ...['expiry elsewhere reported after s', 'memory (RSS) at the start, half-way, at the end, MB'],
  )
  for (const organizations of [1_000, 1]) {
    const databaseUrl = await newDatabase(settings.DATABASE_URL ?? '', `expiry_${organizations}`)
    await burst({ ...settings, DATABASE_URL: databaseUrl }, organizations, grants)
  }
}
