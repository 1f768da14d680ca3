/** Migrating a document with one grant and one with very many, there and back, in turns. */
import { setTimeout as sleep } from 'node:timers/promises'
import { addDocuments } from '#contract/documents.ts'
import { getMigrationStatus, migrateDocument } from '#contract/migrations.ts'
import { addPermissions } from '#contract/permissions.ts'
import { type Client, createClient } from '../test/support/client.ts'
import { percentile, say, sayHead, sayRow } from './report.ts'
import { startProcess } from './server.ts'
import { postgresStore } from './store.ts'

const ORGANIZATION = 'acme'
const TIMES = 30

const nameOf = (grants: number, times: number) => `document of ${grants} grants, ${times % 2}`

async function fill(databaseUrl: string, key: Client, grants: number): Promise<void> {
  const id = nameOf(grants, 0)
  const resource = { type: 'document' as const, id, organizationId: ORGANIZATION }
  await key.call(addDocuments, {
    organizationId: ORGANIZATION,
    createOrganization: true,
    documents: [{ documentId: id }],
  })
  await key.call(addPermissions, { user: { userId: 'first' }, permissions: { resources: [resource] } })
  await postgresStore(databaseUrl)(async (query) => {
    await query(
      `insert into grants (organization_key, resource_key, user_id, kind, role)
       select organization_key, resource_key, 'user ' || nth, 'document', 'viewer'
         from resources, generate_series(2, $2::int) nth where kind = 'document' and id = $1`,
      [id, grants],
    )
    await query('vacuum (analyze) grants')
  })
}

interface Spent {
  /** From the call to the first answer that it is completed. */
  wall: number
  /** From `startedAt` to `finishedAt`, whole milliseconds. */
  job: number
}

async function migrate(key: Client, documentId: string, newDocumentId: string): Promise<Spent> {
  const start = performance.now()
  const { migrationId = '' } = await key.call(migrateDocument, {
    organizationId: ORGANIZATION,
    documentId,
    newDocumentId,
  })
  for (;;) {
    const { status, startedAt, finishedAt } = await key.call(getMigrationStatus, {
      organizationId: ORGANIZATION,
      migrationId,
    })
    if (status === 'failed') throw new Error('a migration failed')
    if (status === 'completed') return { wall: performance.now() - start, job: (finishedAt ?? 0) - (startedAt ?? 0) }
    await sleep(1)
  }
}

export async function benchMigration(settings: Record<string, string>, grants: number): Promise<void> {
  const server = await startProcess('server/main.ts', settings)
  const key = await createClient(server.url).newKey()
  const spent = new Map<number, Spent[]>([1, grants].map((count) => [count, []]))
  for (const count of spent.keys()) await fill(settings.DATABASE_URL ?? '', key, count)
  for (let times = 0; times < TIMES; times++)
    for (const [count, ofThese] of spent)
      ofThese.push(await migrate(key, nameOf(count, times), nameOf(count, times + 1)))
  say(`\n## Migrating a document, ${TIMES} times each, in turns`)
  sayHead(
    'grants on it',
    'from the call to completed, p50 ms',
    'p99 ms',
    'from `startedAt` to `finishedAt`, p50 ms',
    'p99 ms',
  )
  const p50s = [...spent].map(([count, ofThese]) => {
    const walls = ofThese.map(({ wall }) => wall)
    const jobs = ofThese.map(({ job }) => job)
    const cells = [percentile(walls, 0.5), percentile(walls, 0.99), percentile(jobs, 0.5), percentile(jobs, 0.99)]
    sayRow(count, ...cells.map((ms) => ms.toFixed(1)))
    return { wall: percentile(walls, 0.5), job: percentile(jobs, 0.5) }
  })
  const [one, very] = p50s
  if (one !== undefined && very !== undefined)
    sayRow('ratio', (very.wall / one.wall).toFixed(2), '', (very.job / one.job).toFixed(2), '')
  await server.stop()
}
