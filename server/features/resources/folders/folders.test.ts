/** Adding folders (rules/resources.md#adding, rules/resources.md#folders). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { getPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../../test/conformance/support/callers.ts'
import { eventsDuring } from '../../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../../test/conformance/support/refused.ts'

const server = await sharedServer()
const organizationId = 'acme'
let key: Client
beforeEach(async () => {
  key = await server.newKey()
  await key.call(addOrganizations, { organizations: [{ organizationId }] })
})

const add = (...folders: object[]) => key.post(addFolders.path, { organizationId, folders })
const results = async (...folders: object[]) => (await add(...folders)).body.result.data
const eventsWhile = (work: () => Promise<unknown>) => eventsDuring(server.db, apiKeyOf(key), work)
const decision = async (folderId: string, userId = 'ada') => {
  const answer = await key.call(getPermissions, { organizationId, userIds: [userId], folderIds: [folderId] })
  return answer[userId]?.folders?.[folderId]
}
const failedItem = (id: string, code: string, message: string) => ({
  success: false,
  id,
  message,
  code,
  retryable: false,
})

describe('folders.add', () => {
  it('adds folders, at the top level or inside others of the same call, in any order', async () => {
    const added = await results(
      { folderId: 'c', parentFolderId: 'b' },
      { folderId: 'b', parentFolderId: 'a' },
      { folderId: 'a', folderName: 'A', parentFolderId: 'root', accessType: 'restricted' },
      { folderId: 'other' },
    )
    assert.deepEqual(added.a, { success: true, id: 'a', message: 'Folder created successfully.' })
    for (const id of ['a', 'b', 'c', 'other']) assert.equal(added[id].success, true)
    assert.equal((await decision('c'))?.accessType, 'restricted')
    assert.equal((await decision('other'))?.accessType, 'public')
  })

  it('lets a folder follow its parent unless it has an access type of its own', async () => {
    await add(
      { folderId: 'closed', accessType: 'restricted' },
      { folderId: 'open', parentFolderId: 'closed', accessType: 'public' },
    )
    await add({ folderId: 'inner', parentFolderId: 'open' })
    assert.equal((await decision('closed'))?.reason, 'no_grant')
    assert.equal((await decision('inner'))?.reason, 'access_type')
  })

  it('lets the last of two items with one id win', async () => {
    await add({ folderId: 'x', accessType: 'public' }, { folderId: 'x', accessType: 'restricted' })
    assert.equal((await decision('x'))?.accessType, 'restricted')
  })

  it('accepts 1,000 items in a call', async () => {
    const added = await results(
      ...Array.from({ length: 1_000 }, (_, index) => ({
        folderId: `f${index}`,
        parentFolderId: index < 10 ? 'root' : `f${index % 10}`,
      })),
    )
    assert.equal(Object.values(added).filter((item) => (item as { success: boolean }).success).length, 1_000)
  })

  it('supports ids that are names of inherited object properties', async () => {
    const ids = ['__proto__', 'constructor', 'toString']
    const added = await results(...ids.map((folderId) => ({ folderId })))
    assert.deepEqual(Object.keys(added), ids)
  })

  it('adopts a declared folder with its grants', async () => {
    const resource = { type: 'folder', id: 'granted', organizationId, accessRole: 'viewer' } as const
    await key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources: [resource] } })
    assert.equal((await results({ folderId: 'granted', accessType: 'restricted' })).granted.success, true)
    assert.equal((await decision('granted'))?.accessRole, 'viewer')
    assert.equal((await results({ folderId: 'granted' })).granted.code, 'already-exists')
  })

  describe('items that fail', () => {
    it('are those that exist; the others are added', async () => {
      await add({ folderId: 'a' })
      assert.deepEqual(await results({ folderId: 'a' }, { folderId: 'b', parentFolderId: 'a' }), {
        a: failedItem('a', 'already-exists', 'The folder already exists.'),
        b: { success: true, id: 'b', message: 'Folder created successfully.' },
      })
    })

    it('are those whose parent is missing, with everything below them', async () => {
      const answer = await results(
        { folderId: 'a', parentFolderId: 'nope' },
        { folderId: 'b', parentFolderId: 'a' },
        { folderId: 'c' },
      )
      assert.deepEqual(answer.a, failedItem('a', 'not-found', 'The parent folder does not exist.'))
      assert.deepEqual(answer.b, failedItem('b', 'not-found', 'The parent folder does not exist.'))
      assert.equal(answer.c.success, true)
    })

    it('are those whose parent is only declared', async () => {
      const resource = { type: 'folder', id: 'declared', organizationId } as const
      await key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources: [resource] } })
      assert.equal((await results({ folderId: 'x', parentFolderId: 'declared' })).x.code, 'not-found')
    })

    it('are those that would be inside themselves, and a folder named root', async () => {
      const answer = await results(
        { folderId: 'a', parentFolderId: 'b' },
        { folderId: 'b', parentFolderId: 'a' },
        { folderId: 'self', parentFolderId: 'self' },
        { folderId: 'root' },
      )
      for (const id of ['a', 'b', 'self', 'root']) assert.equal(answer[id].code, 'invalid-argument', id)
    })

    it('are those more than 100 levels deep', async () => {
      const chain = Array.from({ length: 101 }, (_, level) => ({
        folderId: `l${level + 1}`,
        ...(level === 0 ? {} : { parentFolderId: `l${level}` }),
      }))
      const answer = await results(...chain)
      assert.equal(answer.l100.success, true)
      assert.deepEqual(
        answer.l101,
        failedItem('l101', 'invalid-argument', 'Folders can be nested at most 100 levels deep.'),
      )
    })
  })

  describe('the organization', () => {
    it('must exist', async () => {
      const answer = await key.post(addFolders.path, { organizationId: 'nope', folders: [{ folderId: 'a' }] })
      assert.equal(refused(answer, 'NOT_FOUND').reason, 'organization_does_not_exist')
    })

    it('is created with createOrganization, unless no folder is added', async () => {
      const create = (id: string, folder: object) =>
        key.post(addFolders.path, { organizationId: id, createOrganization: true, folders: [folder] })
      assert.equal((await create('new', { folderId: 'a' })).http, 200)
      assert.equal((await create('ghost', { folderId: 'a', parentFolderId: 'nope' })).http, 200)
      const ids = (await key.call(getOrganizations, {})).map(({ id }) => id)
      assert.deepEqual(ids, ['acme', 'new'])
    })
  })

  it('refuses unknown fields: folders have no metadata', async () => {
    refusedField(await add({ folderId: 'a', note: 'red' }), 'folders[0].note', 'folders[0].note is not a known field')
  })

  it('writes an event for each folder, and none for one that fails', async () => {
    const call = () =>
      add({ folderId: 'b', parentFolderId: 'a' }, { folderId: 'a', folderName: 'A', accessType: 'restricted' })
    const [a, b, ...more] = await eventsWhile(call)
    assert.equal(more.length, 0)
    assert.deepEqual([a?.type, a?.resourceKind, a?.resourceId], ['folder.added', 'folder', 'a'])
    assert.deepEqual(a?.after, { folderName: 'A', parentFolderId: 'root', accessType: 'restricted' })
    assert.deepEqual([b?.resourceId, b?.after.parentFolderId, b?.before], ['b', 'a', null])
    assert.deepEqual(await eventsWhile(call), [])
  })
})
