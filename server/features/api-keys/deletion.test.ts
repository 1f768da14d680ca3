/** Deleting an API key: its whole data set is deleted at once, nothing else is, and concurrent writers get a clear error. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { createApiKey, deleteApiKey, disableApiKey, getApiKeys } from '#contract/keys/api-keys.ts'
import { createAuthToken, resetAuthToken } from '#contract/keys/auth-tokens.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments, getDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { migrateDocument } from '#contract/resources/migrations.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { addUserGroups, addUserGroupUsers, deleteUserGroups } from '#contract/users/user-groups.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { addUsers, deleteUsers, updateUsers } from '#contract/users/users.ts'
import { getWorkspace } from '#contract/workspace/workspaces.ts'
import type { Statement } from '#platform/db/statement.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import type { Answer, Client } from '#testing/client.ts'
import { ENGINE, sharedServer } from '#testing/server.ts'
import { apiKeyOf, newCallers } from '../../../test/conformance/support/callers.ts'
import { eventsDuring, eventsOf } from '../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'
import { CLOSE_API_KEY, DELETE_OF_KEY, LOCK_ORGANIZATIONS_OF_KEY } from './deletion-statements.ts'

const server = await sharedServer()
const apiKeyName = 'Short-lived'
const organizationId = 'acme'

interface Key {
  apiKey: string
  client: Client
}

let owner: Client
let mine: Key
let sibling: Key
beforeEach(async () => {
  owner = (await newCallers(server.url)).workspace
  mine = await newKey()
  sibling = await newKey()
})

async function newKey(): Promise<Key> {
  const made = await owner.call(createApiKey, {
    ownerEmail: 'ada@example.com',
    type: 'testing',
    createAuthToken: true,
    apiKeyName,
  })
  const client = server.client.with({ 'x-service-api-key': made.apiKey, 'x-service-auth-token': made.authToken ?? '' })
  return { apiKey: made.apiKey, client }
}

const remove = ({ apiKey }: Key) => owner.post(deleteApiKey.path, { apiKey, apiKeyName })

/** Creates one of everything that a data set can contain. */
async function fill({ client }: Key): Promise<void> {
  await client.call(addOrganizations, { organizations: [{ organizationId }, { organizationId: 'empty' }] })
  await client.call(addFolders, {
    organizationId,
    folders: [{ folderId: 'top' }, { folderId: 'inner', parentFolderId: 'top' }],
  })
  const documents = ['a', 'b', 'c'].map((documentId) => ({ documentId }))
  await client.call(addDocuments, { organizationId, folderId: 'inner', documents })
  await client.call(addUsers, { organizationId, users: [{ userId: 'ada' }, { userId: 'bob' }] })
  const groups = [{ groupId: 'design' }]
  await client.call(addUserGroups, { organizationId, organizationUserGroups: groups })
  await client.call(addUserGroupUsers, { organizationId, organizationUserGroupId: 'design', userIds: ['ada'] })
  await client.call(migrateDocument, { organizationId, documentId: 'a', newDocumentId: 'moved' })
  const migrated = async () => (await client.call(getDocuments, { organizationId, documentIds: ['moved'] }))[0]
  while (!('disabled' in ((await migrated()) ?? {}))) await new Promise((resolve) => setTimeout(resolve, 20))
  const resources = [{ type: 'document' as const, id: 'moved', organizationId }]
  await client.call(generateToken, { userId: 'cy', permissions: { resources } })
}

/** Counts the rows in each table that refer to the key or one of its organizations. Events and the location of the key are kept. */
async function rowsOf({ apiKey }: Key, organizations: readonly string[] = [organizationId, 'empty']) {
  const { rows: columns } = await server.db.query(
    `select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'public' and column_name in ('api_key_id', 'organization_key') order by 1, 2`,
  )
  const keys = organizations.map((id) => organizationKey({ apiKeyId: apiKey as never }, id))
  const counts: Record<string, number> = {}
  for (const { table, column } of columns as { table: string; column: string }[]) {
    if (table === 'events' || table === 'key_places') continue
    const { rows } = await server.db.query(
      `select count(*)::int as count from ${table} where ${column}::text = any($1)`,
      [column === 'api_key_id' ? [apiKey] : keys],
    )
    counts[`${table}.${column}`] = (rows as { count: number }[])[0]?.count ?? 0
  }
  return counts
}

/** Usage is stored beside the calls, every few seconds: its rows can be added at any moment, and only a deletion takes them away. */
const isUsage = (name: string): boolean => name.startsWith('usage_')
const writtenByCalls = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).filter(([name]) => !isUsage(name)))

const none = (counts: Record<string, number>) =>
  assert.deepEqual(
    Object.entries(counts).filter(([, count]) => count > 0),
    [],
  )

describe('api-keys.delete', () => {
  it('deletes everything of the key in every table, and nothing of other keys', async () => {
    await Promise.all([fill(mine), fill(sibling)])
    const before = await rowsOf(sibling)
    assert.deepEqual(writtenByCalls(await rowsOf(mine)), writtenByCalls(before))
    for (const table of [
      'grants',
      'resources',
      'document_aliases',
      'document_migrations',
      'user_groups',
      'user_group_members',
      'users',
      'signing_keys',
    ])
      assert.ok(
        Object.entries(before).some(([name, count]) => name.startsWith(`${table}.`) && count > 0),
        table,
      )
    assert.equal((await remove(mine)).http, 200)
    none(await rowsOf(mine))
    const after = await rowsOf(sibling)
    assert.deepEqual(writtenByCalls(after), writtenByCalls(before))
    for (const [name, count] of Object.entries(before).filter(([name]) => isUsage(name)))
      assert.ok((after[name] ?? 0) >= count, name)
    assert.equal((await sibling.client.call(getDocuments, { organizationId })).length, 3)
  })

  it('invalidates the key: its tokens, its public keys, its entry in lists', async () => {
    assert.equal((await remove(mine)).http, 200)
    const { reason } = refused(await mine.client.post(getOrganizations.path, {}), 'UNAUTHENTICATED')
    assert.equal(reason, 'credentials_invalid')
    assert.deepEqual(await (await fetch(`${server.url}/v2/auth/jwks/${mine.apiKey}`)).json(), { keys: [] })
    assert.deepEqual(await owner.call(getApiKeys, { apiKeys: [mine.apiKey, sibling.apiKey] }), [
      { id: sibling.apiKey, apiKeyName, type: 'testing', disabled: false },
    ])
    assert.equal((await owner.call(getWorkspace, {})).apiKeyList[mine.apiKey], undefined)
    assert.equal(refused(await remove(mine), 'NOT_FOUND').reason, 'api_key_does_not_exist')
  })

  it('keeps its events, and adds one with counts', async () => {
    await fill(mine)
    const before = await eventsOf(server.db, mine.apiKey)
    const [event, ...more] = await eventsDuring(server.db, mine.apiKey, () => remove(mine))
    assert.equal(more.length, 0)
    assert.equal(event?.type, 'api_key.deleted')
    assert.deepEqual(event?.actor, { token: 'workspace', address: '127.0.0.1' })
    assert.deepEqual(event?.before, {
      name: apiKeyName,
      type: 'testing',
      ownerEmail: 'ada@example.com',
      organizations: 2,
      folders: 2,
      documents: 3,
      users: 3,
      userGroups: 1,
      permissions: 3,
    })
    assert.deepEqual((await eventsOf(server.db, mine.apiKey)).slice(0, -1), before)
  })

  it('requires the exact name of the key', async () => {
    const post = (name: string) => owner.post(deleteApiKey.path, { apiKey: mine.apiKey, apiKeyName: name })
    for (const name of ['short-lived', `${apiKeyName} `, mine.apiKey]) {
      const answer = await post(name)
      refusedField(answer, 'apiKeyName')
      assert.equal(answer.body.error.reason, 'api_key_name_wrong')
    }
    assert.deepEqual(await mine.client.call(getOrganizations, {}), [])
  })

  it('responds NOT_FOUND for a key that the workspace does not have, whatever the name', async () => {
    const stranger = (await newCallers(server.url)).workspace
    for (const name of [apiKeyName, 'wrong'])
      refused(await stranger.post(deleteApiKey.path, { apiKey: mine.apiKey, apiKeyName: name }), 'NOT_FOUND')
  })

  it('deletes large data sets in batches', async () => {
    await fill(mine)
    const key = organizationKey({ apiKeyId: mine.apiKey as never }, organizationId)
    await server.db.query(
      `insert into resources (organization_key, resource_key, kind, id, folder_key, added_at)
       select $1, gen_random_uuid(), 'document', 'many' || i, (select resource_key from resources
              where organization_key = $1 and kind = 'folder' and id = 'inner'), now()
         from generate_series(1, 20100) i`,
      [key],
    )
    const [event] = await eventsDuring(server.db, mine.apiKey, async () => assert.equal((await remove(mine)).http, 200))
    assert.equal(event?.before.documents, 20_103)
    none(await rowsOf(mine))
  })

  it('succeeds for exactly one of several concurrent calls', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(mine)))
    assert.equal(answers.filter(({ http }) => http === 200).length, 1)
    for (const answer of answers.filter(({ http }) => http !== 200)) refused(answer, 'NOT_FOUND')
    const deleted = (await eventsOf(server.db, mine.apiKey)).filter(({ type }) => type === 'api_key.deleted')
    assert.equal(deleted.length, 1)
  })

  describe('during calls with the key', () => {
    let count = 0
    const organizations = Array.from({ length: 40 }, (_, index) => `new-${index}`)

    /** Writes of every kind, to existing and new resources. */
    function writes({ client, apiKey }: Key): Promise<Answer>[] {
      const user = `user-${++count % 20}`
      const [fresh = ''] = organizations.slice(count % organizations.length)
      const inNew = [organizationId, fresh].map((id) => ({ type: 'organization' as const, id }))
      const document = { type: 'document' as const, id: `d${count}`, organizationId }
      return [
        client.post(addOrganizations.path, {
          organizations: [{ organizationId: fresh }, { organizationId, n: count }],
        }),
        client.post(addFolders.path, { organizationId, folders: [{ folderId: `f${count}` }] }),
        client.post(addDocuments.path, {
          organizationId: fresh,
          createOrganization: true,
          documents: [{ documentId: 'd' }],
        }),
        client.post(addPermissions.path, { user: { userId: user }, permissions: { resources: [...inNew, document] } }),
        client.post(addPermissions.path, { user: { userId: user }, permissions: { resources: [document] } }),
        client.post(addUsers.path, { organizationId, users: [{ userId: user, name: `Name ${count}` }] }),
        client.post(updateUsers.path, { organizationId, users: [{ userId: 'ada', name: `Name ${count}` }] }),
        client.post(generateToken.path, {
          userId: user,
          userProperties: { n: count },
          permissions: { resources: inNew },
        }),
        client.post(generateToken.path, { userId: user }),
        client.post(deleteUsers.path, { organizationId, userIds: [user] }),
        client.post(addUserGroups.path, {
          organizationId: fresh,
          createOrganization: true,
          organizationUserGroups: [{ groupId: 'g' }],
        }),
        client.post(addUserGroupUsers.path, { organizationId, organizationUserGroupId: 'design', userIds: [user] }),
        client.post(deleteUserGroups.path, { organizationId, organizationUserGroupIds: ['g'] }),
        client.post(migrateDocument.path, { organizationId, documentId: 'b', newDocumentId: `b${count}` }),
        owner.post(createAuthToken.path, { apiKey, name: 'x' }),
        owner.post(resetAuthToken.path, { apiKey, gracePeriodSeconds: 60 }),
      ]
    }

    it('leaves nothing behind, and each call succeeds or is clearly refused', async () => {
      for (let round = 0; round < 5; round++) {
        const key = await newKey()
        await fill(key)
        const answers = [...writes(key), ...writes(key)]
        await Promise.race(answers)
        const removed = remove(key)
        for (let more = 0; more < 3; more++) {
          answers.push(...writes(key))
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
        assert.equal((await removed).http, 200)
        answers.push(...writes(key))
        const refusals = new Set<string>()
        for (const answer of await Promise.all(answers))
          if (answer.http !== 200) refusals.add(`${answer.body.error?.status} ${answer.body.error?.reason}`)
        const clear = [
          'UNAUTHENTICATED credentials_invalid',
          'NOT_FOUND api_key_does_not_exist',
          'NOT_FOUND organization_does_not_exist',
        ]
        assert.deepEqual(
          [...refusals].filter((refusal) => !clear.includes(refusal)),
          [],
        )
        none(await rowsOf(key, [organizationId, 'empty', ...organizations]))
        for (const answer of await Promise.all(writes(key))) assert.notEqual(answer.http, 200)
      }
    })

    /** The embedded engine has one connection: nothing runs concurrently with a transaction. */
    const needsConnections = { skip: ENGINE === 'embedded' }

    it('responds to calls that wait for it as if they came afterwards', needsConnections, async () => {
      await Promise.all([fill(mine), fill(sibling)])
      const { client, apiKey } = mine
      const organization = { type: 'organization' as const, id: organizationId }
      const unknown = { type: 'organization' as const, id: 'unknown' }
      const grant = (userId: string, ...resources: object[]) => ({ user: { userId }, permissions: { resources } })
      let waiting: Promise<Answer>[] = []
      let managing: Promise<Answer>[] = []
      let removed: Promise<Answer> | undefined
      await server.db.transaction(async (session) => {
        const key = organizationKey({ apiKeyId: apiKey as never }, organizationId)
        await session.query('select from organizations where organization_key = $1 for no key update', [key])
        removed = remove(mine)
        await until(LOCK_ORGANIZATIONS_OF_KEY)
        waiting = [
          client.post(addOrganizations.path, { organizations: [{ organizationId: 'unknown' }] }),
          client.post(addOrganizations.path, { organizations: [{ organizationId, organizationName: 'Later' }] }),
          client.post(addPermissions.path, grant('dan', unknown)),
          client.post(addPermissions.path, grant('dan', organization)),
          client.post(addPermissions.path, grant('dan', unknown, organization)),
          client.post(addUsers.path, { organizationId, users: [{ userId: 'ada', name: 'Later' }, { userId: 'dan' }] }),
          client.post(generateToken.path, { userId: 'dan', permissions: grant('dan', organization).permissions }),
          client.post(generateToken.path, { userId: 'eve' }),
          client.post(updateKeyConfig.path, { requireKnownResources: true }),
        ]
        managing = [createAuthToken, resetAuthToken, disableApiKey].map(({ path }) =>
          owner.post(path, { apiKey, ...(path === createAuthToken.path ? { name: 'x' } : {}) }),
        )
        const elsewhere = await sibling.client.post(addPermissions.path, grant('dan', organization, unknown))
        assert.equal(elsewhere.http, 200, 'another key is held up')
      })
      assert.equal((await removed)?.http, 200)
      for (const answer of await Promise.all(waiting))
        assert.equal(refused(answer, 'UNAUTHENTICATED').reason, 'credentials_invalid')
      for (const answer of await Promise.all(managing))
        assert.equal(refused(answer, 'NOT_FOUND').reason, 'api_key_does_not_exist')
      none(await rowsOf(mine, [organizationId, 'empty', 'unknown']))
    })

    /** Waits until the statement waits for a lock. Queries outside of transactions, because their snapshot would never change. */
    async function until({ text }: Statement<unknown>): Promise<void> {
      const waits = `select from pg_stat_activity
                      where datname = current_database() and wait_event_type = 'Lock' and query = $1`
      while ((await server.db.query(waits, [text])).rows.length === 0) await new Promise((go) => setTimeout(go, 10))
    }

    it('waits for an earlier call with an Idempotency-Key', needsConnections, async () => {
      await fill(mine)
      const keyed = mine.client.with({ ...mine.client.headers, 'idempotency-key': 'before' })
      let called: Promise<Answer> | undefined
      let removed: Promise<Answer> | undefined
      await server.db.transaction(async (session) => {
        const key = organizationKey({ apiKeyId: mine.apiKey as never }, organizationId)
        await session.query('select from organizations where organization_key = $1 for no key update', [key])
        called = keyed.post(addOrganizations.path, { organizations: [{ organizationId, organizationName: 'Before' }] })
        await sleep(300) // its brief wait is over, and it now waits for the organization
        removed = remove(mine)
        await until(CLOSE_API_KEY) // if this were later, each would wait for the other
      })
      assert.equal((await called)?.http, 200)
      assert.equal((await removed)?.http, 200)
      none(await rowsOf(mine, [organizationId, 'empty']))
    })

    it('waits for a job that erases users before it takes locks that the job waits for', needsConnections, async () => {
      await fill(mine)
      const jobId = '11111111-1111-4111-8111-111111111111'
      await server.db.query(
        `insert into user_data_deletions (api_key_id, job_id, user_ids, actor, tasks_count, salt, due_at)
         values ($1, $2, '{ada}', '{}', 1, gen_random_uuid(), now() + interval '1 hour')`,
        [mine.apiKey, jobId],
      )
      let removed: Promise<Answer> | undefined
      await server.db.transaction(async (session) => {
        await session.query('select from user_data_deletions where job_id = $1 for update', [jobId])
        removed = remove(mine)
        await until(DELETE_OF_KEY.user_data_deletions ?? assert.fail())
        const key = organizationKey({ apiKeyId: mine.apiKey as never }, organizationId)
        await session.query('select from organizations where organization_key = $1 for no key update nowait', [key])
      })
      assert.equal((await removed)?.http, 200)
    })

    it('does not delay calls with another key', async () => {
      await Promise.all([fill(mine), fill(sibling)])
      const [removed, ...answers] = await Promise.all([
        remove(mine),
        ...Array.from({ length: 20 }, (_, index) =>
          sibling.client.post(addOrganizations.path, { organizations: [{ organizationId: `o${index}` }] }),
        ),
      ])
      for (const { http } of [removed, ...answers]) assert.equal(http, 200)
      assert.equal(apiKeyOf(sibling.client), sibling.apiKey)
    })
  })
})
