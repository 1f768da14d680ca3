/** Listing and counting users with grants: filters, order and pages (rules/contract.md#pages, rules/resources.md#members). */
import assert from 'node:assert/strict'
import { afterAll, beforeEach, describe, it } from 'vitest'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { addUsers, countUsers, getUsers } from '#contract/users/users.ts'
import type { Db } from '#platform/db/db.ts'
import type { Statement } from '#platform/db/statement.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type Client, pagesOf } from '#testing/client.ts'
import { completeMigration } from '#testing/jobs.ts'
import { rowsRead } from '#testing/rows-read.ts'
import { startServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

/** The statements that lists have run, with their values. */
const listings: [statement: Statement<unknown>, values: unknown[]][] = []
const recording = (db: Db): Db =>
  new Proxy(db, {
    get(target, property) {
      const value = Reflect.get(target, property, target)
      if (property !== 'run') return typeof value === 'function' ? value.bind(target) : value
      return (statement: Statement<unknown>, values: unknown[]) => {
        if (statement.name.startsWith('users.list')) listings.push([statement, values])
        return db.run(statement, values)
      }
    },
  })

const server = await startServer({}, recording)
const organizationId = 'acme'
let key: Client
beforeEach(async () => {
  key = await server.newKey()
  await key.call(addOrganizations, { organizations: [{ organizationId }] })
})
afterAll(() => server.clock.set(null))

const get = (data: object = {}) => key.post(getUsers.path, { organizationId, ...data })
const list = async (data: object = {}) => {
  const { body } = await get(data)
  assert.equal(body.result?.status, 'success', JSON.stringify(body))
  return body.result.data
}
const idsOf = (users: { userId: string }[]) => users.map(({ userId }) => userId)
const ids = async (data: object = {}) => idsOf(await list(data))
const add = (users: object[], more: object = {}) => key.post(addUsers.path, { organizationId, users, ...more })
const count = async (data: object = {}) => (await key.call(countUsers, { organizationId, ...data })).count
const grant = (userId: string, ...resources: object[]) =>
  key.post(addPermissions.path, { user: { userId }, permissions: { resources } })
const organization = { type: 'organization', id: organizationId }
const document = (id: string) => ({ type: 'document', id, organizationId })
async function group(groupId: string, userIds: string[]) {
  await key.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId }] })
  await key.call(addUserGroupUsers, { organizationId, organizationUserGroupId: groupId, userIds })
}

/** Returns how many rows the statements of a list read. */
async function rowsReadBy(data: object): Promise<number> {
  listings.length = 0
  await list(data)
  let rows = 0
  for (const [statement, values] of listings) rows += await rowsRead(server.db, statement, values)
  return rows
}

/** Reads all pages of a query. */
async function pages(data: object): Promise<unknown[]> {
  const seen: unknown[] = []
  for await (const page of pagesOf((pageToken) => get({ ...data, pageToken }))) seen.push(page.data)
  return seen
}

describe('users.get', () => {
  it('reads as much for a page of a large group as for one of a small group', async () => {
    const organizationUserGroups = [{ groupId: 'small' }, { groupId: 'large' }]
    await key.call(addUserGroups, { organizationId, organizationUserGroups })
    const groupsWith = `
      with added as (
        insert into grants (organization_key, resource_key, principal, kind, standing_role)
        select $1::uuid, $1::uuid, 'user' || n, 'organization', 'viewer' from generate_series(1, 5000) n returning principal
      )
      insert into user_group_members
      select $1::uuid, case when grouping.n = 1 then 'large' else 'small' end, principal from added, generate_series(1, 2) grouping(n)
       where grouping.n = 1 or principal < 'user11'`
    await server.db.query(groupsWith, [organizationKey({ apiKeyId: apiKeyOf(key) as never }, organizationId)])
    await server.db.query('vacuum analyze user_group_members, grants')
    const pageOf = (groupId: string) => ({ organizationUserGroupIds: [groupId], pageSize: 10 })
    assert.deepEqual(await ids(pageOf('large')), await ids(pageOf('small')))
    const few = await rowsReadBy(pageOf('small'))
    const many = await rowsReadBy(pageOf('large'))
    assert.ok(many <= 2 * few, `${many} rows instead of ${few}`)
    assert.equal(
      (await ids({ organizationUserGroupIds: ['large'], searchKey: 'user4999', pageSize: 10 }))[0],
      'user4999',
    )
  })

  it('lists the members of the organization in id order, with profile, role and expiry', async () => {
    await add([{ userId: 'bob', name: 'Bob', accessRole: 'viewer' }])
    await add([{ userId: 'ada', name: 'ada lovelace', email: 'ada@example.com', initial: 'L', team: { id: 7 } }])
    await grant('Zoe', { ...organization, expiresAt: 2_000_000_000 })
    await add([{ userId: 'carl' }], { documentId: 'd' })
    const { body } = await get()
    assert.equal(body.result.message, 'Users retrieved successfully.')
    assert.deepEqual(body.result.data, [
      { userId: 'Zoe', accessRole: 'editor', expiresAt: 2_000_000_000 },
      {
        userId: 'ada',
        name: 'ada lovelace',
        email: 'ada@example.com',
        initial: 'L',
        team: { id: 7 },
        accessRole: 'editor',
      },
      { userId: 'bob', name: 'Bob', initial: 'B', accessRole: 'viewer' },
    ])
    assert.equal('nextPageToken' in body.result, false)
  })

  it('omits users with expired grants, exactly from the expiry on', async () => {
    await grant('ada', { ...organization, expiresAt: 5_000 }, { ...document('d'), expiresAt: 6_000 })
    const at = async (seconds: number) => {
      server.clock.set(new Date(seconds * 1000))
      const queries = [{}, { documentId: 'd' }, { allDocuments: true }, { userIds: ['ada'], allDocuments: true }]
      const seen = await Promise.all(queries.map((query) => ids(query)))
      const grouped = await list({ allDocuments: true, groupByDocumentId: true })
      const counted = await Promise.all(queries.slice(0, 3).map((query) => count(query)))
      server.clock.set(null)
      return [...seen.map(({ length }) => length), Object.keys(grouped).length, ...counted]
    }
    assert.deepEqual(await at(4_999.9), [1, 1, 1, 1, 1, 1, 1, 1])
    assert.deepEqual(await at(5_000), [0, 1, 1, 1, 1, 0, 1, 1])
    assert.deepEqual(await at(6_000), [0, 0, 0, 0, 0, 0, 0, 0])
  })

  it('lists the users of the named document or folder, even if it is only declared', async () => {
    await key.call(addDocuments, { organizationId, documents: [{ documentId: 'added' }] })
    await add([{ userId: 'ada' }])
    await add([{ userId: 'bob', accessRole: 'viewer' }], { documentId: 'declared' })
    await add([{ userId: 'carl' }], { folderId: 'f' })
    assert.deepEqual(await list({ documentId: 'declared' }), [{ userId: 'bob', accessRole: 'viewer' }])
    assert.deepEqual(await list({ folderId: 'f' }), [{ userId: 'carl', accessRole: 'editor' }])
    assert.deepEqual(await list({ documentId: 'added' }), [])
  })

  it('lists users of any document once and without a role with allDocuments', async () => {
    await add([{ userId: 'member', name: 'M' }])
    await add([{ userId: 'carl' }], { folderId: 'f' })
    await add([{ userId: 'bob', name: 'Bob' }, { userId: 'ada' }], { documentId: 'd1' })
    await add([{ userId: 'bob' }], { documentId: 'd2' })
    assert.deepEqual(await list({ allDocuments: true }), [
      { userId: 'ada' },
      { userId: 'bob', name: 'Bob', initial: 'B' },
    ])
    assert.deepEqual(await ids({ allDocuments: true, userIds: ['bob', 'member', 'carl'] }), ['bob'])
  })

  it('groups users by document, with their role on it', async () => {
    await add([{ userId: 'bob' }, { userId: 'ada', accessRole: 'viewer' }], { documentId: 'd1' })
    await add([{ userId: 'bob', accessRole: 'viewer' }], { documentId: 'd0' })
    await add([{ userId: 'member' }])
    assert.deepEqual(await list({ allDocuments: true, groupByDocumentId: true }), {
      d0: [{ userId: 'bob', accessRole: 'viewer' }],
      d1: [
        { userId: 'ada', accessRole: 'viewer' },
        { userId: 'bob', accessRole: 'editor' },
      ],
    })
    const some = await list({ allDocuments: true, groupByDocumentId: true, userIds: ['ada', 'nobody', 'ada'] })
    assert.deepEqual(some, { d1: [{ userId: 'ada', accessRole: 'viewer' }] })
  })

  describe('filters', () => {
    beforeEach(async () => {
      await add(
        ['ada', 'bob', 'carl', 'dora'].map((userId) => ({ userId, name: `${userId} N`, email: `${userId}@x.org` })),
      )
      await group('g', ['ada', 'bob'])
      await group('h', ['bob', 'carl'])
    })

    it('select the named users and ignore unknown ones', async () => {
      assert.deepEqual(await ids({ userIds: ['dora', 'nobody', 'ada', 'dora'] }), ['ada', 'dora'])
    })

    it('select users who are in one of the groups and still members', async () => {
      assert.deepEqual(await ids({ organizationUserGroupIds: ['g', 'h', 'nope', 'g'] }), ['ada', 'bob', 'carl'])
      await add([{ userId: 'ada' }, { userId: 'bob' }, { userId: 'dora' }], { documentId: 'd' })
      const groups = { organizationUserGroupIds: ['g'] }
      assert.deepEqual(await ids({ ...groups, documentId: 'd' }), ['ada', 'bob'])
      await key.call(removePermissions, {
        userId: 'ada',
        permissions: { resources: [{ type: 'organization', id: 'acme' }] },
      })
      assert.deepEqual(await ids(groups), ['bob'])
      assert.deepEqual(await ids({ ...groups, documentId: 'd' }), ['bob'])
      assert.deepEqual(await ids({ ...groups, allDocuments: true }), ['bob'])
      assert.deepEqual(Object.keys(await list({ ...groups, allDocuments: true, groupByDocumentId: true })), ['d'])
    })

    it('combine with and', async () => {
      const both = { userIds: ['ada', 'dora', 'carl'], organizationUserGroupIds: ['g', 'h'] }
      assert.deepEqual(await ids(both), ['ada', 'carl'])
      assert.deepEqual(await ids({ ...both, searchKey: 'CARL@' }), ['carl'])
      await add([{ userId: 'carl' }], { documentId: 'd' })
      assert.deepEqual(await ids({ ...both, allDocuments: true }), ['carl'])
      const grouped = await list({ ...both, searchKey: 'l n', allDocuments: true, groupByDocumentId: true })
      assert.deepEqual(idsOf(grouped.d), ['carl'])
    })
  })

  describe('searchKey', () => {
    beforeEach(() =>
      add([
        { userId: 'u1', name: 'Élodie Straße', email: 'E.L@Example.com', color: 'needle' },
        { userId: 'u2', name: '100% _real_ (a+b) [c] \\d ^$ {2} .*' },
        { userId: 'U3', name: 'ΟΔΥΣΣΕΥΣ 😀' },
      ]),
    )

    it('searches id, name and e-mail, ignoring case, in any script', async () => {
      for (const [searchKey, found] of [
        ['u', ['U3', 'u1', 'u2']],
        ['U3', ['U3']],
        ['éLODIE', ['u1']],
        ['STRAßE', ['u1']],
        ['e.l@EXAMPLE', ['u1']],
        ['οδυσ', ['U3']],
        ['😀', ['U3']],
        ['needle', []],
      ] as const)
        assert.deepEqual(await ids({ searchKey }), found, searchKey)
    })

    it('matches every character literally: none is a wildcard', async () => {
      for (const part of ['100%', '_REAL_', '(A+b)', '[c]', '\\d', '^$', '{2}', '.*', '% _r', '$ {'])
        assert.deepEqual(await ids({ searchKey: part }), ['u2'], part)
      for (const none of ['10%0', 'u_', '[a-z]', '\\w', 'u1|u2', '***:u', '(?i)u', '^u'])
        assert.deepEqual(await ids({ searchKey: none }), [], none)
      assert.deepEqual(await ids({ searchKey: '%' }), ['u2'])
      assert.deepEqual(await ids({ searchKey: '.' }), ['u1', 'u2'])
    })
  })

  describe('pages', () => {
    const users = ['', 'A', 'Z', 'a', 'a-', 'a1', 'z', 'é', '😀'].map((id) => `u${id}`)
    beforeEach(async () => {
      await add(users.map((userId, nth) => ({ userId, name: nth % 2 ? 'odd' : 'even' })))
      for (const [documentId, some] of [
        ['d1', users.slice(0, 5)],
        ['d2', users.slice(3)],
        ['d3', users.slice(8)],
      ] as const)
        await add(
          some.map((userId) => ({ userId })),
          { documentId },
        )
      for (const userId of ['u', 'uZ', 'u😀']) await grant(userId, { ...document('d4'), expiresAt: 1_000 })
      await group('g', users)
    })

    it('return the same set with any size, in id order', async () => {
      const odd = users.filter((_, nth) => nth % 2)
      for (const [query, expected] of [
        [{}, users],
        [{ documentId: 'd2' }, users.slice(3)],
        [{ allDocuments: true }, users],
        [{ searchKey: 'ODD' }, odd],
        [{ userIds: users.slice(2) }, users.slice(2)],
        [{ organizationUserGroupIds: ['g'], searchKey: 'odd', allDocuments: true }, odd],
      ] as const)
        for (const pageSize of [1, 2, 3, 8, 9, 10, 1_000]) {
          const seen = (await pages({ ...query, pageSize })) as { userId: string }[][]
          assert.deepEqual(idsOf(seen.flat()), expected, JSON.stringify({ query, pageSize }))
          assert.equal(seen.length, Math.ceil(expected.length / pageSize))
        }
    })

    it('return the same documents with the same users with any size', async () => {
      const all = { allDocuments: true, groupByDocumentId: true }
      for (const query of [all, { ...all, userIds: users }, { ...all, organizationUserGroupIds: ['g'] }])
        for (const pageSize of [1, 2, 3, 4, 7, 11, 12, 13, 1_000]) {
          const seen: Record<string, string[]> = {}
          for (const page of (await pages({ ...query, pageSize })) as Record<string, { userId: string }[]>[]) {
            const shown = Object.values(page).flat().length
            assert.ok(shown > 0 && shown <= pageSize)
            for (const [id, some] of Object.entries(page)) seen[id] = [...(seen[id] ?? []), ...idsOf(some)]
          }
          const expected = { d1: users.slice(0, 5), d2: users.slice(3), d3: users.slice(8) }
          assert.deepEqual(seen, expected, JSON.stringify({ query, pageSize }))
        }
    })

    it('continue at the same position if a document is migrated between pages', async () => {
      const all = { allDocuments: true, groupByDocumentId: true, pageSize: 1 }
      const { body } = await get(all)
      const [documentId = ''] = Object.keys(body.result.data)
      await completeMigration(key, { organizationId, documentId, newDocumentId: 'zz' })
      let { nextPageToken: pageToken } = body.result
      let shown = 1
      while (pageToken !== undefined) {
        const { result } = (await get({ ...all, pageToken })).body
        shown += Object.values(result.data).flat().length
        pageToken = result.nextPageToken
      }
      assert.equal(shown, 12)
    })

    it('have tokens that are valid only for the same query', async () => {
      const { nextPageToken: pageToken } = (await get({ pageSize: 2 })).body.result
      assert.equal((await get({ pageSize: 3, pageToken })).http, 200)
      for (const other of [{ searchKey: 'u' }, { documentId: 'd1' }, { allDocuments: true }, { userIds: ['u'] }])
        refusedField(await get({ ...other, pageToken }), 'pageToken')
    })

    it('examine a limited number of users, and have a token to continue', async () => {
      const many = LIMITS.usersExaminedPerPageMax + 5
      await server.db.query(
        `insert into grants (organization_key, resource_key, principal, kind, standing_role)
         select $1::uuid, $1::uuid, 'v' || lpad(i::text, 7, '0'), 'organization', 'viewer' from generate_series(1, ${many}) i`,
        [organizationKey({ apiKeyId: apiKeyOf(key) as never }, organizationId)],
      )
      const last = `v${String(many).padStart(7, '0')}`
      const seen = (await pages({ searchKey: last })) as { userId: string }[][]
      assert.deepEqual(seen, [[], [{ userId: last, accessRole: 'viewer' }]])
      const onBoth = (await pages({ searchKey: 'v00999' })) as { userId: string }[][]
      assert.equal(onBoth.length, 2)
      assert.equal(onBoth.flat().length, 100, 'the last user that a page examines can match, and is not the end')
      assert.equal(await count(), many + users.length)
    })
  })

  it('refuses incompatible targets and flags', async () => {
    refusedField(await get({ documentId: 'd', folderId: 'f' }), 'folderId')
    refusedField(await get({ folderId: 'root' }), 'folderId')
    refusedField(await get({ documentId: 'd', allDocuments: true }), 'allDocuments')
    refusedField(await get({ folderId: 'f', allDocuments: true }), 'allDocuments')
    refusedField(await get({ groupByDocumentId: true }), 'groupByDocumentId')
    refusedField(await get({ includeInvolvedDocuments: true }), 'userIds')
  })

  it('responds NOT_FOUND for a missing organization, folder or document', async () => {
    await key.post(addFolders.path, {
      organizationId: 'ghost',
      createOrganization: true,
      folders: [{ folderId: 'a', parentFolderId: 'nope' }],
    })
    const why = async (data: object) => refused(await get(data), 'NOT_FOUND').reason
    assert.equal(await why({ organizationId: 'other' }), 'organization_does_not_exist')
    assert.equal(await why({ organizationId: 'ghost' }), 'organization_does_not_exist')
    assert.equal(await why({ organizationId: 'other', documentId: 'd' }), 'organization_does_not_exist')
    assert.equal(await why({ documentId: 'd' }), 'document_does_not_exist')
    assert.equal(await why({ folderId: 'f' }), 'folder_does_not_exist')
  })

  it('returns the new id of a migrated document', async () => {
    await key.call(addDocuments, { organizationId, documents: [{ documentId: 'old' }] })
    await completeMigration(key, { organizationId, documentId: 'old', newDocumentId: 'new' })
    assert.deepEqual(refused(await get({ documentId: 'old' }), 'NOT_FOUND').details, { migratedTo: 'new' })
    assert.deepEqual(await list({ documentId: 'new' }), [])
  })
})

describe('users.count', () => {
  it('counts the users of the organization, a document, a folder, or all documents', async () => {
    await add([{ userId: 'ada' }, { userId: 'bob' }, { userId: 'carl' }])
    await add([{ userId: 'ada' }], { folderId: 'f' })
    await add([{ userId: 'ada' }, { userId: 'dora' }], { documentId: 'd1' })
    await add([{ userId: 'ada' }], { documentId: 'd2' })
    const all = [{}, { folderId: 'f' }, { documentId: 'd1' }, { documentId: 'd2' }, { allDocuments: true }]
    assert.deepEqual(await Promise.all(all.map((data) => count(data))), [3, 1, 2, 1, 2])
    for (const data of all) assert.equal(await count(data), (await ids(data)).length)
    for (const data of all)
      for (const userId of ['ada', 'bob', 'dora', 'nobody'])
        assert.equal(await count({ ...data, userId }), (await ids({ ...data, userIds: [userId] })).length)
  })

  it('refuses the same calls as users.get', async () => {
    const ask = (data: object) => key.post(countUsers.path, { organizationId, ...data })
    refusedField(await ask({ documentId: 'd', folderId: 'f' }), 'folderId')
    refusedField(await ask({ documentId: 'd', allDocuments: true }), 'allDocuments')
    assert.equal(refused(await ask({ documentId: 'd' }), 'NOT_FOUND').reason, 'document_does_not_exist')
    assert.equal(refused(await ask({ folderId: 'f' }), 'NOT_FOUND').reason, 'folder_does_not_exist')
    assert.equal(refused(await ask({ organizationId: 'x' }), 'NOT_FOUND').reason, 'organization_does_not_exist')
  })
})
