/** Renaming, moving and deleting folders, and setting their access (rules/resources.md#unknown-ids, rules/resources.md#folders). */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { failed } from '#contract/core/envelope.ts'
import { getDocuments } from '#contract/resources/documents.ts'
import {
  deleteFolder,
  FOLDER_FIELDS,
  type FolderRecord,
  getFolders,
  setFolderAccess,
  updateFolders,
} from '#contract/resources/folders.ts'
import { type Acme, assertSameAsSingles, newAcme } from '#testing/acme.ts'
import { sharedServer } from '#testing/server.ts'
import { refused, refusedField } from '../../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let acme: Acme
beforeEach(async () => {
  acme = await newAcme(server)
})
afterEach(() => acme.assertStructure())

const records = ({ call } = acme): Promise<FolderRecord[]> => call(getFolders)
/** Returns each folder with its ancestors. */
const paths = async () =>
  Object.fromEntries((await records()).map(({ folderId, ancestors }) => [folderId, ancestors.slice(1).join('/')]))
const accessTypes = async () => (await records()).map(({ accessType }) => accessType)

const update = (...folders: object[]) => acme.call(updateFolders, { folders })
const move = (folderId: string, parentFolderId: string) => update({ folderId, parentFolderId })
const setAccess = (folderIds: string[], to: object) => acme.call(setFolderAccess, { folderIds, ...to })
const remove = (folderId: string) => acme.post(deleteFolder, { folderId })

const updated = (id: string) => ({ success: true, id, message: 'Folder updated successfully.' })
const ONLY_DECLARED = {
  ...failed(
    'declared',
    'not-found',
    'The folder was never added, but there is 1 grant on it. Add the folder first, or delete it to end the grant.',
  ),
  permissions: 1,
}
const notFound = (id: string) => failed(id, 'not-found', 'The folder does not exist.')

describe('folders.update', () => {
  it('renames folders; null clears the name, and an absent name is kept', async () => {
    await acme.addTree({ a: 'root', b: 'root' })
    const renamed = await update({ folderId: 'a', folderName: 'A' }, { folderId: 'b', folderName: 'B' })
    assert.deepEqual(renamed, { a: updated('a'), b: updated('b') })
    await update({ folderId: 'a', parentFolderId: 'b' }, { folderId: 'b', folderName: null })
    assert.deepEqual(
      (await records()).map(({ folderName }) => folderName),
      ['A', undefined],
    )
  })

  it('moves a folder with its contents, also to the top level', async () => {
    await acme.addTree({ a: 'root', b: 'a', c: 'b', x: 'root', y: 'x' })
    assert.deepEqual(await move('b', 'y'), { b: updated('b') })
    assert.deepEqual(await paths(), { a: '', b: 'x/y', c: 'x/y/b', x: '', y: 'x' })
    await move('b', 'root')
    assert.deepEqual(await paths(), { a: '', b: '', c: 'b', x: '', y: 'x' })
  })

  it('renames and moves in one item, and does not rename a folder that could not be moved', async () => {
    await acme.addTree({ a: 'root', b: 'a' })
    assert.deepEqual(await update({ folderId: 'b', folderName: 'B', parentFolderId: 'root' }), { b: updated('b') })
    await update({ folderId: 'b', folderName: 'lost', parentFolderId: 'nope' })
    const [, b] = await records()
    assert.deepEqual([b?.folderName, b?.parentFolderId], ['B', 'root'])
  })

  it('applies the moves of a call sequentially', async () => {
    await acme.addTree({ a: 'root', b: 'root', c: 'root' })
    const crossing = await update({ folderId: 'a', parentFolderId: 'b' }, { folderId: 'b', parentFolderId: 'a' })
    assert.deepEqual([crossing.a.success, crossing.b.code], [true, 'invalid-argument'])
    const turned = await update({ folderId: 'a', parentFolderId: 'c' }, { folderId: 'b', parentFolderId: 'a' })
    assert.deepEqual([turned.a.success, turned.b.success], [true, true])
    assert.deepEqual(await paths(), { a: 'c', b: 'c/a', c: '' })
  })

  it('lets the last of two items with one id win, at its position among the moves', async () => {
    await acme.addTree({ a: 'root', b: 'a' })
    const [lost, first] = [
      { folderId: 'a', parentFolderId: 'nope' },
      { folderId: 'b', parentFolderId: 'root' },
    ]
    const answer = await update(lost, first, { folderId: 'a', parentFolderId: 'b' })
    assert.deepEqual(answer, { a: updated('a'), b: updated('b') })
    assert.deepEqual(await paths(), { a: 'b', b: '' })
  })

  it('has the same effect with many items as with one call for each', async () => {
    const items = [
      { folderId: 'b', parentFolderId: 'y' },
      { folderId: 'x', folderName: 'X', parentFolderId: 'b' },
      { folderId: 'nope', folderName: 'N' },
      { folderId: 'c', folderName: 'C' },
      { folderId: 'a', folderName: 'A', parentFolderId: 'c' },
      { folderId: 'y', parentFolderId: 'nope', folderName: 'lost' },
    ]
    await assertSameAsSingles(server, updateFolders, items, (folders) => ({ folders }), {
      world: ({ addTree }) =>
        addTree({ a: 'root', b: ['a', 'restricted'], c: 'b', x: 'root', y: ['x', 'organizationPrivate'] }),
      look: records,
    })
  })

  describe('the contents of a moved folder', () => {
    it('follow the access type of the new parent unless they have their own', async () => {
      await acme.addTree({ f: ['root', 'restricted'], moved: 'f', own: ['moved', 'organizationPrivate'] })
      await acme.addDocuments('moved', { documentId: 'd' }, { documentId: 'open', accessType: 'public' })
      await acme.addDocuments('own', { documentId: 'deep' })
      const documents = () => acme.reasons('document', 'ada', 'd', 'open', 'deep')
      assert.deepEqual(await documents(), ['no_grant', 'access_type', 'no_grant'])
      await move('moved', 'root')
      assert.deepEqual(await documents(), ['access_type', 'access_type', 'no_grant'])
      assert.deepEqual(await accessTypes(), ['restricted', 'public', 'organizationPrivate'])
      await move('moved', 'f')
      assert.deepEqual(await documents(), ['no_grant', 'access_type', 'no_grant'])
    })

    it('are accessible with a grant above the new position, and no longer with one above the old', async () => {
      await acme.addTree({ old: ['root', 'restricted'], new: ['root', 'restricted'], moved: 'old' })
      await acme.addDocuments('moved', { documentId: 'd' })
      for (const folder of ['old', 'new', 'moved']) await acme.grant('folder', folder, `user of ${folder}`)
      const users = async () =>
        (await Promise.all(['old', 'new', 'moved'].map((f) => acme.reasons('document', `user of ${f}`, 'd')))).flat()
      assert.deepEqual(await users(), ['grant', 'no_grant', 'grant'])
      await move('moved', 'new')
      assert.deepEqual(await users(), ['no_grant', 'grant', 'grant'])
    })
  })

  describe('items that fail', () => {
    it('are folders that are missing, only declared, or deleted; the others are updated', async () => {
      await acme.addTree({ a: 'root', gone: 'root' })
      await remove('gone')
      await acme.grant('folder', 'declared', 'ada')
      const ids = ['nope', 'declared', 'gone', 'root']
      for (const change of [{ folderName: 'N' }, { parentFolderId: 'root' }]) {
        const answer = await update(...[...ids, 'a'].map((folderId) => ({ folderId, ...change })))
        for (const id of ids) assert.deepEqual(answer[id], id === 'declared' ? ONLY_DECLARED : notFound(id))
        assert.deepEqual(answer.a, updated('a'))
      }
    })

    it('are those whose parent is missing, only declared, or deleted', async () => {
      await acme.addTree({ a: 'root', gone: 'root' })
      await remove('gone')
      await acme.grant('folder', 'declared', 'ada')
      const a = failed('a', 'not-found', 'The parent folder does not exist.')
      for (const parent of ['nope', 'declared', 'gone']) assert.deepEqual(await move('a', parent), { a })
    })

    it('are those that would be inside themselves', async () => {
      await acme.addTree({ a: 'root', b: 'a', c: 'b' })
      const a = failed('a', 'invalid-argument', 'The folder would be inside itself.')
      for (const parent of ['a', 'b', 'c']) assert.deepEqual(await move('a', parent), { a })
      assert.deepEqual(await paths(), { a: '', b: 'a', c: 'a/b' })
    })

    it('are those with contents that would be more than 100 levels deep', async () => {
      const chain = Array.from({ length: 100 }, (_, level) => [`l${level + 1}`, level === 0 ? 'root' : `l${level}`])
      await acme.addTree({ ...Object.fromEntries(chain), x: 'root', y: 'x' })
      const x = failed('x', 'invalid-argument', 'Folders can be nested at most 100 levels deep.')
      for (const parent of ['l99', 'l100']) assert.deepEqual(await move('x', parent), { x })
      assert.equal((await move('l1', 'x')).l1.code, 'invalid-argument')
      assert.deepEqual(await move('x', 'l98'), { x: updated('x') })
      assert.equal((await records()).find(({ folderId }) => folderId === 'y')?.ancestors.length, 100)
    })

    it('are those without a change', async () => {
      await acme.addTree({ a: 'root' })
      const a = failed(
        'a',
        'invalid-argument',
        `${Object.keys(FOLDER_FIELDS).join(', ')} or parentFolderId is required.`,
      )
      assert.deepEqual(await update({ folderId: 'a' }), { a })
    })
  })

  it('writes an event for each move and each rename, and none for unchanged or failed items', async () => {
    await acme.addTree({ a: 'root', b: 'a', x: 'root' })
    const call = () =>
      update({ folderId: 'a', folderName: 'A', parentFolderId: 'x' }, { folderId: 'nope', folderName: 'N' })
    const moved = { before: { parentFolderId: 'root' }, after: { parentFolderId: 'x', folders: 2 } }
    assert.deepEqual(await acme.events(call), [
      { type: 'folder.moved', id: 'a', ...moved },
      { type: 'folder.updated', id: 'a', before: { folderName: null }, after: { folderName: 'A' } },
    ])
    assert.deepEqual(await acme.events(call), [])
    assert.deepEqual(await acme.events(() => move('a', 'b')), [])
  })
})

describe('folder-access.set', () => {
  it('sets an access type, which the contents follow at once, and clears it', async () => {
    await acme.addTree({ a: 'root', b: 'a', c: ['b', 'organizationPrivate'] })
    await acme.addDocuments('b', { documentId: 'd' }, { documentId: 'open', accessType: 'public' })
    const message = 'Folder access updated successfully.'
    assert.deepEqual(await setAccess(['a', 'a'], { accessType: 'restricted' }), {
      a: { success: true, id: 'a', accessType: 'restricted', message },
    })
    assert.deepEqual(await accessTypes(), ['restricted', 'restricted', 'organizationPrivate'])
    assert.deepEqual(await acme.reasons('document', 'ada', 'd', 'open'), ['no_grant', 'access_type'])
    const back = await setAccess(['a', 'c'], { inheritFromParent: true })
    assert.deepEqual(back.a, { success: true, id: 'a', accessType: null, inheritFromParent: true, message })
    assert.deepEqual(await accessTypes(), ['public', 'public', 'public'])
    assert.ok((await records()).every(({ inheritAccessFromParent }) => inheritAccessFromParent))
  })

  it('sets several folders of one branch in one call', async () => {
    await acme.addTree({ a: 'root', b: ['a', 'public'], c: 'b', d: ['c', 'organizationPrivate'], e: 'd' })
    await setAccess(['c', 'a', 'e'], { accessType: 'restricted' })
    assert.deepEqual(await accessTypes(), ['restricted', 'public', 'restricted', 'organizationPrivate', 'restricted'])
    await setAccess(['b', 'e', 'c'], { inheritFromParent: true })
    const [restricted, organizationPrivate] = ['restricted', 'organizationPrivate']
    assert.deepEqual(await accessTypes(), [
      restricted,
      restricted,
      restricted,
      organizationPrivate,
      organizationPrivate,
    ])
  })

  it('determines which grants apply to the contents', async () => {
    await acme.addTree({ a: ['root', 'restricted'], b: 'a' })
    await acme.addDocuments('b', { documentId: 'd' })
    await acme.grant('folder', 'a', 'ada')
    await acme.grant('organization', 'acme', 'bob')
    const users = async () => [
      ...(await acme.reasons('document', 'ada', 'd')),
      ...(await acme.reasons('document', 'bob', 'd')),
    ]
    assert.deepEqual(await users(), ['grant', 'no_grant'])
    await setAccess(['b'], { accessType: 'organizationPrivate' })
    assert.deepEqual(await users(), ['no_grant', 'membership'])
    await setAccess(['a', 'b'], { inheritFromParent: true })
    assert.deepEqual(await users(), ['grant', 'grant'])
  })

  it('has the same effect with many items as with one call for each', async () => {
    for (const to of [{ accessType: 'restricted' }, { inheritFromParent: true }])
      await assertSameAsSingles(
        server,
        setFolderAccess,
        ['c', 'a', 'nope', 'x'],
        (folderIds) => ({ folderIds, ...to }),
        {
          world: ({ addTree }) => addTree({ a: 'root', b: ['a', 'restricted'], c: ['b', 'public'], d: 'c', x: 'root' }),
          look: records,
        },
      )
  })

  it('fails items that are missing or only declared', async () => {
    await acme.grant('folder', 'declared', 'ada')
    const answer = await setAccess(['nope', 'declared'], { accessType: 'public' })
    assert.deepEqual(answer, { nope: notFound('nope'), declared: ONLY_DECLARED })
  })

  it('refuses a call with both accessType and inheritFromParent, or with neither', async () => {
    await acme.addTree({ a: 'root' })
    const says = 'accessType is required unless inheritFromParent is true, and must not be given together with it'
    for (const to of [{}, { inheritFromParent: false }, { accessType: 'public', inheritFromParent: true }])
      refusedField(await acme.post(setFolderAccess, { folderIds: ['a'], ...to }), 'accessType', says)
    assert.ok((await setAccess(['a'], { accessType: 'public', inheritFromParent: false })).a.success)
  })

  it('writes an event for each folder that changes', async () => {
    await acme.addTree({ a: ['root', 'public'], b: 'a', c: ['root', 'restricted'] })
    const call = () => setAccess(['c', 'a', 'nope'], { accessType: 'restricted' })
    const change = { before: { accessType: 'public' }, after: { accessType: 'restricted' } }
    assert.deepEqual(await acme.events(call), [{ type: 'folder.access_changed', id: 'a', ...change }])
    assert.deepEqual(await acme.events(call), [])
  })
})

describe('folders.delete', () => {
  it('deletes a folder with its subfolders, documents and grants, and nothing else', async () => {
    await acme.addTree({ a: 'root', b: 'a', c: 'b', other: 'root' })
    await acme.addDocuments('a', { documentId: 'd' })
    await acme.addDocuments('c', { documentId: 'deep' })
    await acme.addDocuments('other', { documentId: 'left' })
    for (const id of ['a', 'c', 'other']) await acme.grant('folder', id, 'ada')
    await acme.grant('document', 'deep', 'ada', 'bob')
    const { result } = (await remove('a')).body
    assert.equal(result.message, 'Folder deleted successfully.')
    assert.deepEqual(result.data, { deleted: { folders: 3, documents: 2, permissions: 4 } })
    assert.deepEqual(await paths(), { other: '' })
    assert.deepEqual(await acme.call(getDocuments), [
      { id: 'left', disabled: false, accessType: 'public', inheritAccessFromParent: true, folderId: 'other' },
    ])
    assert.deepEqual(await acme.reasons('folder', 'ada', 'other'), ['grant'])
  })

  it('leaves no grants for resources added again under the same ids', async () => {
    for (const expected of ['grant', 'no_grant']) {
      await acme.addTree({ a: ['root', 'restricted'] })
      await acme.addDocuments('a', { documentId: 'd', accessType: 'restricted' })
      if (expected === 'grant') await acme.grant('folder', 'a', 'ada')
      if (expected === 'grant') await acme.grant('document', 'd', 'ada')
      assert.deepEqual(await acme.reasons('folder', 'ada', 'a'), [expected])
      assert.deepEqual(await acme.reasons('document', 'ada', 'd'), [expected])
      await remove('a')
    }
  })

  it('responds NOT_FOUND for a folder that is missing or deleted, and ends the grants on one that is only declared', async () => {
    await acme.addTree({ gone: 'root' })
    await remove('gone')
    await acme.grant('folder', 'declared', 'ada')
    for (const id of ['nope', 'gone', 'root'])
      assert.equal(refused(await remove(id), 'NOT_FOUND').reason, 'folder_does_not_exist')
    assert.deepEqual(await acme.reasons('folder', 'ada', 'declared'), ['grant'])
    assert.equal((await remove('declared')).http, 200)
    assert.deepEqual(await acme.reasons('folder', 'ada', 'declared'), ['does_not_exist'])
  })

  it('writes one event for the whole deletion, and none if there is no such folder', async () => {
    await acme.addTree({ a: 'root', b: 'a' })
    await update({ folderId: 'a', folderName: 'A' })
    await acme.addDocuments('b', { documentId: 'd' })
    const before = { folderName: 'A', folders: 2, documents: 1, permissions: 0 }
    assert.deepEqual(await acme.events(() => remove('a')), [{ type: 'folder.deleted', id: 'a', before, after: null }])
    assert.deepEqual(await acme.events(() => remove('a')), [])
  })
})

it('each of these calls is refused in a missing organization', async () => {
  for (const [operation, data] of [
    [updateFolders, { folders: [{ folderId: 'a', folderName: 'A' }] }],
    [setFolderAccess, { folderIds: ['a'], accessType: 'public' }],
    [deleteFolder, { folderId: 'a' }],
  ] as const) {
    const answer = await acme.post(operation, { organizationId: 'nope', ...data })
    assert.equal(refused(answer, 'NOT_FOUND').reason, 'organization_does_not_exist')
  }
})
