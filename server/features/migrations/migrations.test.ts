/** Giving a document another id: the effects of the job, its failures, and the remains of the old id (rules/resources.md#migrations). */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, it } from 'vitest'
import { getPermissions } from '#contract/access/decisions.ts'
import { listGrants } from '#contract/access/grants.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { addDocuments, getDocuments, setDocumentAccess } from '#contract/resources/documents.ts'
import { getMigrationStatus, listMigrations, type Migration, migrateDocument } from '#contract/resources/migrations.ts'
import { addOrganizations, deleteOrganizations } from '#contract/resources/organizations.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type Client, pagesOf } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { eventsDuring } from '../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()
const organizationId = 'acme'
let key: Client
beforeEach(async () => {
  key = await server.newKey()
  await key.call(addOrganizations, { organizations: [{ organizationId }] })
})

const add = async (...ids: string[]) =>
  (await key.post(addDocuments.path, { organizationId, documents: ids.map((documentId) => ({ documentId })) })).body
    .result.data
const grant = (userId: string, id: string, accessRole = 'viewer', more: object = {}) =>
  key.post(addPermissions.path, {
    user: { userId },
    permissions: { resources: [{ type: 'document', id, organizationId, accessRole, ...more }] },
  })
const post = (documentId: string, newDocumentId: string, more: object = {}) =>
  key.post(migrateDocument.path, { organizationId, documentId, newDocumentId, ...more })
const statusOf = (migrationId: string) => key.call(getMigrationStatus, { organizationId, migrationId })

/** Waits for the end of the migration. */
async function migrate(documentId: string, newDocumentId: string): Promise<Migration> {
  const answer = await post(documentId, newDocumentId)
  assert.equal(answer.http, 200, answer.text)
  return eventually('end of the migration', async () => {
    const status = await statusOf(answer.body.result.data.migrationId)
    return status.finishedAt === null ? undefined : status
  })
}

/** The role of each user by an own grant, or the reason why there is none. */
async function access(id: string, ...userIds: string[]) {
  const { body } = await key.post(getPermissions.path, {
    organizationId,
    userIds,
    documentIds: [id],
    skipResourceExistenceValidation: true,
  })
  return userIds.map((userId) => {
    const { reason, accessRole, migratedTo } = body.result.data[userId].documents[id]
    return migratedTo === undefined ? (reason === 'grant' ? accessRole : reason) : { reason, migratedTo }
  })
}
const records = async (...documentIds: string[]) =>
  (await key.post(getDocuments.path, { organizationId, documentIds })).body.result.data

describe('migrations.migrate', () => {
  it('returns a migrationId at once, and the document then exists only under the new id', async () => {
    const { roadmap } = await add('roadmap')
    assert.equal(roadmap.success, true)
    await grant('ada', 'roadmap', 'editor')
    await grant('bob', 'roadmap')
    const { body } = await post('roadmap', 'plan')
    assert.equal(body.result.message, 'Document migration started.')
    assert.deepEqual(Object.keys(body.result.data), ['migrationId'])
    const { migrationId } = body.result.data
    let status = await statusOf(migrationId)
    while (status.finishedAt === null) {
      await sleep(10)
      status = await statusOf(migrationId)
    }
    assert.equal(status.status, 'completed')
    assert.deepEqual(await access('plan', 'ada', 'bob'), ['editor', 'viewer'])
    const gone = { reason: 'does_not_exist', migratedTo: 'plan' }
    assert.deepEqual(await access('roadmap', 'ada', 'bob'), [gone, gone])
    assert.deepEqual(await records('plan', 'roadmap'), [
      { id: 'plan', disabled: false, accessType: 'public', inheritAccessFromParent: true },
      {
        success: false,
        id: 'roadmap',
        message: 'The document was migrated to "plan".',
        code: 'not-found',
        retryable: false,
        migratedTo: 'plan',
      },
    ])
  })

  it('migrates a document that only a grant has named', async () => {
    await grant('ada', 'declared')
    assert.equal((await migrate('declared', 'new')).status, 'completed')
    assert.deepEqual(await access('new', 'ada'), ['viewer'])
    assert.equal((await add('new')).new.success, true)
  })

  it('absorbs a new id that only a grant has named; if both have a grant, that of the source wins', async () => {
    await add('source')
    await grant('ada', 'source', 'editor')
    await grant('ada', 'target', 'viewer')
    await grant('bob', 'target', 'viewer')
    await grant('eve', 'source', 'viewer')
    assert.equal((await migrate('source', 'target')).status, 'completed')
    assert.deepEqual(await access('target', 'ada', 'bob', 'eve'), ['editor', 'viewer', 'viewer'])
    assert.equal((await add('target')).target.code, 'already-exists')
  })

  it('keeps a standing and a temporary grant of a user, whichever id had which', async () => {
    await add('source')
    const until = { expiresAt: 2_000_000_000 }
    await grant('ada', 'source', 'viewer')
    await grant('ada', 'target', 'editor', until)
    await grant('bob', 'source', 'viewer', until)
    await grant('bob', 'target', 'editor')
    assert.equal((await migrate('source', 'target')).status, 'completed')
    const { grants } = await key.call(listGrants, { organizationId })
    assert.deepEqual(
      grants.map(({ userId, id, accessRole, expiresAt }) => [userId, id, accessRole, expiresAt]),
      [
        ['ada', 'target', 'viewer', undefined],
        ['ada', 'target', 'editor', until.expiresAt],
        ['bob', 'target', 'editor', undefined],
        ['bob', 'target', 'viewer', until.expiresAt],
      ],
    )
  })

  it('lets a live grant on the new id win over one of the source that has expired: that one counts as absent', async () => {
    await add('source')
    await grant('ada', 'source', 'editor', { expiresAt: 1 })
    await grant('ada', 'target', 'viewer')
    await grant('bob', 'source', 'editor', { expiresAt: 1 })
    await grant('bob', 'target', 'viewer', { expiresAt: 1 })
    assert.equal((await migrate('source', 'target')).status, 'completed')
    await key.call(setDocumentAccess, { organizationId, documentIds: ['target'], accessType: 'restricted' })
    assert.deepEqual(await access('target', 'ada', 'bob'), ['viewer', 'grant_expired'])
  })

  describe('the old id', () => {
    it('accepts no grants: the refusal names the new id of the document', async () => {
      await add('a', 'other')
      await migrate('a', 'b')
      const answer = await key.post(addPermissions.path, {
        user: { userId: 'ada' },
        permissions: {
          resources: ['other', 'a'].map((id) => ({ type: 'document', id, organizationId })),
        },
      })
      const error = refused(answer, 'INVALID_ARGUMENT')
      assert.equal(error.reason, 'document_was_migrated')
      assert.equal(error.details[0].field, 'permissions.resources[1]')
      assert.equal(error.details[0].migratedTo, 'b')
      assert.deepEqual(await access('other', 'ada'), ['access_type'])
    })

    it('is released by adding it again', async () => {
      await add('a')
      await grant('ada', 'a')
      await migrate('a', 'b')
      assert.equal((await add('a')).a.success, true)
      assert.deepEqual([await access('a', 'ada'), await access('b', 'ada')], [['access_type'], ['viewer']])
      assert.equal((await grant('bob', 'a')).http, 200)
    })

    it('is released by migrating back', async () => {
      await add('a')
      await grant('ada', 'a')
      await migrate('a', 'b')
      assert.equal((await migrate('b', 'a')).status, 'completed')
      assert.deepEqual(await access('a', 'ada'), ['viewer'])
      assert.deepEqual(await access('b', 'ada'), [{ reason: 'does_not_exist', migratedTo: 'a' }])
    })

    it('leads to the last of a chain of migrations', async () => {
      await add('a')
      await grant('ada', 'a')
      await migrate('a', 'b')
      await migrate('b', 'c')
      for (const old of ['a', 'b'])
        assert.deepEqual(await access(old, 'ada'), [{ reason: 'does_not_exist', migratedTo: 'c' }])
      assert.deepEqual(await access('c', 'ada'), ['viewer'])
      assert.equal((await migrate('c', 'a')).status, 'completed')
      assert.deepEqual(await access('a', 'ada'), ['viewer'])
      assert.deepEqual(await access('b', 'ada'), [{ reason: 'does_not_exist', migratedTo: 'a' }])
    })
  })

  describe('failures that the job finds', () => {
    it('are a document that does not exist', async () => {
      const { status, error } = await migrate('nope', 'new')
      assert.equal(status, 'failed')
      assert.deepEqual(error, { reason: 'document_does_not_exist', message: 'The document does not exist.' })
    })

    it('are a document that was migrated already', async () => {
      await add('a')
      await migrate('a', 'b')
      assert.equal((await migrate('a', 'c')).error?.reason, 'document_does_not_exist')
    })

    it('are a new id that has been added, and nothing changes', async () => {
      await add('a', 'b')
      await grant('ada', 'a')
      assert.equal((await migrate('a', 'b')).error?.reason, 'new_document_already_exists')
      assert.deepEqual([await access('a', 'ada'), await access('b', 'ada')], [['viewer'], ['access_type']])
    })

    it('are another migration of one of the ids in progress', async () => {
      await add('a')
      await server.db.query(
        `insert into document_migrations (organization_key, migration_id, document_id, new_document_id, status, actor, due_at)
         values ($1, gen_random_uuid(), 'a', 'x', 'in_progress', '{}', clock_timestamp() + interval '1 hour')`,
        [organizationKey({ apiKeyId: apiKeyOf(key) as never }, organizationId)],
      )
      assert.equal((await migrate('a', 'b')).error?.reason, 'migration_in_progress')
      assert.deepEqual((await post('a', 'b', { dryRun: true })).body.result.data.error.reason, 'migration_in_progress')
      assert.equal((await migrate('b', 'c')).error?.reason, 'document_does_not_exist')
    })
  })

  it('succeeds for one of many concurrent migrations of a document, and loses no grant', async () => {
    await add('a')
    await grant('ada', 'a')
    const ends = await Promise.all(['b', 'c', 'd', 'e'].map((id) => migrate('a', id)))
    const winners = ends.filter(({ status }) => status === 'completed')
    assert.equal(winners.length, 1)
    assert.deepEqual(await access(winners[0]?.newDocumentId ?? '', 'ada'), ['viewer'])
  })

  describe('dryRun', () => {
    it('returns whether it would succeed, and starts nothing', async () => {
      await add('a', 'b')
      const dry = async (from: string, to: string) => (await post(from, to, { dryRun: true })).body.result.data
      assert.deepEqual(await dry('a', 'new'), { wouldSucceed: true })
      assert.deepEqual(await dry('nope', 'new'), {
        wouldSucceed: false,
        error: { reason: 'document_does_not_exist', message: 'The document does not exist.' },
      })
      assert.equal((await dry('a', 'b')).error.reason, 'new_document_already_exists')
      const events = await eventsDuring(server.db, apiKeyOf(key), () => dry('a', 'new'))
      assert.deepEqual(events, [])
      assert.equal((await records('a'))[0].success, undefined)
    })
  })

  describe('INVALID_ARGUMENT', () => {
    it('names what is missing, blank, or equal', async () => {
      const whole = { organizationId, documentId: 'a', newDocumentId: 'b' }
      for (const field of Object.keys(whole)) {
        const { [field as keyof typeof whole]: _left, ...rest } = whole
        refusedField(await key.post(migrateDocument.path, rest), field, `${field} is required`)
        for (const blank of ['', ' ', '\t'])
          refusedField(await key.post(migrateDocument.path, { ...whole, [field]: blank }), field)
      }
      refusedField(await post('a', 'a'), 'newDocumentId')
      refusedField(await post('a', 'a', { dryRun: true }), 'newDocumentId')
    })
  })

  it('responds NOT_FOUND for an unknown organization', async () => {
    for (const dryRun of [true, false])
      assert.equal(
        refused(await post('a', 'b', { organizationId: 'nope', dryRun }), 'NOT_FOUND').reason,
        'organization_does_not_exist',
      )
  })

  it('writes events when it starts and when it ends', async () => {
    await add('a')
    const [started, completed, ...more] = await eventsDuring(server.db, apiKeyOf(key), () => migrate('a', 'b'))
    assert.equal(more.length, 0)
    assert.deepEqual(
      [started?.type, started?.resourceId, started?.after.newDocumentId],
      ['document.migration.started', 'a', 'b'],
    )
    assert.equal(completed?.type, 'document.migration.completed')
    assert.equal(completed?.resourceId, 'b')
    assert.deepEqual([completed?.before.documentId, completed?.after.documentId], ['a', 'b'])
    assert.deepEqual(completed?.actor, { apiKey: apiKeyOf(key), token: 'Default Auth Token', address: '127.0.0.1' })
    const [failed, ...others] = await eventsDuring(server.db, apiKeyOf(key), () => migrate('a', 'c'))
    assert.equal(others.length, 0)
    assert.deepEqual([failed?.type, failed?.after.reason], ['document.migration.failed', 'document_does_not_exist'])
  })
})

describe('migrations.get', () => {
  it('returns the complete state of a migration', async () => {
    await add('a')
    const before = Date.now()
    const { migrationId, createdAt, startedAt, finishedAt, ...rest } = await migrate('a', 'b')
    assert.deepEqual(rest, { status: 'completed', documentId: 'a', newDocumentId: 'b', percent: 100 })
    assert.match(migrationId, /^[0-9a-f-]{36}$/)
    assert.ok(Math.abs(createdAt - before) < 10_000)
    assert.ok(startedAt !== null && finishedAt !== null && createdAt <= startedAt && startedAt <= finishedAt)
    const failed = await migrate('a', 'c')
    assert.deepEqual([failed.status, failed.percent], ['failed', 0])
  })

  it('responds NOT_FOUND for an unknown migrationId of any form, and for one of another organization', async () => {
    await key.call(addOrganizations, { organizations: [{ organizationId: 'other' }] })
    await add('a')
    const { migrationId } = await migrate('a', 'b')
    for (const data of [
      { organizationId, migrationId: crypto.randomUUID() },
      { organizationId, migrationId: 'nonsense' },
      { organizationId, migrationId: migrationId.toUpperCase() },
      { organizationId: 'other', migrationId },
      { organizationId: 'nope', migrationId },
    ])
      assert.equal(
        refused(await key.post(getMigrationStatus.path, data), 'NOT_FOUND').reason,
        'migration_does_not_exist',
      )
  })
})

describe('migrations.list', () => {
  const list = (more: object = {}) => key.post(listMigrations.path, { organizationId, ...more })
  const listed = async (more: object = {}): Promise<Migration[]> => (await list(more)).body.result.data.migrations
  const idsOf = (migrations: readonly Migration[]) => migrations.map(({ migrationId }) => migrationId)

  it('returns the same as migrate/status, the newest first', async () => {
    await add('a')
    const made = [await migrate('a', 'b'), await migrate('b', 'c'), await migrate('nope', 'd')]
    assert.deepEqual(await listed(), made.toReversed())
  })

  it('filters by document, as source or target, and by status', async () => {
    await add('a', 'other')
    const [one, two] = [await migrate('a', 'b'), await migrate('b', 'c')]
    const failed = await migrate('a', 'c')
    const other = await migrate('other', 'another')
    assert.deepEqual(idsOf(await listed({ documentId: 'b' })), idsOf([two, one]))
    assert.deepEqual(idsOf(await listed({ documentId: 'a' })), idsOf([failed, one]))
    assert.deepEqual(idsOf(await listed({ status: 'failed' })), idsOf([failed]))
    assert.deepEqual(idsOf(await listed({ status: 'completed' })), idsOf([other, two, one]))
    assert.deepEqual(idsOf(await listed({ status: 'completed', documentId: 'c' })), idsOf([two]))
    assert.deepEqual(await listed({ status: 'pending' }), [])
    assert.deepEqual(await listed({ documentId: 'unknown' }), [])
  })

  it('pages: any size yields the same list', async () => {
    const began = new Date()
    const order = (index: number) => new Date(began.getTime() + Math.floor(index / 2)) // two of one moment
    for (let index = 0; index < 7; index++)
      await server.db.query(
        `insert into document_migrations (organization_key, migration_id, document_id, new_document_id, status, actor, created_at, finished_at)
         values ($1, gen_random_uuid(), $2, $3, 'completed', '{}', $4, $4)`,
        [
          organizationKey({ apiKeyId: apiKeyOf(key) as never }, organizationId),
          index % 2 === 0 ? 'a' : 'b',
          index % 2 === 0 ? 'b' : 'a',
          order(index),
        ],
      )
    for (const filter of [{}, { status: 'completed' }, { documentId: 'a' }, { documentId: 'a', status: 'completed' }]) {
      const whole = idsOf(await listed(filter))
      assert.equal(whole.length, 7)
      for (const pageSize of [1, 2, 3, 6, 7]) {
        const found: string[] = []
        for await (const { data } of pagesOf((pageToken) => list({ ...filter, pageSize, pageToken })))
          found.push(...idsOf(data.migrations))
        assert.deepEqual(found, whole)
      }
    }
  })

  it('accepts a page token only for the query that issued it', async () => {
    await migrate('a', 'b')
    await migrate('c', 'd')
    const { nextPageToken: pageToken } = (await list({ pageSize: 1 })).body.result
    for (const query of [{ status: 'failed' }, { documentId: 'a' }])
      assert.equal(refused(await list({ ...query, pageToken }), 'INVALID_ARGUMENT').reason, 'page_token_invalid')
  })

  it('responds NOT_FOUND for an unknown organization', async () => {
    const answer = await list({ organizationId: 'nope' })
    assert.equal(refused(answer, 'NOT_FOUND').reason, 'organization_does_not_exist')
  })
})

describe('a migration that is started while its organization is deleted', () => {
  it('is refused or deleted with it: nothing is left to be done to a later organization with that id', async () => {
    for (let round = 0; round < 30; round++) {
      const organizations = [{ organizationId: `o${round}` }]
      await key.call(addOrganizations, { organizations })
      const asked = { organizationId: `o${round}`, documentId: 'a', newDocumentId: 'b' }
      const [, ...started] = await Promise.all([
        key.call(deleteOrganizations, { organizationIds: [`o${round}`] }),
        ...Array.from({ length: 4 }, () => key.post(migrateDocument.path, asked)),
      ])
      for (const answer of started)
        if (answer.http !== 200) assert.equal(refused(answer, 'NOT_FOUND').reason, 'organization_does_not_exist')
    }
    const { rows } = await server.db.query(
      `select m.* from document_migrations m join organizations o using (organization_key) where o.added_at is null`,
    )
    assert.deepEqual(rows, [])
  })
})
