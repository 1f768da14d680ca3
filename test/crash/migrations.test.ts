/** A migration whose server dies at any step completes after a restart, exactly once. */
import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { getPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import type { ApiKeyId } from '#contract/core/ids.ts'
import { addDocuments, getDocuments } from '#contract/resources/documents.ts'
import { getMigrationStatus, migrateDocument } from '#contract/resources/migrations.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import type { Client } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { createLastingStore, type Store, startProcess } from '#testing/processes/process.ts'
import { FULL } from '#testing/run/mode.ts'
import { ENGINE, MASTER_KEY } from '#testing/server.ts'
import { abandonAgainAndAgain, deathsOf, runAndDie } from './crash-points.ts'
import type { DieAt } from './crash-step.ts'
import { assertEventsWithoutGaps } from './ledger.ts'

const CASES_PER_GROUP_MAX = 20

const IDS = { documentId: 'source', newDocumentId: 'target' }

/**
 * `source` is migrated to `target`, which is only declared: by grants, and by an earlier migration from `oldest`. The
 * user `both` has grants on both.
 */
async function prepare(client: Client, organizationId: string): Promise<void> {
  const grant = (userId: string, id: string, accessRole: 'viewer' | 'editor') =>
    client.call(addPermissions, {
      user: { userId },
      permissions: { resources: [{ type: 'document', id, organizationId, accessRole }] },
    })
  const documents = [{ documentId: 'source', accessType: 'restricted' as const, note: 'kept' }]
  await client.call(addDocuments, { organizationId, createOrganization: true, documents })
  await grant('of oldest', 'oldest', 'editor')
  const earlier = { organizationId, documentId: 'oldest', newDocumentId: 'target' }
  const { migrationId = '' } = await client.call(migrateDocument, earlier)
  await finished(client, organizationId, migrationId)
  await grant('of source', 'source', 'viewer')
  await grant('both', 'source', 'viewer')
  await grant('both', 'target', 'editor')
}

async function finished(client: Client, organizationId: string, migrationId: string): Promise<string> {
  return eventually('end of the migration', async () => {
    const { status } = await client.call(getMigrationStatus, { organizationId, migrationId })
    return status === 'completed' || status === 'failed' ? status : undefined
  })
}

/** Asserts the effects of a completed migration. */
async function assertMigrated(client: Client, organizationId: string, migrationId: string): Promise<void> {
  assert.equal(await finished(client, organizationId, migrationId), 'completed')
  const all = await client.post(getDocuments.path, { organizationId })
  assert.deepEqual(
    all.body.result.data.map(({ id, accessType, note }: Record<string, unknown>) => ({ id, accessType, note })),
    [{ id: 'target', accessType: 'restricted', note: 'kept' }],
  )
  const old = await client.post(getDocuments.path, { organizationId, documentIds: ['source', 'oldest'] })
  assert.deepEqual(
    old.body.result.data.map(({ code, migratedTo }: Record<string, unknown>) => ({ code, migratedTo })),
    Array(2).fill({ code: 'not-found', migratedTo: 'target' }),
  )
  const userIds = ['of source', 'both', 'of oldest', 'stranger']
  const access = await client.call(getPermissions, { organizationId, userIds, documentIds: ['target'] })
  assert.deepEqual(
    userIds.map((userId) => access[userId]?.documents?.target?.accessRole),
    ['viewer', 'viewer', 'editor', undefined],
  )
}

/** Asserts that each migration started once and completed once, and that the organizations' events have no gaps. */
async function assertOnce(store: Store, migrations: number): Promise<void> {
  const db = await store.open()
  try {
    const { rows: events } = await db.query(`
      select after->>'migrationId' as migration, array_agg(type order by sequence) as types
        from events where type like 'document.migration.%' group by 1`)
    assert.equal(events.length, migrations)
    for (const { migration, types } of events as { migration: string; types: string[] }[])
      assert.deepEqual(types, ['document.migration.started', 'document.migration.completed'], migration)
    await assertEventsWithoutGaps(db)
  } finally {
    await db.close()
  }
}

/** A store of its own for servers that die one after the other: two at the same time would take each other's jobs. */
async function createGroup() {
  const store = await createLastingStore()
  const settings = { ...store.settings, MASTER_KEY: MASTER_KEY.toString('base64'), SIGNUP: 'open' }
  const organizations = Array.from({ length: CASES_PER_GROUP_MAX }, (_, index) => `organization ${index}`)
  const server = await startProcess(settings)
  const { headers } = await server.client.newKey()
  await Promise.all(organizations.map((organizationId) => prepare(server.client.with(headers), organizationId)))
  await server.kill('SIGTERM')
  const migrations = new Map<string, string>()
  return {
    /** Returns the steps of the job if the server was not killed. */
    async migrateAndDie(dieAt: DieAt): Promise<string[]> {
      const organizationId = organizations[migrations.size]
      assert.ok(organizationId !== undefined, 'more cases than organizations')
      const key = organizationKey({ apiKeyId: headers['x-service-api-key'] as ApiKeyId }, organizationId)
      const { id, steps } = await runAndDie(settings, {
        headers,
        start: { path: migrateDocument.path, data: { organizationId, ...IDS }, id: 'migrationId' },
        status: { path: getMigrationStatus.path, data: { organizationId } },
        begins: { name: 'migrations.lock', mark: key }, // the call that starts it locks the organization too
        dieAt,
      })
      migrations.set(organizationId, id)
      return steps
    },

    /** Starts a server that is not killed, and returns how long after its start the last migration completed. */
    async recover(): Promise<number> {
      const last = await startProcess(settings)
      const client = last.client.with(headers)
      const started = Date.now()
      await Promise.all([...migrations].map(([organizationId, id]) => assertMigrated(client, organizationId, id)))
      const recoveredMs = Date.now() - started
      await last.kill('SIGTERM')
      await assertOnce(store, migrations.size + organizations.length)
      return recoveredMs
    },
  }
}

const pick = (clients: readonly [Client, Client], index: number): Client => clients[index % 2 === 0 ? 0 : 1]

describe('migrations.migrate', () => {
  test('completes exactly once, at whichever step the server was killed', async (t) => {
    const groups = await Promise.all([createGroup(), createGroup()])
    const steps = (await groups[0]?.migrateAndDie(null)) ?? []
    const deaths = deathsOf(steps)
    await Promise.all(
      groups.map(async ({ migrateAndDie }) => {
        for (let next = deaths.shift(); next !== undefined; next = deaths.shift()) await migrateAndDie(next)
      }),
    )
    const recoveredMs = await Promise.all(groups.map(({ recover }) => recover()))
    t.annotate(`${steps.length} steps: ${steps.join(', ')}`)
    t.annotate(`all had completed ${Math.max(...recoveredMs)} ms after the last restart`)
  })

  test('completes exactly once when two processes race for it', { skip: ENGINE === 'embedded' }, async () => {
    const store = await createLastingStore()
    const [one, other] = await Promise.all([startProcess(store.settings), startProcess(store.settings)])
    const { headers } = await one.client.newKey()
    const clients = [one.client.with(headers), other.client.with(headers)] as const
    const organizations = Array.from({ length: FULL ? 25 : 10 }, (_, index) => `organization ${index}`)
    await Promise.all(organizations.map((organizationId, index) => prepare(pick(clients, index), organizationId)))

    const db = await store.open()
    const racing = abandonAgainAndAgain(db, 'document_migrations')
    const migrationIds = await Promise.all(
      organizations.map((organizationId, index) =>
        pick(clients, index).call(migrateDocument, { organizationId, ...IDS }),
      ),
    )
    await Promise.all(
      organizations.map((organizationId, index) =>
        assertMigrated(pick(clients, index + 1), organizationId, migrationIds[index]?.migrationId ?? ''),
      ),
    )
    await racing.stop()
    await db.close()
    await Promise.all([one.kill('SIGTERM'), other.kill('SIGTERM')])
    await assertOnce(store, 2 * organizations.length)
  })
})
