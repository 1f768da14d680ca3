/** Large deletions run in steps of one transaction, report their progress, and delete and count the same rows as one statement. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import type { ApiKeyId } from '#contract/core/ids.ts'
import { listEvents } from '#contract/events/events.ts'
import { deleteFolder } from '#contract/resources/folders.ts'
import { addOrganizations, deleteOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type Acme, newAcme, organizationId } from '#testing/acme.ts'
import { ENGINE, startServer } from '#testing/server.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'

const server = await startServer()
const { db } = server

/**
 * Inserts documents directly, `counts` of them into each folder, with a grant on every hundredth; some are disabled,
 * some only declared.
 */
async function fill(acme: Acme, counts: Record<string, number>): Promise<void> {
  const key = organizationKey({ apiKeyId: apiKeyOf(acme.key) as ApiKeyId }, organizationId)
  for (const [folderId, count] of Object.entries(counts)) {
    await db.query(
      `with d as (
         insert into resources (organization_key, resource_key, kind, id, folder_key, disabled, added_at)
         select $1, gen_random_uuid(), 'document', $2 || n, (select f.resource_key from resources f where f.organization_key = $1 and f.kind = 'folder' and f.id = $2), n % 7 = 0, case when n % 11 > 0 then now() end
           from generate_series(1, $3::int) n returning resource_key, id)
       insert into grants (organization_key, resource_key, principal, kind, standing_role)
       select $1, resource_key, 'ada', 'document', 'viewer' from d where id ~ '00$'`,
      [key, folderId, count],
    )
  }
}

/** Runs `work` and records the progress visible in `pg_stat_activity`. */
async function recordProgress<T>(work: () => Promise<T>): Promise<{ result: T; seen: Set<string> }> {
  const seen = new Set<string>()
  let isDone = false
  const watch = (async () => {
    while (!isDone) {
      const { rows } = await db.query(
        `select application_name as name from pg_stat_activity
          where datname = current_database() and application_name like 'commonhold %:%'`,
      )
      for (const { name } of rows as { name: string }[]) seen.add(name.replace(/ \S+:/, ':'))
    }
  })()
  const result = await work().finally(() => {
    isDone = true
  })
  await watch
  return { result, seen }
}

const lastEvent = async (acme: Acme) => (await acme.key.call(listEvents, { organizationId, pageSize: 1 })).events[0]
const documentsLeft = async () =>
  (await db.query(`select count(*)::int as left from resources where kind = 'document'`)).rows[0]

describe('a large deletion', { skip: ENGINE === 'embedded' }, () => {
  it('of a folder deletes all of it, counts it, leaves the rest, and shows its progress', async () => {
    const acme = await newAcme(server)
    await acme.addTree({ plans: 'root', large: 'plans', small: 'plans', even: 'large', other: 'root' })
    await fill(acme, { plans: 5, large: 12_001, small: 300, even: 20_000, other: 7 })
    const { result, seen } = await recordProgress(() => acme.call(deleteFolder, { folderId: 'plans' }))
    assert.deepEqual(result, { deleted: { folders: 4, documents: 32_306, permissions: 323 } })
    assert.deepEqual(await documentsLeft(), { left: 7 })
    const { type, before } = (await lastEvent(acme)) ?? {}
    assert.deepEqual(
      [type, before],
      ['folder.deleted', { folderName: null, folders: 4, documents: 32_306, permissions: 323 }],
    )
    const steps = [...seen].map((name) => /^commonhold folders\.delete: (\d+%)$/.exec(name)?.[1])
    assert.ok(steps.length > 0 && steps.every((step) => step !== undefined), [...seen].join('\n'))
    await acme.assertStructure()
    await acme.key.call(deleteOrganizations, { organizationIds: [organizationId] })
  })

  it('of organizations deletes all of them, and shows its progress', async () => {
    const acme = await newAcme(server)
    await acme.key.call(addOrganizations, { organizations: [{ organizationId: 'empty' }] })
    await acme.addTree({ plans: 'root' })
    await fill(acme, { plans: 10_001, root: 10_000 })
    const { seen } = await recordProgress(() =>
      acme.key.call(deleteOrganizations, { organizationIds: ['empty', organizationId, 'none'] }),
    )
    assert.ok(
      [...seen].some((name) => /^commonhold organizations\.delete: \d+%$/.test(name)),
      [...seen].join('\n'),
    )
    const { type, before } = (await lastEvent(acme)) ?? {}
    assert.equal(type, 'organization.deleted')
    assert.deepEqual(before, { organizationName: null, folders: 1, documents: 20_001, permissions: 200 })
    assert.deepEqual(await documentsLeft(), { left: 0 })
    assert.deepEqual(await acme.key.call(getOrganizations, {}), [])
  })
})
