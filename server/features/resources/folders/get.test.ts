/** Reading folders: a flat, paged list, or one folder with its contents. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import {
  addFolders,
  deleteFolder,
  type FolderRecord,
  getFolders,
  setFolderAccess,
  updateFolders,
} from '#contract/resources/folders.ts'
import { type Acme, newAcme, organizationId } from '#testing/acme.ts'
import { pagesOf } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../../test/conformance/support/callers.ts'
import { refused, refusedField } from '../../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let acme: Acme
beforeEach(async () => {
  acme = await newAcme(server)
})

const get = (data: object = {}): Promise<FolderRecord[]> => acme.call(getFolders, data)
const idsOf = (folders: FolderRecord[]) => folders.map(({ folderId }) => folderId)
const treeOf = async (folderId: string, more: object = {}) => {
  const [folder, ...others] = await get({ folderId, ...more })
  assert.ok(folder !== undefined && others.length === 0)
  return folder
}
/** Returns only the ids of a tree: `{ a: { b: {} } }`. */
type Ids = { [id: string]: Ids }
const shape = ({ folderId, subFolders }: FolderRecord): Ids => ({
  [folderId]: Object.assign({}, ...(subFolders ?? []).map(shape)),
})

describe('folders.get', () => {
  it('returns the named folders in the order of the request, without those that do not exist', async () => {
    await acme.addTree({ b: 'a', c: 'b', a: 'root' })
    await acme.grant('folder', 'declared', 'ada')
    const folders = await get({ folderIds: ['c', 'nope', 'a', 'declared', 'c'] })
    assert.deepEqual(idsOf(folders), ['c', 'a'])
    assert.deepEqual(folders[0]?.ancestors, ['root', 'a', 'b'])
    assert.deepEqual(await (await newAcme(server)).call(getFolders, { folderIds: ['a'] }), [])
    for (const other of [{ folderId: 'a' }, { parentFolderId: 'a' }, { rootFoldersOnly: true }])
      refusedField(await acme.post(getFolders, { folderIds: ['a'], ...other }), 'folderIds')
  })

  it('returns the record of each folder', async () => {
    const before = Date.now()
    await acme.addTree({ b: ['a', 'restricted'], c: 'b', a: 'root' })
    await acme.call(updateFolders, { folders: [{ folderId: 'c', folderName: 'C' }] })
    const folders = await get()
    const [{ createdAt, lastUpdated } = { createdAt: 0, lastUpdated: 0 }] = folders
    for (const time of [createdAt, lastUpdated]) assert.ok(time >= before - 1_000 && time <= Date.now() + 1_000)
    const shared = { organizationId, apiKey: apiKeyOf(acme.key) }
    assert.deepEqual(
      folders.map(({ createdAt, lastUpdated, ...folder }) => folder),
      [
        {
          folderId: 'a',
          ...shared,
          parentFolderId: 'root',
          ancestors: ['root'],
          accessType: 'public',
          inheritAccessFromParent: true,
        },
        {
          folderId: 'b',
          ...shared,
          parentFolderId: 'a',
          ancestors: ['root', 'a'],
          accessType: 'restricted',
          inheritAccessFromParent: false,
        },
        {
          folderId: 'c',
          folderName: 'C',
          ...shared,
          parentFolderId: 'b',
          ancestors: ['root', 'a', 'b'],
          accessType: 'restricted',
          inheritAccessFromParent: true,
        },
      ],
    )
  })

  it("returns the API key's default access type if no folder above has one", async () => {
    await acme.addTree({ a: 'root', b: ['a', 'public'] })
    await server.db.query(`update api_keys set default_access_type = 'restricted' where api_key_id = $1`, [
      apiKeyOf(acme.key),
    ])
    assert.deepEqual(
      (await get()).map(({ accessType }) => accessType),
      ['restricted', 'public'],
    )
  })

  it('updates lastUpdated when the folder itself changes, and createdAt never', async () => {
    await acme.addTree({ a: 'root', b: 'a', x: 'root' })
    const times = async () => (await get()).map(({ createdAt, lastUpdated }) => [createdAt, lastUpdated] as const)
    const added = await times()
    for (const [createdAt, lastUpdated] of added) assert.equal(createdAt, lastUpdated)
    let before = added
    for (const change of [
      () => acme.call(updateFolders, { folders: [{ folderId: 'a', folderName: 'A' }] }),
      () => acme.call(updateFolders, { folders: [{ folderId: 'a', parentFolderId: 'x' }] }),
      () => acme.call(setFolderAccess, { folderIds: ['a'], accessType: 'restricted' }),
    ]) {
      await change()
      const after = await times()
      assert.ok((after[0]?.[1] ?? 0) > (before[0]?.[1] ?? 0))
      assert.deepEqual(after.slice(1), added.slice(1))
      assert.equal(after[0]?.[0], added[0]?.[0])
      await change()
      assert.deepEqual(await times(), after)
      before = after
    }
  })

  it('lists neither declared nor deleted folders', async () => {
    await acme.addTree({ a: 'root', gone: 'root' })
    await acme.grant('folder', 'declared', 'ada')
    await acme.call(deleteFolder, { folderId: 'gone' })
    assert.deepEqual(idsOf(await get()), ['a'])
    assert.deepEqual(idsOf(await get({ rootFoldersOnly: true })), ['a'])
    for (const folderId of ['declared', 'gone', 'nope'])
      assert.equal(refused(await acme.post(getFolders, { folderId }), 'NOT_FOUND').reason, 'folder_does_not_exist')
  })

  it('responds NOT_FOUND for a missing organization', async () => {
    for (const more of [{}, { folderId: 'a' }, { rootFoldersOnly: true }]) {
      const answer = await acme.post(getFolders, { organizationId: 'nope', ...more })
      assert.equal(refused(answer, 'NOT_FOUND').reason, 'organization_does_not_exist')
    }
  })

  describe('without folderId', () => {
    const top = ['A', 'a', 'a-', 'b', 'é', '😀']
    beforeEach(() =>
      acme.addTree({
        ...Object.fromEntries(top.map((id) => [id, 'root'])),
        Z: 'a',
        inner: 'Z',
        z: 'b',
        b1: 'b',
        b2: 'b',
        b3: 'b',
      }),
    )

    it('returns the same folders in the same order with any page size', async () => {
      for (const [more, ids] of [
        [{}, ['A', 'Z', 'a', 'a-', 'b', 'b1', 'b2', 'b3', 'inner', 'z', 'é', '😀']],
        [{ rootFoldersOnly: true }, top],
        [{ parentFolderId: 'root' }, top],
        [{ parentFolderId: 'b' }, ['b1', 'b2', 'b3', 'z']],
      ] as const)
        for (const pageSize of [1, 2, 7, 1_000]) {
          const seen: string[] = []
          for await (const { data } of pagesOf((pageToken) =>
            acme.post(getFolders, { ...more, pageSize, pageToken }),
          )) {
            assert.ok(data.length > 0 && data.length <= pageSize)
            seen.push(...idsOf(data))
          }
          assert.deepEqual(seen, ids)
        }
    })

    it('is flat', async () => {
      assert.ok((await get()).every((folder) => !('subFolders' in folder)))
    })

    it('accepts a page token only for the same query', async () => {
      const { nextPageToken: pageToken } = (await acme.post(getFolders, { pageSize: 1 })).body.result
      assert.deepEqual(idsOf(await get({ pageSize: 1, pageToken })), ['Z'])
      refusedField(await acme.post(getFolders, { rootFoldersOnly: true, pageToken }), 'pageToken')
      refusedField(await acme.post(getFolders, { parentFolderId: 'a', pageToken }), 'pageToken')
      const other = await newAcme(server)
      refusedField(await other.post(getFolders, { pageToken }), 'pageToken')
    })

    it('lists the contents of a folder in pages, and refuses one that is missing or named twice', async () => {
      assert.deepEqual(idsOf(await get({ parentFolderId: 'inner' })), [])
      const nowhere = await acme.post(getFolders, { parentFolderId: 'nope' })
      assert.equal(refused(nowhere, 'NOT_FOUND').reason, 'folder_does_not_exist')
      for (const other of [{ folderId: 'a' }, { rootFoldersOnly: true }])
        refusedField(await acme.post(getFolders, { ...other, parentFolderId: 'a' }), 'parentFolderId')
    })

    it('returns an empty list if there are none', async () => {
      const { result } = (await (await newAcme(server)).post(getFolders)).body
      assert.deepEqual([result.data, result.nextPageToken], [[], undefined])
    })
  })

  describe('with folderId', () => {
    beforeEach(() => acme.addTree({ a: 'root', b: 'a', b2: 'a', c: 'b', d: 'c', other: 'root' }))

    it('nests contents to maxDepth levels, one by default', async () => {
      const depths = {
        0: { a: {} },
        1: { a: { b: {}, b2: {} } },
        2: { a: { b: { c: {} }, b2: {} } },
        3: { a: { b: { c: { d: {} } }, b2: {} } },
      }
      for (const [maxDepth, ids] of Object.entries(depths))
        assert.deepEqual(shape(await treeOf('a', { maxDepth: Number(maxDepth) })), ids)
      assert.deepEqual(shape(await treeOf('a')), depths[1])
      assert.deepEqual(shape(await treeOf('a', { maxDepth: 100 })), depths[3])
      refusedField(await acme.post(getFolders, { folderId: 'a', maxDepth: 101 }), 'maxDepth')
    })

    it('has no subFolders on folders without any, and records as complete as in the list', async () => {
      const withoutInner = ({ subFolders, ...folder }: FolderRecord): FolderRecord[] => [
        folder,
        ...(subFolders ?? []).flatMap(withoutInner),
      ]
      const records = withoutInner(await treeOf('a', { maxDepth: 100 })).sort((one, other) =>
        one.folderId < other.folderId ? -1 : 1,
      )
      assert.deepEqual(
        records,
        (await get()).filter(({ folderId }) => folderId !== 'other'),
      )
      assert.ok(!('subFolders' in (await treeOf('d', { maxDepth: 5 }))))
      assert.deepEqual((await treeOf('c')).ancestors, ['root', 'a', 'b'])
    })

    it('follows moves', async () => {
      await acme.call(updateFolders, { folders: [{ folderId: 'c', parentFolderId: 'other' }] })
      assert.deepEqual(shape(await treeOf('a', { maxDepth: 100 })), { a: { b: {}, b2: {} } })
      assert.deepEqual(shape(await treeOf('other', { maxDepth: 100 })), { other: { c: { d: {} } } })
    })

    it('returns up to 100 levels', async () => {
      const chain = Array.from({ length: 100 }, (_, level) => [`l${level}`, level === 0 ? 'root' : `l${level - 1}`])
      await acme.addTree(Object.fromEntries(chain))
      let folder: FolderRecord | undefined = await treeOf('l0', { maxDepth: 100 })
      let levels = 0
      for (; folder !== undefined; folder = folder.subFolders?.[0]) levels++
      assert.equal(levels, 100)
    })

    it('returns at most 10,000 folders', async () => {
      await acme.addTree({ many: 'root' })
      for (let at = 0; at < 9_999; at += 1_000) {
        const count = Math.min(1_000, 9_999 - at)
        const folders = Array.from({ length: count }, (_, index) => ({
          folderId: `m${at + index}`,
          parentFolderId: 'many',
        }))
        await acme.call(addFolders, { folders })
      }
      assert.equal((await treeOf('many')).subFolders?.length, 9_999)
      await acme.addTree({ one: 'm0' })
      assert.equal((await treeOf('many')).subFolders?.length, 9_999)
      const error = refused(await acme.post(getFolders, { folderId: 'many', maxDepth: 2 }), 'RESOURCE_EXHAUSTED')
      assert.equal(error.reason, 'too_many_folders')
      assert.match(error.message, /more than 10000 folders/)
    })

    it('is refused when its folders have more than 100,000 ancestors together', async () => {
      const chain = Array.from({ length: 99 }, (_, index) => [`c${index}`, index === 0 ? 'root' : `c${index - 1}`])
      await acme.addTree(Object.fromEntries(chain))
      const addLeaves = (folderIds: string[]) =>
        acme.call(addFolders, { folders: folderIds.map((folderId) => ({ folderId, parentFolderId: 'c98' })) })
      // The chain has 0 + 1 + … + 98 = 4,851; each leaf has 99.
      await addLeaves(Array.from({ length: 961 }, (_, index) => `l${index}`))
      const whole = { folderId: 'c0', maxDepth: 100 }
      assert.equal((await acme.call(getFolders, whole)).length, 1)
      await addLeaves(['one more'])
      const error = refused(await acme.post(getFolders, whole), 'RESOURCE_EXHAUSTED')
      assert.equal(error.reason, 'too_many_folders')
      assert.match(error.message, /more than 100000 ancestors of folders/)
      assert.equal((await acme.call(getFolders, { folderId: 'c0', maxDepth: 98 })).length, 1)
    })
  })
})
