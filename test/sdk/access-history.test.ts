/** The console's answers about access in the past equal the server's decisions at that time (sdk/access-history). */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { accessHistory } from '#sdk/access-history/history.ts'
import { type Client, createClient } from '#sdk/index.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf, newCallers } from '../conformance/support/callers.ts'

const server = await sharedServer()

const organizationId = 'acme'
const IN = { organizationId }
const USERS = ['ada', 'bob', 'cem', 'dan', 'eve']
const place = { type: 'document', id: 'roadmap' } as const
const roadmap = { ...place, organizationId }
const plans = { type: 'folder', id: 'plans', organizationId } as const
const acme = { type: 'organization', id: organizationId } as const

async function newClient(): Promise<Client> {
  const { apiKey } = await newCallers(server.url)
  return createClient({
    url: server.url,
    apiKey: apiKeyOf(apiKey),
    authToken: apiKey.headers['x-service-auth-token'] ?? '',
  })
}

/** Each step changes who has access to the document, or to the folders around it. */
const STEPS: readonly [says: string, change: (client: Client) => Promise<unknown>][] = [
  [
    'members and groups',
    async (client) => {
      await client.grants.add({
        grants: ['ada', 'bob', 'dan'].map((userId) => ({ ...acme, userId, accessRole: 'viewer' as const })),
      })
      await client.userGroups.add({ ...IN, organizationUserGroups: [{ groupId: 'team' }, { groupId: 'other' }] })
      await client.userGroupUsers.add({ ...IN, organizationUserGroupId: 'team', userIds: ['ada', 'bob'] })
    },
  ],
  [
    'a grant on the document',
    (client) => client.grants.add({ grants: [{ ...roadmap, userId: 'cem', accessRole: 'viewer' }] }),
  ],
  [
    'a grant of a group on the folder',
    (client) => client.grants.add({ grants: [{ ...plans, groupId: 'team', accessRole: 'editor' }] }),
  ],
  [
    'a commenter',
    async (client) => {
      await client.keyConfig.update({ accessRoles: ['viewer', 'commenter', 'editor'] })
      await client.grants.add({ grants: [{ ...roadmap, userId: 'cem', accessRole: 'commenter' }] })
    },
  ],
  ['another role', (client) => client.grants.add({ grants: [{ ...roadmap, userId: 'cem', accessRole: 'editor' }] })],
  [
    'a temporary grant beside it',
    (client) =>
      client.grants.add({ grants: [{ ...roadmap, userId: 'cem', accessRole: 'viewer', expiresAt: 2_000_000_000 }] }),
  ],
  [
    'somebody leaves the group',
    (client) => client.userGroupUsers.delete({ ...IN, organizationUserGroupId: 'team', userIds: ['bob'] }),
  ],
  [
    'the access type of the folder',
    (client) => client.folderAccess.set({ ...IN, folderIds: ['plans'], accessType: 'organizationPrivate' }),
  ],
  ['the document moves', (client) => client.documents.move({ ...IN, documentIds: ['roadmap'], folderId: 'archive' })],
  [
    'the folder moves',
    (client) => client.folders.update({ ...IN, folders: [{ folderId: 'archive', parentFolderId: 'plans' }] }),
  ],
  ['a user is disabled', (client) => client.users.disable({ userIds: ['ada'], disabled: true })],
  ['a member is removed', (client) => client.users.delete({ ...IN, userIds: ['dan'] })],
  ['a user is enabled', (client) => client.users.disable({ userIds: ['ada'], disabled: false })],
  [
    'the document is disabled',
    (client) => client.documents.disable({ ...IN, documentIds: ['roadmap'], disabled: true }),
  ],
  [
    'the document is enabled',
    (client) => client.documents.disable({ ...IN, documentIds: ['roadmap'], disabled: false }),
  ],
  [
    'everybody leaves the group',
    (client) => client.userGroupUsers.delete({ ...IN, organizationUserGroupId: 'team', deleteAll: true }),
  ],
  [
    'the document is public',
    (client) => client.documentAccess.set({ ...IN, documentIds: ['roadmap'], accessType: 'public' }),
  ],
  ['other defaults', (client) => client.keyConfig.update({ defaultAccessRole: 'viewer' })],
  ['a grant ends', (client) => client.permissions.remove({ userId: 'cem', permissions: { resources: [roadmap] } })],
  ['the group is deleted', (client) => client.userGroups.delete({ ...IN, organizationUserGroupIds: ['team'] })],
  [
    'the organization is disabled',
    (client) => client.organizations.disable({ organizationIds: [organizationId], disabled: true }),
  ],
]

type Roles = Record<string, string | undefined>

/** The role of each user on the document, as the server decides now; `everyone` stands for users without any grant. */
async function rolesNow(client: Client): Promise<Roles> {
  const userIds = [...USERS, 'everyone']
  const { checks } = await client.permissions.check({
    checks: userIds.map((userId) => ({ userId, resource: roadmap })),
  })
  return Object.fromEntries(
    userIds.map((userId, index) => [userId, checks[index]?.allowed ? checks[index]?.accessRole : undefined]),
  )
}

/** The time of the last event, by the server's clock. No later event has the same. */
async function momentNow(client: Client): Promise<number> {
  const { events } = await client.events.list({ pageSize: 1 })
  await sleep(2)
  return events[0]?.changedAt ?? 0
}

async function prepare(client: Client): Promise<void> {
  await client.organizations.add({ organizations: [{ organizationId }] })
  await client.folders.add({
    ...IN,
    folders: [{ folderId: 'plans', accessType: 'restricted' }, { folderId: 'archive' }],
  })
  await client.documents.add({ ...IN, folderId: 'plans', documents: [{ documentId: 'roadmap' }] })
}

describe('the access of the past', () => {
  it('to a document equals the decision of the server at that time, after every kind of change', async () => {
    const client = await newClient()
    await prepare(client)
    const seen: { at: number; says: string; roles: Roles }[] = []
    for (const [says, change] of STEPS) {
      await change(client)
      seen.push({ at: await momentNow(client), says, roles: await rolesNow(client) })
    }
    const last = seen.at(-1) ?? assert.fail()
    for (const { at, says, roles } of seen) {
      const { rows, limits } = await accessHistory(client, {
        organizationId,
        subject: { place },
        from: at,
        to: last.at,
      })
      const side = (of: 'before' | 'after'): Roles => {
        const known = new Map(rows.map(({ userId, [of]: { accessRole } }) => [userId ?? 'everyone', accessRole]))
        return Object.fromEntries(
          Object.keys(roles).map((userId) => [userId, known.has(userId) ? known.get(userId) : known.get('everyone')]),
        )
      }
      assert.deepEqual(side('before'), roles, `after ${says}`)
      assert.deepEqual(side('after'), last.roles)
      assert.deepEqual(limits, [], says)
    }
  })

  it('of a user has the grants of their own and of groups, and what has changed them since', async () => {
    const client = await newClient()
    await prepare(client)
    for (const [, change] of STEPS.slice(0, 3)) await change(client)
    const from = await momentNow(client)
    await client.grants.add({ grants: [{ ...roadmap, userId: 'ada', accessRole: 'editor' }] })
    await client.grants.add({ grants: [{ ...roadmap, userId: 'cem', accessRole: 'editor' }] })
    await client.users.delete({ ...IN, userIds: ['ada'] })
    const history = await accessHistory(client, {
      organizationId,
      subject: { userId: 'ada' },
      from,
      to: await momentNow(client),
    })
    const rows = history.rows.map(({ place, before, after }) => [
      place.id,
      before.accessRole,
      before.grant?.groupId,
      after.accessRole,
    ])
    assert.deepEqual(rows.sort(), [
      ['acme', 'viewer', undefined, undefined],
      ['plans', 'editor', 'team', undefined],
    ])
    assert.deepEqual(
      history.events.map(({ event }) => event.type),
      ['permission.added', 'user.removed'],
    )
    assert.deepEqual(history.limits, [])
  })

  it('says since when it is known, and what no stored event names', async () => {
    const client = await newClient()
    await prepare(client)
    for (const [, change] of STEPS.slice(0, 3)) await change(client)
    const [first] = (await client.events.list({ organizationId, types: ['user_group.added'], order: 'oldestFirst' }))
      .events
    await server.db.query(
      'delete from events where organization_id = $1 and api_key_id = $2 and changed_at < to_timestamp($3::float8 / 1000)',
      [organizationId, first?.apiKey, first?.changedAt],
    )
    await client.users.delete({ ...IN, userIds: ['bob'] })
    const question = { organizationId, subject: { userId: 'bob' }, from: 0, to: await momentNow(client) }
    const { limits } = await accessHistory(client, question)
    assert.deepEqual(
      limits.map(({ kind }) => kind),
      ['kept_since', 'grants_unknown'],
    )
    const ofPlace = await accessHistory(client, {
      ...question,
      subject: { place: acme },
      from: (first?.changedAt ?? 0) + 1,
    })
    assert.deepEqual(
      ofPlace.limits.map(({ kind }) => kind),
      ['grants_unknown'],
      'the grant may have been on any resource',
    )
  })

  it('of a resource leaves out users who have had grants on others alone', async () => {
    const client = await newClient()
    await prepare(client)
    await client.documentAccess.set({ ...IN, documentIds: ['roadmap'], accessType: 'public' })
    const archive = { type: 'folder', id: 'archive', organizationId, userId: 'eve' } as const
    await client.grants.add({ grants: [{ ...archive, accessRole: 'viewer' }] })
    await client.users.disable({ userIds: ['eve'], disabled: true })
    const from = await momentNow(client)
    await client.grants.add({ grants: [{ ...archive, accessRole: 'editor' }] })
    const question = { organizationId, subject: { place }, from, to: await momentNow(client) }
    const { rows } = await accessHistory(client, question)
    assert.deepEqual(
      rows.map(({ userId }) => userId),
      [undefined],
    )
  })

  it('of a migrated document is one history, under its present id', async () => {
    const client = await newClient()
    await prepare(client)
    await client.grants.add({ grants: [{ ...roadmap, userId: 'cem', accessRole: 'viewer' }] })
    const from = await momentNow(client)
    await client.grants.add({ grants: [{ ...roadmap, userId: 'cem', accessRole: 'editor' }] })
    const { migrationId = '' } = await client.migrations.migrate({
      ...IN,
      documentId: 'roadmap',
      newDocumentId: 'plan',
    })
    while ((await client.migrations.get({ ...IN, migrationId })).finishedAt === null) await sleep(20)
    const subject = { place: { type: 'document', id: 'plan' } as const }
    const { rows } = await accessHistory(client, { organizationId, subject, from, to: await momentNow(client) })
    assert.deepEqual(
      rows.map(({ userId, before, after }) => [userId, before.accessRole, after.accessRole]),
      [['cem', 'viewer', 'editor']],
    )
  })

  it('of a deleted document is known from the events before, unless its location is no longer stored', async () => {
    const client = await newClient()
    await prepare(client)
    await client.grants.add({ grants: [{ ...plans, userId: 'bob', accessRole: 'viewer' }] })
    await client.grants.add({ grants: [{ ...roadmap, userId: 'cem', accessRole: 'editor' }] })
    const from = await momentNow(client)
    await client.documents.delete({ ...IN, documentIds: ['roadmap'] })
    const question = { organizationId, subject: { place }, from, to: await momentNow(client) }
    const { rows, limits } = await accessHistory(client, question)
    const cem = rows.find(({ userId }) => userId === 'cem')
    assert.deepEqual([cem?.before.accessRole, cem?.after.reason], ['editor', 'does_not_exist'])
    assert.deepEqual(
      rows.map(({ userId, before }) => [userId, before.accessRole]),
      [
        ['bob', 'viewer'],
        ['cem', 'editor'],
      ],
    )
    assert.deepEqual(limits, [])
    const [added] = (await client.events.list({ organizationId, types: ['document.added'] })).events
    await server.db.query(`delete from events where type = 'document.added' and api_key_id = $1`, [added?.apiKey])
    assert.deepEqual((await accessHistory(client, question)).limits, [{ kind: 'place_unknown', place }])
  })

  it('of a user has grants inside folders that were deleted, and of groups that were deleted', async () => {
    const client = await newClient()
    await prepare(client)
    for (const [, change] of STEPS.slice(0, 3)) await change(client)
    await client.grants.add({ grants: [{ ...roadmap, userId: 'ada', accessRole: 'editor' }] })
    const from = await momentNow(client)
    await client.folders.delete({ ...IN, folderId: 'plans' })
    await client.documents.add({ ...IN, documents: [{ documentId: 'roadmap' }] })
    await client.userGroups.delete({ ...IN, organizationUserGroupIds: ['team'] })
    const question = { organizationId, subject: { userId: 'ada' }, from, to: await momentNow(client) }
    const { rows, limits } = await accessHistory(client, question)
    assert.deepEqual(
      rows
        .map(({ place: { id }, before, after }) => [id, before.accessRole, before.grant?.groupId, after.reason])
        .sort(),
      [
        ['acme', 'viewer', undefined, 'grant'],
        ['plans', 'editor', 'team', 'does_not_exist'],
        ['roadmap', 'editor', undefined, 'grant'],
      ],
    )
    assert.deepEqual(limits, [])
  })

  it('of a document that was added again is that of the earlier document, where that was', async () => {
    const client = await newClient()
    await prepare(client)
    await client.grants.add({ grants: [{ ...acme, userId: 'dan', accessRole: 'viewer' }] })
    await client.grants.add({ grants: [{ ...plans, userId: 'bob', accessRole: 'editor' }] })
    const from = await momentNow(client)
    await client.folders.delete({ ...IN, folderId: 'plans' })
    await client.folders.add({ ...IN, folders: [{ folderId: 'plans' }] })
    await client.documents.add({
      ...IN,
      folderId: 'archive',
      documents: [{ documentId: 'roadmap', accessType: 'organizationPrivate' }],
    })
    const question = { organizationId, subject: { place }, from, to: await momentNow(client) }
    const { rows, limits } = await accessHistory(client, question)
    assert.deepEqual(
      rows.map(({ userId, before, after }) => [userId, before.accessRole, after.accessRole]),
      [
        ['bob', 'editor', undefined],
        ['dan', undefined, 'viewer'],
      ],
    )
    assert.deepEqual(limits, [])
  })

  it('of a resource that only grants have named begins with the first one, and ends when it is deleted', async () => {
    const client = await newClient()
    await prepare(client)
    await client.grants.add({ grants: [{ ...acme, userId: 'ada', accessRole: 'viewer' }] })
    const grants = [{ ...roadmap, userId: 'bob', accessRole: 'editor' as const }]
    const revoke = () => client.permissions.remove({ userId: 'bob', permissions: { resources: [roadmap] } })
    const steps = [
      () => client.documents.delete({ ...IN, documentIds: ['roadmap'] }),
      () => client.grants.add({ grants }),
      revoke,
      () => client.documents.delete({ ...IN, documentIds: ['roadmap'] }),
      () => client.grants.add({ grants }),
      () => client.documents.add({ ...IN, documents: [{ documentId: 'roadmap', accessType: 'restricted' }] }),
      revoke,
      () => client.documents.delete({ ...IN, documentIds: ['roadmap'] }),
      () => client.grants.add({ grants }),
      revoke,
    ]
    const seen: { at: number; ada: string | undefined }[] = []
    for (const step of steps) {
      await step()
      seen.push({ at: await momentNow(client), ada: (await rolesNow(client)).ada })
    }
    const to = seen.at(-1)?.at ?? 0
    const rebuilt: (string | undefined)[] = []
    for (const { at: from } of seen) {
      const { rows } = await accessHistory(client, { organizationId, subject: { place }, from, to })
      rebuilt.push(rows.find(({ userId }) => userId === 'ada')?.before.accessRole)
    }
    assert.deepEqual(
      rebuilt,
      seen.map(({ ada }) => ada),
    )
    assert.deepEqual(rebuilt.slice(0, 4), [undefined, 'viewer', 'viewer', undefined])
  })

  it('counts an expired grant until it expired', async () => {
    const client = await newClient()
    await prepare(client)
    const expiresAt = Math.floor(Date.now() / 1_000) + 2
    await client.grants.add({ grants: [{ ...roadmap, userId: 'cem', accessRole: 'editor', expiresAt }] })
    const from = await momentNow(client)
    await sleep(expiresAt * 1_000 + 50 - Date.now())
    const { rows } = await accessHistory(client, { organizationId, subject: { place }, from, to: Date.now() })
    assert.deepEqual(
      rows.map(({ userId, before, after }) => [userId, before.accessRole, after.accessRole]),
      [['cem', 'editor', undefined]],
    )
  })
})
