/** Listing events (rules/events.md#events): contents, filters, pages, and following. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import type { ApiKeyId } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { type Event, type EventName, listAccountEvents, listEvents } from '#contract/events/events.ts'
import { disableApiKey, updateApiKey } from '#contract/keys/api-keys.ts'
import { createAuthToken } from '#contract/keys/auth-tokens.ts'
import { addDocuments, deleteDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations, deleteOrganizations } from '#contract/resources/organizations.ts'
import { getUsage } from '#contract/usage/usage.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { addUserGroups, deleteUserGroups } from '#contract/users/user-groups.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { createEvents } from '#features/events/operations.ts'
import type { Kernel } from '#kernel'
import { createPageTokens, type PageTokens } from '#platform/secrets/page-token.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import type { Client } from '#testing/client.ts'
import { assertRecent } from '#testing/recent.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf, type Callers, newCallers } from '../../../test/conformance/support/callers.ts'
import { signInAs } from '../../../test/conformance/support/console-session.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()
const { db } = server

let callers: Callers
let key: Client
let apiKeyId: ApiKeyId
beforeEach(async () => {
  callers = await newCallers(server.url)
  key = callers.apiKey
  apiKeyId = apiKeyOf(key) as ApiKeyId
})

type Query = DataOf<typeof listEvents>

interface Page {
  events: Event[]
  hasMore: boolean
  nextPageToken?: string
}

async function page(query: Query, caller = key, operation: { path: string } = listEvents): Promise<Page> {
  const { http, text, body } = await caller.post(operation.path, query)
  assert.equal(http, 200, text)
  const { nextPageToken, data } = body.result
  return { ...data, nextPageToken }
}

/** Reads all pages of a query. */
async function all(query: Query, caller = key, operation: { path: string } = listEvents): Promise<Event[]> {
  const found: Event[] = []
  for (let pageToken: string | undefined; ; ) {
    const { events, hasMore, nextPageToken } = await page(
      { ...query, ...(pageToken && { pageToken }) },
      caller,
      operation,
    )
    found.push(...events)
    if (!hasMore) return found
    pageToken = nextPageToken ?? assert.fail('there is more, but no token')
  }
}

async function includingNames(query: Query): Promise<EventName[]> {
  const { http, text, body } = await key.post(listEvents.path, { ...query, includeNames: true })
  assert.equal(http, 200, text)
  return body.result.data.names
}

const named = (events: readonly Event[]) =>
  events.map(({ type, organizationId, resource, userId }) =>
    [type, organizationId, resource?.id, userId].filter(Boolean).join(' '),
  )

const grant = (userId: string, organizationId = 'acme', more: object = {}, caller = key) =>
  caller.call(addPermissions, {
    user: { userId },
    permissions: { resources: [{ type: 'document', id: 'roadmap', organizationId, ...more }] },
  })

/** Creates one event of each kind, in two organizations. */
async function fill(): Promise<void> {
  const organizationId = 'acme'
  await key.call(addOrganizations, { organizations: [{ organizationId }] })
  await key.call(addOrganizations, { organizations: [{ organizationId: 'other' }] })
  await key.call(addFolders, { organizationId, folders: [{ folderId: 'plans' }] })
  await key.call(addDocuments, { organizationId, folderId: 'plans', documents: [{ documentId: 'roadmap' }] })
  await key.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'team' }] })
  await grant('ada')
  await grant('grace', 'other')
  await key.call(generateToken, { userId: 'ada', userProperties: { name: 'Ada' } })
}

const EVERYTHING = [
  'api_key.created',
  'auth_token.created',
  'organization.added acme',
  'organization.added other',
  'folder.added acme plans',
  'document.added acme roadmap',
  'user_group.added acme',
  'permission.added acme roadmap ada',
  'permission.added other roadmap grace',
  'user.added ada',
  'user_token.generated ada',
]

describe('events.list', () => {
  it('lists all events of the key with actor, before and after, newest first', async () => {
    await fill()
    await grant('ada', 'acme', { accessRole: 'viewer' })
    const { events, hasMore, nextPageToken } = await page({})
    assert.deepEqual(named(events), ['permission.added acme roadmap ada', ...EVERYTHING.toReversed()])
    assert.deepEqual([hasMore, nextPageToken], [false, undefined])
    const [{ id = '', changedAt = 0, ...event } = {}] = events
    assert.match(id, /^[0-9a-f]{32}-\d+$/)
    assertRecent(changedAt)
    assert.deepEqual(event, {
      type: 'permission.added',
      actor: { apiKey: apiKeyId, token: 'Default Auth Token', address: '127.0.0.1' },
      apiKey: apiKeyId,
      organizationId: 'acme',
      resource: { type: 'document', id: 'roadmap' },
      userId: 'ada',
      before: { accessRole: 'editor', expiresAt: null },
      after: { accessRole: 'viewer', expiresAt: null },
    })
    assert.equal(events.find(({ type }) => type === 'user_group.added')?.groupId, 'team')
  })

  it('lists the same events with any page size, in either order', async () => {
    await fill()
    for (const pageSize of [1, 2, 3, 1_000]) {
      assert.deepEqual(named(await all({ pageSize })), EVERYTHING.toReversed())
      assert.deepEqual(named(await all({ pageSize, order: 'oldestFirst' })), EVERYTHING)
      const acme = EVERYTHING.filter((name) => name.includes('acme'))
      assert.deepEqual(named(await all({ pageSize, organizationId: 'acme' })), acme.toReversed())
      assert.deepEqual(named(await all({ pageSize, organizationId: 'acme', order: 'oldestFirst' })), acme)
    }
  })

  const following: Query[] = [{}, { organizationId: 'acme' }, { organizationId: 'acme', userId: 'ada' }]
  for (const query of following)
    it(`continues with events added later, oldest first, ${JSON.stringify(query)}`, async () => {
      await grant('ada')
      let { nextPageToken } = await page({ ...query, order: 'oldestFirst' })
      for (const expiresAt of [2_000_000_000, 2_000_000_001]) {
        const none = await page({ ...query, order: 'oldestFirst', pageToken: nextPageToken ?? '' })
        assert.deepEqual([none.events, none.hasMore], [[], false])
        await grant('ada', 'acme', { expiresAt })
        const next = await page({ ...query, order: 'oldestFirst', pageToken: none.nextPageToken ?? '' })
        assert.deepEqual(named(next.events), ['permission.added acme roadmap ada'])
        nextPageToken = next.nextPageToken
      }
    })

  it('ends with the events that existed at the first page, newest first', async () => {
    await fill()
    const first = await page({ pageSize: 3 })
    await grant('linus')
    const { events, hasMore } = await page({ pageToken: first.nextPageToken ?? '' })
    assert.deepEqual(named([...first.events, ...events]), EVERYTHING.toReversed())
    assert.equal(hasMore, false)
  })

  const filters: [Query, string[]][] = [
    [{ types: ['permission.*'] }, ['permission.added acme roadmap ada', 'permission.added other roadmap grace']],
    [{ types: ['folder.added', 'user_token.*'] }, ['folder.added acme plans', 'user_token.generated ada']],
    [{ types: ['document.migration.*'] }, []],
    [{ organizationId: 'other' }, ['organization.added other', 'permission.added other roadmap grace']],
    [{ userId: 'ada' }, ['permission.added acme roadmap ada', 'user.added ada', 'user_token.generated ada']],
    [{ userId: 'ada', organizationId: 'acme' }, ['permission.added acme roadmap ada']],
    [{ userId: 'ada', organizationId: 'other' }, []],
    [{ organizationId: 'nowhere' }, []],
    [
      { resource: { type: 'document', id: 'roadmap', organizationId: 'acme' } },
      ['document.added acme roadmap', 'permission.added acme roadmap ada'],
    ],
    [
      { resource: { type: 'document', id: 'roadmap', organizationId: 'acme' }, types: ['permission.*'], userId: 'ada' },
      ['permission.added acme roadmap ada'],
    ],
    [{ resource: { type: 'folder', id: 'roadmap', organizationId: 'acme' } }, []],
    [{ resource: { type: 'organization', id: 'other' } }, ['organization.added other']],
    [{ actor: { token: 'nobody' } }, []],
    [{ actor: { token: 'workspace' } }, ['api_key.created', 'auth_token.created']],
    [{ actor: { system: true } }, []],
    [{ actor: { system: false } }, EVERYTHING],
    [{ from: 4_000_000_000_000 }, []],
    [{ to: 1_000 }, []],
    [{ from: 1_000, to: 4_000_000_000_000 }, EVERYTHING],
  ]
  for (const [query, expected] of filters)
    it(`filters by ${JSON.stringify(query)}`, async () => {
      await fill()
      for (const pageSize of [1, 1_000]) {
        assert.deepEqual(named(await all({ ...query, pageSize, order: 'oldestFirst' })), expected)
        assert.deepEqual(named(await all({ ...query, pageSize })), expected.toReversed())
      }
    })

  it('refuses a period that ends before it begins, and accepts an empty one', async () => {
    const named = { field: 'to', message: 'to must not be before the beginning of the period' }
    for (const { path } of [listEvents, getUsage]) {
      const { http, body } = await key.post(path, { from: 2_000, to: 1_999 })
      assert.deepEqual([http, body.error.details], [400, [named]])
      assert.equal((await key.post(path, { from: 2_000, to: 2_000 })).http, 200)
    }
  })

  it('filters by events of the service itself, and by auth token', async () => {
    const { authToken } = await callers.workspace.call(createAuthToken, { apiKey: apiKeyId, name: 'importer' })
    const importer = key.with({ ...key.headers, 'x-service-auth-token': authToken.token })
    await grant('ada', 'acme', {}, importer)
    const acme = { apiKeyId, organizationId: 'acme' }
    await db.query(
      `insert into events (stream, sequence, tick, type, api_key_id, organization_id, actor)
       select stream, 100, tick, 'permission.expired', api_key_id, organization_id, '{"system": "expiry"}' from events
        where stream = $1 and sequence = 1`,
      [organizationKey(acme, 'acme')],
    )
    assert.deepEqual(named(await all({ actor: { system: true } })), ['permission.expired acme'])
    assert.deepEqual(named(await all({ actor: { token: 'importer' } })), [
      'permission.added acme roadmap ada',
      'organization.added acme',
    ])
  })

  it('names the objects of events with `includeNames`, each once, and deleted ones by their last names', async () => {
    const organizationId = 'acme'
    await key.call(addOrganizations, { organizations: [{ organizationId, organizationName: 'Acme' }] })
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'plans', folderName: 'Plans' }] })
    const documents = [{ documentId: 'roadmap', documentName: 'Road map' }, { documentId: 'draft' }]
    await key.call(addDocuments, { organizationId, folderId: 'plans', documents })
    await key.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'team', groupName: 'Team' }] })
    await key.call(setProfiles, { users: [{ userId: 'ada', name: 'Ada Byron', email: 'ada@example.com' }] })
    await grant('ada')
    const named = async () => new Set((await includingNames({})).map((one) => JSON.stringify(one)))
    const organization = { kind: 'organization', id: organizationId, name: 'Acme' }
    const inside = [
      { kind: 'folder', id: 'plans', organizationId, name: 'Plans' },
      { kind: 'document', id: 'roadmap', organizationId, name: 'Road map' },
      { kind: 'userGroup', id: 'team', organizationId, name: 'Team' },
    ]
    const ada = { kind: 'user', id: 'ada', name: 'Ada Byron', email: 'ada@example.com' }
    const name = String((await includingNames({})).find(({ kind }) => kind === 'apiKey')?.name)
    const all = new Set(
      [organization, ...inside, ada, { kind: 'apiKey', id: apiKeyId, name }].map((one) => JSON.stringify(one)),
    )
    assert.deepEqual(await named(), all)
    assert.equal('names' in (await page({})), false)
    await key.call(deleteDocuments, { organizationId, documentIds: ['roadmap'] })
    await key.call(deleteUserGroups, { organizationId, organizationUserGroupIds: ['team'] })
    assert.deepEqual(await named(), all)
    await key.call(deleteOrganizations, { organizationIds: [organizationId] })
    assert.deepEqual(
      (await includingNames({})).filter(({ kind }) => kind === 'organization'),
      [organization],
    )
  })

  it('does not mistake a field of a profile for the id of an operator or a webhook', async () => {
    const { operatorId } = await signInAs(callers.workspace, 'support', 'Kim')
    const profile = { userId: 'ada', name: 'Ada', operatorId, endpointId: 'ep_1' }
    await key.call(setProfiles, { users: [profile] })
    const kinds = (await includingNames({})).map(({ kind }) => kind)
    assert.deepEqual(kinds.sort(), ['apiKey', 'user'])
  })

  it('names nothing of another API key, and in the workspace its keys and people', async () => {
    await fill()
    const other = await newCallers(server.url)
    await other.apiKey.call(setProfiles, { users: [{ userId: 'ada', name: 'Somebody else' }] })
    const nameFor = async (caller: Client) => {
      const { body } = await caller.post(listEvents.path, { userId: 'ada', includeNames: true })
      return body.result.data.names.find(({ kind }: { kind: string }) => kind === 'user')?.name
    }
    assert.deepEqual([await nameFor(key), await nameFor(other.apiKey)], ['Ada', 'Somebody else'])
    await callers.workspace.call(updateApiKey, { apiKey: apiKeyId, apiKeyName: 'Testing' })
    const { body } = await callers.workspace.post(listAccountEvents.path, { apiKey: apiKeyId, includeNames: true })
    assert.deepEqual(body.result.data.names, [{ kind: 'apiKey', id: apiKeyId, name: 'Testing' }])
  })

  it('keeps the events of deleted organizations', async () => {
    await fill()
    await key.call(deleteOrganizations, { organizationIds: ['acme'] })
    const events = await all({ organizationId: 'acme', order: 'oldestFirst' })
    assert.deepEqual(named(events).at(0), 'organization.added acme')
    assert.deepEqual(named(events).at(-1), 'organization.deleted acme')
  })

  it('refuses tokens of another query, unknown types, and two organizations', async () => {
    await fill()
    const { nextPageToken = '' } = await page({ pageSize: 1, userId: 'ada' })
    const tokenOfAnother = (query: Query, caller = key) =>
      caller.post(listEvents.path, { userId: 'ada', ...query, pageToken: nextPageToken })
    assert.equal((await tokenOfAnother({ pageSize: 7 })).http, 200)
    const others = [
      { order: 'oldestFirst' as const },
      { organizationId: 'acme' },
      { types: ['user.added' as const] },
      { from: 1 },
    ]
    for (const query of others)
      assert.equal(refused(await tokenOfAnother(query), 'INVALID_ARGUMENT').reason, 'page_token_invalid')
    const foreign = await tokenOfAnother({}, (await newCallers(server.url)).apiKey)
    assert.equal(refused(foreign, 'INVALID_ARGUMENT').reason, 'page_token_invalid')
    refusedField(await key.post(listEvents.path, { types: ['permission.granted'] }), 'types[0]')
    const resource = { type: 'document', id: 'roadmap', organizationId: 'acme' }
    refusedField(await key.post(listEvents.path, { resource, organizationId: 'other' }), 'organizationId')
    refusedField(
      await key.post(listEvents.path, { resource: { type: 'document', id: 'd' } }),
      'resource.organizationId',
    )
  })

  it('refuses a token with a snapshot that is ahead of the database, as after a restore', async () => {
    const pageTokens: PageTokens = {
      ...createPageTokens(Buffer.alloc(32)),
      encode: (_, last) => last,
      decode: (_, token) => token ?? null,
    }
    const caller = { apiKeyId } as Parameters<ReturnType<typeof createEvents>['list']>[0]
    const list = (query: Query, place: object) =>
      createEvents({ db, pageTokens } as Kernel).list(caller, { ...query, pageToken: JSON.stringify(place) })
    const ahead = '900000000000:900000000000:'
    const refusal = { reason: 'page_token_invalid' }
    const after = [1, '00000000-0000-0000-0000-000000000000', 0]
    await assert.rejects(list({ order: 'oldestFirst' }, { seen: ahead, until: null, after: null }), refusal)
    await assert.rejects(list({ order: 'oldestFirst' }, { seen: '1:1:', until: ahead, after }), refusal)
    await assert.rejects(list({}, { seen: null, until: ahead, after }), refusal)
  })
})

describe('events.list among very many events', () => {
  const EVENTS = 25_000
  const DAY_MS = 24 * 60 * 60 * 1_000
  const START = Date.parse('2024-01-01T00:00:00Z')
  const MINUTES = 2

  /**
   * In three organizations, round robin; every 10,000th event is about the rare user and document. Ticks increase with the
   * times, but transactions of up to five hours have written some.
   */
  async function fillMany(): Promise<void> {
    await key.call(addOrganizations, { organizations: ['0', '1', '2'].map((organizationId) => ({ organizationId })) })
    await db.query('delete from events where api_key_id = $1', [apiKeyId])
    await db.query(
      `insert into events (stream, sequence, tick, written_by, type, api_key_id, organization_id, resource_kind, resource_id, user_id, actor, changed_at)
       select o.organization_key, n / 3 + 1, n - case when n % 100 < 3 then 5 * 60 / ${MINUTES} * (n % 7) / 7 else 0 end - 1000000, '2',
              case when n % 10000 = 9999 then 'permission.removed' else 'permission.added' end, $1,
              o.organization_id, 'document', case when n % 10000 = 9999 then 'rare' else 'd' || n % 100 end,
              case when n % 10000 = 9999 then 'rare' else 'u' || n % 100 end, '{}', to_timestamp($2::bigint / 1000 + n * 60 * ${MINUTES})
         from generate_series(0, $3::int - 1) n join organizations o on o.api_key_id = $1 and o.organization_id = (n % 3)::text`,
      [apiKeyId, START, EVENTS],
    )
    await db.query('update organizations set event_count = $2 where api_key_id = $1', [apiKeyId, EVENTS])
  }

  it('ends a page short after many events, and finds all matches of a rare filter in the end', async () => {
    await fillMany()
    for (const order of ['newestFirst', 'oldestFirst'] as const) {
      const first = await page({ types: ['permission.removed'], order, pageSize: 10 })
      assert.ok(first.hasMore && first.events.length <= 1)
      assert.equal((await all({ types: ['permission.removed'], order })).length, 2)
      assert.equal((await all({ types: ['user.added'], order })).length, 0)
      assert.equal((await all({ order })).length, EVENTS)
    }
    assert.ok(LIMITS.eventsExaminedPerPageMax < EVENTS)
  })

  it('finds the events of one user or resource directly', async () => {
    await fillMany()
    const document = { type: 'document' as const, id: 'rare', organizationId: '0' }
    for (const order of ['newestFirst', 'oldestFirst'] as const)
      for (const [filter, count] of [
        [{ userId: 'rare' }, 2],
        [{ userId: 'rare', organizationId: '0' }, 1],
        [{ resource: document }, 1],
        [{ resource: document, userId: 'rare' }, 1],
      ] as const) {
        const { events, hasMore } = await page({ ...filter, order })
        assert.deepEqual([events.length, hasMore], [count, false], JSON.stringify(filter))
      }
  })

  it('finds the events between two times, and examines few others', async () => {
    await fillMany()
    const end = START + EVENTS * MINUTES * 60_000
    const spans: [number | undefined, number | undefined][] = [
      [START + 3 * DAY_MS, START + 3 * DAY_MS + 60_000 * 60],
      [START - DAY_MS, START + 1],
      [end - DAY_MS / 2, undefined],
      [undefined, START + DAY_MS],
      [end, end + DAY_MS],
      [START + 10 * DAY_MS + 1, START + 20 * DAY_MS - 1],
    ]
    for (const [from, to] of spans)
      for (const organizationId of [undefined, '1'])
        for (const order of ['newestFirst', 'oldestFirst'] as const) {
          const query = { order, ...(from && { from }), ...(to && { to }), ...(organizationId && { organizationId }) }
          const first = await page({ ...query, pageSize: 1_000 })
          const found = first.hasMore ? await all({ ...query, pageSize: 1_000 }) : first.events
          const { rows } = await db.query(
            `select count(*)::int as count from events
              where api_key_id = $1 and ($2::text is null or organization_id = $2)
                and changed_at >= coalesce($3::timestamptz, '-infinity') and changed_at < coalesce($4::timestamptz, 'infinity')`,
            [
              apiKeyId,
              organizationId ?? null,
              from === undefined ? null : new Date(from),
              to === undefined ? null : new Date(to),
            ],
          )
          assert.deepEqual([{ count: found.length }], rows, JSON.stringify(query))
          assert.equal(new Set(found.map(({ id }) => id)).size, found.length)
          if (found.length < 1_000) assert.equal(first.hasMore, false, 'it looked at more than a page does')
        }
  })
})

describe('account-events.list', () => {
  it('lists the events of the workspace and its keys, or of one key, in either order', async () => {
    const account = callers.workspace
    await account.call(updateApiKey, { apiKey: apiKeyId, apiKeyName: 'renamed' })
    await account.call(createAuthToken, { apiKey: apiKeyId, name: 'importer' })
    await grant('ada')
    await account.call(disableApiKey, { apiKey: apiKeyId })
    const ofKey = ['api_key.created', 'auth_token.created', 'api_key.updated', 'auth_token.created', 'api_key.disabled']
    const expected = ['workspace.created', 'api_key.created', 'auth_token.created', ...ofKey]
    for (const pageSize of [1, 3, 1_000]) {
      const query = { pageSize }
      assert.deepEqual(named(await all(query, account, listAccountEvents)), expected.toReversed())
      assert.deepEqual(named(await all({ ...query, order: 'oldestFirst' }, account, listAccountEvents)), expected)
      const one = { ...query, apiKey: apiKeyId, order: 'oldestFirst' as const }
      assert.deepEqual(named(await all(one as Query, account, listAccountEvents)), ofKey)
    }
    const types = ['auth_token.*' as const]
    assert.equal((await all({ types }, account, listAccountEvents)).length, 3)
    const [created] = await all({ types: ['workspace.created'] }, account, listAccountEvents)
    const { id, changedAt, ...rest } = created ?? assert.fail('no event')
    assert.equal(rest.apiKey, undefined)
    assert.deepEqual(rest.actor, { address: '127.0.0.1' })
  })

  it('lists nothing of another workspace, even if its key is named', async () => {
    const other = await newCallers(server.url)
    const query = { apiKey: apiKeyId } as Query
    assert.deepEqual(await all(query, other.workspace, listAccountEvents), [])
  })
})
