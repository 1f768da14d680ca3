/** The lists of access through the API. test/matrix/access-lists.test.ts compares them with all decisions of random worlds. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { listPermittedResources, listPermittedUsers } from '#contract/access/access-lists.ts'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addGrants } from '#contract/access/grants.ts'
import { addPermissions, type ResourceName } from '#contract/access/permissions.ts'
import type { ApiKeyId } from '#contract/core/ids.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments, disableDocuments, moveDocuments, setDocumentAccess } from '#contract/resources/documents.ts'
import { addFolders, setFolderAccess, updateFolders } from '#contract/resources/folders.ts'
import { disableOrganizations } from '#contract/resources/organizations.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type Acme, newAcme, organizationId } from '#testing/acme.ts'
import { type Answer, pagesOf } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../../test/conformance/support/callers.ts'
import { refused, refusedField } from '../../../../test/conformance/support/refused.ts'
import { LIST_BY_FOLDER } from './by-folder-statements.ts'
import { LIST_BY_SCAN } from './by-scan-statements.ts'
import { FIRST_KEY, outcomeOf, resourcesIn } from './listed-resources.ts'
import type { ListedKind } from './resource-statements.ts'

const server = await startServer()

let acme: Acme
beforeEach(async () => {
  server.clock.set(null)
  acme = await newAcme(server)
  await acme.key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
})

const document = (id: string) => ({ type: 'document' as const, id, organizationId })
const folder = (id: string) => ({ type: 'folder' as const, id, organizationId })
const organization = { type: 'organization' as const, id: organizationId }
const grant = (userId: string, resource: ResourceName, more: object = {}) =>
  acme.key.call(addPermissions, { user: { userId }, permissions: { resources: [{ ...resource, ...more }] } })

const resources = (data: object = {}) => acme.post(listPermittedResources, { userId: 'ada', ...data })
const users = (resource: ResourceName, data: object = {}) =>
  acme.key.post(listPermittedUsers.path, { resource, ...data })

interface Listed {
  type: string
  id: string
  userId: string
  accessRole: string
}

/** Reads all pages; returns the items and the sizes of the pages. */
async function readAll(read: (pageToken?: string) => Promise<Answer>) {
  const entries: Listed[] = []
  const sizes: number[] = []
  for await (const { data } of pagesOf(read)) {
    const page: Listed[] = data.resources ?? data.users
    entries.push(...page)
    sizes.push(page.length)
  }
  return { entries, sizes }
}
const idsOf = async (data: object = {}) =>
  (await readAll((pageToken) => resources({ ...data, pageToken }))).entries.map(({ id }) => id)
const userIdsOf = async (resource: ResourceName, data: object = {}) =>
  (await readAll((pageToken) => users(resource, { ...data, pageToken }))).entries.map(({ userId }) => userId)

const twoIn = (place: string) => [{ documentId: `${place} 1` }, { documentId: `${place} 2` }]

const numbered = <Item>(count: number, item: (nth: number) => Item) =>
  Array.from({ length: count }, (_, nth) => item(nth))

describe('permitted-resources.list', () => {
  it('lists the organization, then folders, then documents, each with its decision', async () => {
    await acme.addTree({ f: 'root', g: ['root', 'restricted'] })
    await acme.addDocuments('f', { documentId: 'd' })
    await acme.addDocuments('g', { documentId: 'e' })
    await grant('ada', organization, { accessRole: 'viewer', expiresAt: 4_000_000_000 })
    const { body } = await resources()
    const decision = { allowed: true, accessRole: 'viewer', reason: 'grant', expiresAt: 4_000_000_000 }
    const inherited = {
      ...decision,
      accessType: 'restricted',
      via: { type: 'organization', id: 'acme', inherited: true },
    }
    assert.deepEqual(body.result.data.resources, [
      { ...organization, ...decision, via: { type: 'organization', id: 'acme', inherited: false } },
      { ...folder('f'), ...inherited },
      { ...document('d'), ...inherited },
    ])
    assert.equal(body.result.nextPageToken, undefined)
  })

  it('lists declared resources, and no disabled ones', async () => {
    await grant('ada', folder('declared'))
    await grant('ada', document('also'))
    await acme.addDocuments('root', { documentId: 'off', accessType: 'public' })
    await acme.call(disableDocuments, { documentIds: ['off'], disabled: true })
    assert.deepEqual(await idsOf(), ['declared', 'also'])
    await acme.key.call(disableOrganizations, { organizationIds: [organizationId], disabled: true })
    assert.deepEqual(await idsOf(), [])
  })

  it('filters by type, by folder including its contents, and by role', async () => {
    await acme.addTree({ f: 'root', g: 'f', other: 'root' })
    await acme.addDocuments('g', { documentId: 'in g' }, { documentId: 'public', accessType: 'public' })
    await acme.addDocuments('other', { documentId: 'elsewhere', accessType: 'public' })
    await grant('ada', folder('f'), { accessRole: 'viewer' })
    await grant('ada', document('in g'), { accessRole: 'editor' })
    assert.deepEqual(new Set(await idsOf({ folderId: 'f' })), new Set(['f', 'g', 'in g', 'public']))
    assert.deepEqual(new Set(await idsOf({ folderId: 'g' })), new Set(['g', 'in g', 'public']))
    assert.deepEqual(await idsOf({ folderId: 'other', types: ['folder'] }), [])
    assert.deepEqual(new Set(await idsOf({ folderId: 'root' })), new Set(await idsOf()))
    assert.deepEqual(new Set(await idsOf({ types: ['folder'] })), new Set(['f', 'g']))
    assert.deepEqual(new Set(await idsOf({ atLeast: 'editor' })), new Set(['in g', 'elsewhere']))
  })

  const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1)

  it('decides documents of all folders below the nearest grant or access type as permissions.check does', async () => {
    await acme.addTree({
      a: 'root',
      b: 'a',
      c: 'b',
      e: 'c',
      f: 'b',
      g: ['e', 'public'],
      h: 'g',
      i: ['h', 'restricted'],
    })
    for (const place of ['root', ...'abcefghi']) await acme.addDocuments(place, ...twoIn(place))
    await acme.key.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'staff' }] })
    await grant('ada', organization, { accessRole: 'viewer', expiresAt: 4_000_000_000 })
    await acme.key.call(addUserGroupUsers, { organizationId, organizationUserGroupId: 'staff', userIds: ['ada'] })
    await grant('ada', folder('b'), { accessRole: 'viewer' })
    await grant('ada', folder('b'), { accessRole: 'editor', expiresAt: 3_000_000_000 })
    const staff = { organizationId, groupId: 'staff' }
    await acme.key.call(addPermissions, {
      group: staff,
      permissions: { resources: [{ ...folder('e'), accessRole: 'editor' }] },
    })
    await grant('ada', document('h 1'))
    for (const now of [2_999_999_999, 3_000_000_000, 4_000_000_000])
      for (const atLeast of [undefined, 'editor'] as const) {
        server.clock.set(new Date(now * 1000))
        const { body } = await resources({ types: ['document'], atLeast })
        const ids = ['root', ...'abcefghi'].flatMap((place) => twoIn(place).map(({ documentId }) => documentId))
        const checks = ids.map((id) => ({ userId: 'ada', resource: document(id), atLeast }))
        const { checks: decided } = await acme.key.call(checkPermissions, { checks })
        const allowed = ids.flatMap((id, nth) => (decided[nth]?.allowed ? [{ ...document(id), ...decided[nth] }] : []))
        const listed: Listed[] = body.result.data.resources
        assert.deepEqual(listed.toSorted(byId), allowed.sort(byId), `${now} ${atLeast}`)
      }
  })

  it('lists the documents of the deepest folder for a user in thousands of groups', async () => {
    await grant('ada', organization)
    await acme.call(addUserGroups, { organizationUserGroups: [{ groupId: 'g' }] })
    await acme.key.call(addGrants, { grants: [{ groupId: 'g', ...organization }] })
    await server.db.query(
      `with made as (insert into user_groups (organization_key, group_id)
         select organization_key, 'g' || n from organizations, generate_series(1, 2000) n where api_key_id = $1
         returning organization_key, group_id)
       insert into user_group_members select organization_key, group_id, 'ada' from made`,
      [apiKeyOf(acme.key)],
    )
    const tree = numbered(100, (nth) => [`f${nth}`, nth === 0 ? 'root' : `f${nth - 1}`])
    await acme.addTree(Object.fromEntries(tree))
    await acme.addDocuments('f99', { documentId: 'd' }, { documentId: 'e' })
    assert.deepEqual((await idsOf({ folderId: 'f99', types: ['document'], atLeast: 'editor' })).sort(), ['d', 'e'])
  })

  it('lists the folders of a user with more grants than are compared at once', async () => {
    const folders = numbered(150, (nth) => `f${nth}`)
    await acme.call(addFolders, { folders: folders.map((folderId) => ({ folderId })) })
    await acme.addDocuments('f7', { documentId: 'd' })
    for (const id of folders) await grant('ada', folder(id), { accessRole: 'viewer' })
    assert.deepEqual(new Set(await idsOf()), new Set([...folders, 'd']))
    assert.deepEqual(await idsOf({ atLeast: 'editor' }), [])
  })

  it('returns the same list with any page size for a user with access to very many folders', async () => {
    const folders = numbered(300, (nth) => `f${nth}`)
    await acme.call(addFolders, {
      folders: folders
        .map((folderId) => ({ folderId, parentFolderId: 'top' }))
        .concat([{ folderId: 'top', parentFolderId: 'root' }]),
    })
    for (const folderId of folders.slice(0, 50))
      await acme.addDocuments(
        folderId,
        ...numbered(3, (nth) => `${folderId} ${nth}`).map((documentId) => ({ documentId })),
      )
    await acme.addTree({ closed: 'root' })
    await acme.addDocuments('closed', ...numbered(20, (nth) => `closed ${nth}`).map((documentId) => ({ documentId })))
    await grant('ada', folder('top'))
    const whole = await idsOf()
    assert.equal(new Set(whole).size, 301 + 150)
    assert.equal(whole.length, 301 + 150)
    for (const pageSize of [1, 7, 100]) assert.deepEqual(await idsOf({ pageSize }), whole)
  })

  describe('with very many open folders', () => {
    const inside = (folderId: string) => `in ${folderId}`
    const documents = async () => (await idsOf({ types: ['document'], pageSize: 7 })).toSorted()
    const move = (folderId: string, parentFolderId: string) =>
      acme.call(updateFolders, { folders: [{ folderId, parentFolderId }] })
    const addInside = async (parentFolderId: string, ...folderIds: string[]) => {
      await acme.call(addFolders, { folders: folderIds.map((folderId) => ({ folderId, parentFolderId })) })
      for (const folderId of folderIds) await acme.addDocuments(folderId, { documentId: inside(folderId) })
    }

    const inKeyOrder = async (...ids: string[]): Promise<string[]> => {
      const { rows } = await server.db.query(
        'select id from resources where organization_key = $1 and id = any($2) order by resource_key',
        [organizationKey({ apiKeyId: apiKeyOf(acme.key) as ApiKeyId }, organizationId), ids],
      )
      return (rows as { id: string }[]).map(({ id }) => id)
    }

    it('lists their documents after these, or their folders, were moved, and public ones elsewhere', async () => {
      const others = numbered(6, (nth) => `other ${nth}`)
      await grant('bob', folder('declared'))
      await addInside('root', 'top', 'closed', 'from', ...others)
      await addInside('top', 'out', 'declared', 'to root', ...numbered(130, (nth) => `f${nth}`))
      await addInside('from', 'into')
      await addInside('into', 'inside into')
      await acme.addDocuments('closed', { documentId: 'public', accessType: 'public' }, { documentId: 'moved' })
      await grant('ada', folder('top'))
      const before = ['top', 'declared', ...numbered(130, (nth) => `f${nth}`)].map(inside).concat('public')
      assert.deepEqual(await documents(), [...before, 'in out', 'in to root'].sort())
      await move('into', 'f7')
      await move('out', 'closed')
      await move('to root', 'root')
      await acme.call(moveDocuments, { documentIds: ['moved'], folderId: 'f5' })
      await addInside('inside into', 'added afterwards')
      const after = [...before, 'moved', ...['into', 'inside into', 'added afterwards'].map(inside)]
      assert.deepEqual(await documents(), after.toSorted())
      for (const id of others) await move(id, 'f9') // more than are merged
      assert.deepEqual(await documents(), [...after, ...others.map(inside)].sort())
    })

    it('lists their documents if more folders were moved there than a statement examines', async () => {
      await addInside('root', 'top', 'last', 'many')
      await addInside('top', 'f0', 'f1')
      await addInside('many', ...numbered(120, (nth) => `m${nth}`))
      await grant('ada', folder('top'))
      // Moved folders are found in the order of their paths.
      const [first, last] = (await inKeyOrder('f0', 'f1')) as [string, string]
      await move('many', first)
      await move('last', last)
      const all = ['top', 'f0', 'f1', 'last', 'many', ...numbered(120, (nth) => `m${nth}`)]
      assert.deepEqual(await documents(), all.map(inside).sort())
    })

    const WAYS = {
      grants: (ids: string[]) => Promise.all(ids.map((id) => grant('ada', folder(id)))),
      'access types': (folderIds: string[]) => acme.call(setFolderAccess, { folderIds, accessType: 'public' }),
    }
    for (const [way, open] of Object.entries(WAYS))
      it(`lists their documents if more ${way} open them than a statement examines`, async () => {
        const many = numbered(200, (nth) => `f${nth}`)
        const few = numbered(20, (nth) => `g${nth}`)
        await addInside('root', 'a', 'b')
        await addInside('a', ...many)
        await addInside('b', ...few)
        const ids = [...(await inKeyOrder(...many)).slice(0, 120), ...(await inKeyOrder(...few)).slice(-1)]
        await open(ids)
        assert.deepEqual(await documents(), ids.map(inside).sort())
      })
  })

  it('fills its pages although very many documents must be left out', async () => {
    const ids = numbered(3_000, (nth) => `d${nth}`)
    for (let start = 0; start < ids.length; start += 1_000)
      await acme.call(addDocuments, {
        documents: ids.slice(start, start + 1_000).map((documentId) => ({ documentId, accessType: 'public' })),
      })
    await grant('ada', organization, { accessRole: 'viewer' })
    for (const id of ['d7', 'd1500', 'd2999']) await grant('ada', document(id))
    const { entries, sizes } = await readAll((pageToken) => resources({ atLeast: 'editor', pageSize: 2, pageToken }))
    assert.deepEqual(new Set(entries.map(({ id }) => id)), new Set(['d7', 'd1500', 'd2999']))
    assert.deepEqual(sizes, [2, 1])
  })

  /** Returns the result of one statement that starts after the given key. */
  const search = async (kind: ListedKind, statements: typeof LIST_BY_FOLDER, afterKey = FIRST_KEY) => {
    const organizationKeyOfAcme = organizationKey({ apiKeyId: apiKeyOf(acme.key) as ApiKeyId }, organizationId)
    const asked = { organizationKey: organizationKeyOfAcme, userId: 'ada', folderId: null, atLeast: 'editor' } as const
    const limits = {
      defaultAccessType: 'restricted',
      defaultAccessRole: 'editor',
      decisions: 1_000,
      examinedMax: 20_000,
    } as const
    const rows = await server.db.runSet(statements[kind], [{ req: 0, ...asked, ...limits, afterKey }])
    return { ids: resourcesIn(rows, kind, organizationId).map(({ resource }) => resource.id), ...outcomeOf(rows) }
  }

  it('limits the search of one statement among the deepest folders, and finds all of them in the end', async () => {
    await acme.addTree(
      Object.fromEntries(numbered(99, (nth) => `f${nth}`).map((id, nth, all) => [id, all[nth - 1] ?? 'root'])),
    )
    const deepest = numbered(2_000, (nth) => ({ folderId: `deep ${nth}`, parentFolderId: 'f98' }))
    for (const start of [0, 1_000]) await acme.call(addFolders, { folders: deepest.slice(start, start + 1_000) })
    await grant('ada', folder('f0'), { accessRole: 'viewer' })
    const own = ['deep 7', 'deep 1000', 'deep 1999']
    for (const id of own) await grant('ada', folder(id), { accessRole: 'editor' })
    assert.equal((await search('folder', LIST_BY_FOLDER)).tooMany, true)
    const first = await search('folder', LIST_BY_SCAN)
    assert.ok(first.examinedTo)
    const second = await search('folder', LIST_BY_SCAN, first.examinedTo)
    assert.equal(second.examinedTo, null)
    assert.deepEqual([...first.ids, ...second.ids].sort(), own.toSorted())
    assert.deepEqual((await idsOf({ atLeast: 'editor' })).sort(), own.toSorted())
  })

  it('examines nothing in a disabled organization', async () => {
    await acme.addDocuments('root', ...numbered(1_000, (nth) => ({ documentId: `d${nth}`, accessType: 'public' })))
    await acme.key.call(disableOrganizations, { organizationIds: [organizationId], disabled: true })
    for (const strategy of [LIST_BY_FOLDER, LIST_BY_SCAN]) {
      const { ids, examinedTo } = await search('document', strategy)
      assert.deepEqual({ ids, examinedTo }, { ids: [], examinedTo: null })
    }
  })

  it('refuses a missing organization or folder, and a token of another query', async () => {
    refused(await acme.post(listPermittedResources, { organizationId: 'nope', userId: 'ada' }), 'NOT_FOUND')
    assert.equal(refused(await resources({ folderId: 'nope' }), 'NOT_FOUND').reason, 'folder_does_not_exist')
    await grant('ada', document('d'))
    await grant('ada', document('e'))
    const { body } = await resources({ pageSize: 1 })
    const pageToken = body.result.nextPageToken
    refusedField(await resources({ pageToken, userId: 'bob' }), 'pageToken', /does not belong to this query/)
    refusedField(await resources({ pageToken, types: ['document'] }), 'pageToken', /does not belong to this query/)
    assert.equal((await resources({ pageToken, pageSize: 7 })).http, 200)
  })
})

describe('permitted-users.list', () => {
  it('lists users with access by a grant up to the boundary or by membership, in id order, with the decision', async () => {
    await acme.addTree({ f: ['root', 'organizationPrivate'], g: ['f', 'restricted'] })
    await acme.addDocuments('g', { documentId: 'd' })
    await grant('member', organization)
    await grant('by folder', folder('f'), { accessRole: 'viewer' })
    await grant('by document', document('d'))
    await grant('by both', folder('g'))
    await grant('by both', document('d'), { accessRole: 'viewer' })
    await grant('over', folder('f'), { expiresAt: 1 })
    assert.deepEqual(await userIdsOf(organization), ['member'])
    assert.deepEqual(await userIdsOf(folder('f')), ['by folder', 'member'])
    assert.deepEqual(await userIdsOf(folder('f'), { atLeast: 'editor' }), ['member'])
    assert.deepEqual(await userIdsOf(document('d')), ['by both', 'by document'])
    const { body } = await users(document('d'), { pageSize: 1 })
    assert.deepEqual(body.result.data, {
      users: [
        {
          userId: 'by both',
          allowed: true,
          accessRole: 'viewer',
          accessType: 'restricted',
          reason: 'grant',
          via: { type: 'document', id: 'd', inherited: false },
        },
      ],
      everyone: false,
    })
    assert.deepEqual(await userIdsOf(document('d'), { pageSize: 1 }), ['by both', 'by document'])
  })

  it('returns everyone: true for a public resource, and lists users with live grants anywhere above', async () => {
    await acme.addTree({ f: 'root' })
    await acme.addDocuments('f', { documentId: 'd', accessType: 'public' })
    await grant('member', organization, { accessRole: 'viewer' })
    await grant('by folder', folder('f'))
    await grant('over', folder('f'), { expiresAt: 1 })
    const { data } = (await users(document('d'))).body.result
    assert.deepEqual([data.everyone, data.everyoneRole], [true, 'editor'])
    assert.deepEqual(
      data.users.map(({ userId, accessRole, reason }: Listed & { reason: string }) => [userId, accessRole, reason]),
      [
        ['by folder', 'editor', 'access_type'],
        ['member', 'viewer', 'access_type'],
      ],
    )
    await acme.call(setDocumentAccess, { documentIds: ['d'], accessType: 'restricted' })
    assert.deepEqual((await users(document('d'))).body.result.data, { users: [], everyone: false })
  })

  it('returns the default role of the key as everyoneRole, and everyone: false if a stronger one is requested', async () => {
    await acme.key.call(updateKeyConfig, { defaultAccessRole: 'viewer' })
    await acme.addDocuments('root', { documentId: 'd', accessType: 'public' })
    await grant('ada', document('d'))
    await grant('bob', document('d'), { accessRole: 'viewer' })
    const answer = async (more?: object) => {
      const { data } = (await users(document('d'), more)).body.result
      return { ...data, users: data.users.map(({ userId }: Listed) => userId) }
    }
    assert.deepEqual(await answer(), { users: ['ada', 'bob'], everyone: true, everyoneRole: 'viewer' })
    assert.deepEqual(await answer({ atLeast: 'editor' }), { users: ['ada'], everyone: false })
  })

  it('lists nobody for a disabled resource', async () => {
    await acme.addDocuments('root', { documentId: 'd', accessType: 'public' })
    await grant('ada', document('d'))
    await acme.call(disableDocuments, { documentIds: ['d'], disabled: true })
    assert.deepEqual((await users(document('d'))).body.result.data, { users: [], everyone: false })
  })

  it('refuses a missing or incomplete resource, and returns the new id of a migrated document', async () => {
    assert.equal(refused(await users(document('nope')), 'NOT_FOUND').reason, 'document_does_not_exist')
    assert.equal(refused(await users(folder('nope')), 'NOT_FOUND').reason, 'folder_does_not_exist')
    const other = { type: 'organization' as const, id: 'nope' }
    assert.equal(refused(await users(other), 'NOT_FOUND').reason, 'organization_does_not_exist')
    refusedField(await users({ type: 'document', id: 'd' }), 'resource.organizationId', /required/)
  })
})
