/**
 * Measures migrations of a document with one grant and of one with very many, alternating, each to a new id: one that is
 * free, or one that a grant has declared before, which is then absorbed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { addPermissions } from '#contract/access/permissions.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { getMigrationStatus, migrateDocument } from '#contract/resources/migrations.ts'
import { databaseClock } from '#platform/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { type Client, createClient } from '#testing/client.ts'
import { percentile, say, sayHead, sayRow } from './support/report.ts'
import { startProcess } from './support/server.ts'

const ORGANIZATION = 'acme'
const TIMES = 100
const TARGETS = ['free', 'mentioned'] as const

type Target = (typeof TARGETS)[number]

const nameOf = (grants: number, target: Target, times: number) => `document of ${grants}, ${target}, ${times}`

const grant = (key: Client, id: string) =>
  key.call(addPermissions, {
    user: { userId: 'first' },
    permissions: { resources: [{ type: 'document', id, organizationId: ORGANIZATION }] },
  })

async function fill(db: Db, key: Client, id: string, grants: number): Promise<void> {
  await key.call(addDocuments, {
    organizationId: ORGANIZATION,
    createOrganization: true,
    documents: [{ documentId: id }],
  })
  await grant(key, id)
  await db.query(
    `insert into grants (organization_key, resource_key, principal, kind, standing_role)
     select organization_key, resource_key, 'user ' || nth, 'document', 'viewer'
       from resources, generate_series(2, $2::int) nth where kind = 'document' and id = $1`,
    [id, grants],
  )
}

/** Returns the time from the call until the status is completed, in milliseconds. */
async function migrate(key: Client, documentId: string, newDocumentId: string): Promise<number> {
  const start = performance.now()
  const { migrationId = '' } = await key.call(migrateDocument, {
    organizationId: ORGANIZATION,
    documentId,
    newDocumentId,
  })
  for (;;) {
    const { status } = await key.call(getMigrationStatus, { organizationId: ORGANIZATION, migrationId })
    if (status === 'failed') throw new Error('a migration failed')
    if (status === 'completed') return performance.now() - start
    await sleep(1)
  }
}

/** Reads the times from the database, because the status reports whole milliseconds only. */
async function jobTimes(db: Db, idLike: string): Promise<number[]> {
  const { rows } = await db.query(
    `select 1000 * extract(epoch from finished_at - started_at)::float8 as ms from document_migrations where document_id like $1`,
    [idLike],
  )
  return (rows as { ms: number }[]).map(({ ms }) => ms)
}

async function benchTarget(db: Db, key: Client, target: Target, counts: number[]): Promise<void> {
  for (const count of counts) await fill(db, key, nameOf(count, target, 0), count)
  await db.query('vacuum (analyze) grants')
  const walls = new Map<number, number[]>(counts.map((count) => [count, []]))
  for (let times = 1; times <= TIMES; times++)
    for (const [count, wallTimes] of walls) {
      const newId = nameOf(count, target, times)
      if (target === 'mentioned') await grant(key, newId)
      wallTimes.push(await migrate(key, nameOf(count, target, times - 1), newId))
    }
  const p50s: number[][] = []
  for (const [count, wallTimes] of walls) {
    const jobs = await jobTimes(db, `document of ${count}, ${target}, %`)
    p50s.push([wallTimes, jobs].map((times) => percentile(times, 0.5)))
    sayRow(
      target,
      count,
      ...[wallTimes, jobs].flatMap((times) => [0.5, 0.99].map((at) => percentile(times, at).toFixed(1))),
    )
  }
  const [few = [], many = []] = p50s
  const [wall = '', job = ''] = few.map((ms, nth) => ((many[nth] ?? 0) / ms).toFixed(2))
  sayRow(target, 'ratio', wall, '', job, '')
}

export async function benchMigration(settings: Record<string, string>, grants: number): Promise<void> {
  const server = await startProcess('server/main.ts', settings)
  const db = await openPostgres(settings.DATABASE_URL ?? '', databaseClock, { connections: 1, statementTimeoutMs: 0 })
  const key = await createClient(server.url).newKey()
  say(`\n## Migrating a document, ${TIMES} times each, in turns`)
  sayHead(
    ...['the new id', 'grants on the document', 'from the call to completed, p50 ms', 'p99 ms'],
    ...['from its start to its end, p50 ms', 'p99 ms'],
  )
  for (const target of TARGETS) await benchTarget(db, key, target, [1, grants])
  await db.close()
  await server.stop()
}
