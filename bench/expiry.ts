/**
 * A million grants that expire at one moment, over a thousand organizations and over one: how many events a second the
 * sweep writes, how long its transactions hold an organization, and how long a grant in it takes meanwhile.
 * `node bench/expiry.ts [grants]`: starts a PostgreSQL itself.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { addPermissions } from '#contract/permissions.ts'
import { databaseClock } from '#platform/clock.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { createClient } from '../test/support/client.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { say, sayHead, sayRow } from './report.ts'
import { startProcess } from './server.ts'

const GRANTS = Number(process.argv[2] ?? 1_000_000)
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64')

const quantile = (sorted: number[], at: number): string => (sorted[Math.floor(sorted.length * at)] ?? 0).toFixed(0)

/** Expires all grants at once, in `organizations` organizations, while somebody grants in the first of them and in another. */
async function burst(baseUrl: string, organizations: number): Promise<void> {
  const name = `expiry_${organizations}`
  const base = await openPostgres(baseUrl, databaseClock, { connections: 2, statementTimeoutMs: 0 })
  await base.script(`create database ${name}`)
  await base.close()
  const url = new URL(baseUrl)
  url.pathname = `/${name}`
  const server = await startProcess('server/main.ts', {
    DATABASE_URL: url.href,
    MASTER_KEY,
    SIGNUP: 'open',
    LOG_LEVEL: 'error',
  })
  const key = await createClient(server.url).newKey()
  const db = await openPostgres(url.href, databaseClock, { connections: 2, statementTimeoutMs: 0 })
  const grant = (organizationId: string, userId: string, more: object = {}) =>
    key.call(addPermissions, {
      user: { userId },
      permissions: { resources: [{ type: 'organization', id: organizationId, ...more }] },
    })
  for (let index = 0; index < organizations; index += 500)
    await key.call(addPermissions, {
      user: { userId: 'first' },
      permissions: {
        resources: Array.from({ length: Math.min(500, organizations - index) }, (_, nth) => ({
          type: 'organization' as const,
          id: `o${index + nth}`,
        })),
      },
    })
  await db.query(
    `insert into grants (organization_key, resource_key, user_id, kind, role, expires_at)
     select organization_key, organization_key, 'user ' || nth, 'organization', 'viewer', '2100-01-01'
       from organizations, generate_series(1, $1::int) nth order by organization_key, nth`,
    [GRANTS / organizations],
  )
  await db.query('vacuum (analyze) grants')
  const idleMb = server.rssMb()
  await db.query(`update grants set expires_at = clock_timestamp() + interval '1 second' where expires_at is not null`)

  const waits: number[] = []
  const elsewhere: number[] = []
  let late: number | undefined
  let peakMb = idleMb
  const began = performance.now()
  await grant('elsewhere', 'late', { expiresAt: Math.floor(Date.now() / 1000) + 2 })
  for (let nth = 0; ; nth++) {
    for (const [organization, times] of [
      ['o0', waits],
      ['elsewhere', elsewhere],
    ] as const) {
      const asked = performance.now()
      await grant(organization, `during ${nth}`)
      times.push(performance.now() - asked)
    }
    peakMb = Math.max(peakMb, server.rssMb())
    if (nth % 20 === 0) {
      const { rows } = await db.query(
        `select (select count(*) from events where type = 'permission.expired' and organization_id = 'elsewhere')::int as late,
                exists (select from grants where expires_at is not null and expiry_event_at is null) as due`,
      )
      const [row] = rows as { late: number; due: boolean }[]
      if (row?.late === 1) late ??= performance.now() - began
      if (row?.due === false) break
    }
    await sleep(20)
  }
  const seconds = (performance.now() - began) / 1000
  const { rows } = await db.query(
    `select count(*)::int as events, count(distinct (organization_id, user_id))::int as grants
       from events where type = 'permission.expired'`,
  )
  const [written] = rows as { events: number; grants: number }[]
  for (const list of [waits, elsewhere]) list.sort((a, b) => a - b)
  sayRow(
    ...[organizations, seconds.toFixed(0), Math.round(GRANTS / seconds), `${written?.events} (${written?.grants})`],
    ...[quantile(waits, 0.5), quantile(waits, 0.99), quantile(elsewhere, 0.5), quantile(elsewhere, 0.99)],
    ...[((late ?? 0) / 1000).toFixed(1), idleMb, peakMb],
  )
  await db.close()
  await server.stop()
}

const postgres = await startPostgres({ fsync: true })
say(`\n## ${GRANTS} grants expire at one moment`)
sayHead(
  ...[
    'organizations',
    'seconds',
    'events/s',
    'events (grants)',
    'grant there p50 ms',
    'p99',
    'elsewhere p50 ms',
    'p99',
  ],
  ...['late expiry elsewhere told after s', 'idle MB', 'peak MB'],
)
await burst(postgres.url, 1_000)
await burst(postgres.url, 1)
await postgres.stop()
