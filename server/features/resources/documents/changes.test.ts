/**
 * Updating, moving, disabling and deleting documents, and setting their access (rules/resources.md#disabling,
 * rules/resources.md#unknown-ids, rules/contract.md#merging).
 */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { failed } from '#contract/core/envelope.ts'
import {
  deleteDocuments,
  disableDocuments,
  getDocuments,
  moveDocuments,
  setDocumentAccess,
  updateDocuments,
} from '#contract/resources/documents.ts'
import { deleteFolder } from '#contract/resources/folders.ts'
import { type Acme, assertSameAsSingles, newAcme, organizationId } from '#testing/acme.ts'
import { completeMigration } from '#testing/jobs.ts'
import { sharedServer } from '#testing/server.ts'
import { refused, refusedField } from '../../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let acme: Acme
beforeEach(async () => {
  acme = await newAcme(server)
})
afterEach(() => acme.assertStructure())

const records = ({ call } = acme) => call(getDocuments)
const record = (id: string, more: object = {}) => ({
  id,
  disabled: false,
  accessType: 'public',
  inheritAccessFromParent: true,
  ...more,
})
const update = (...documents: object[]) => acme.call(updateDocuments, { documents })
const move = (folderId: string, ...documentIds: string[]) => acme.call(moveDocuments, { documentIds, folderId })
const setAccess = (to: object, ...documentIds: string[]) => acme.call(setDocumentAccess, { documentIds, ...to })
const disable = (disabled: boolean, ...documentIds: string[]) => acme.call(disableDocuments, { documentIds, disabled })
const remove = (...documentIds: string[]) => acme.call(deleteDocuments, { documentIds })
const reasons = (userId: string, ...ids: string[]) => acme.reasons('document', userId, ...ids)

const notFound = (id: string) => failed(id, 'not-found', 'The document does not exist.')

const migrate = (documentId: string, newDocumentId: string) =>
  completeMigration(acme.key, { organizationId, documentId, newDocumentId })

/** Every operation of this file, with fields that change each of `documentIds`. */
const CHANGES = [
  [updateDocuments, (ids: readonly string[]) => ({ documents: ids.map((documentId) => ({ documentId, x: 1 })) })],
  [moveDocuments, (documentIds: readonly string[]) => ({ documentIds, folderId: 'f' })],
  [setDocumentAccess, (documentIds: readonly string[]) => ({ documentIds, accessType: 'restricted' })],
  [disableDocuments, (documentIds: readonly string[]) => ({ documentIds, disabled: true })],
  [deleteDocuments, (documentIds: readonly string[]) => ({ documentIds })],
] as const

for (const [operation, of] of CHANGES)
  describe(operation.name, () => {
    it('fails items that are missing or deleted, and changes the others; deletes the grants of declared ones', async () => {
      await acme.addTree({ f: 'root' })
      await acme.addDocuments('root', { documentId: 'a' }, { documentId: 'gone' })
      await remove('gone')
      await acme.grant('document', 'declared', 'ada')
      const answer = await acme.call(operation, of(['nope', 'a', 'declared', 'gone', 'a']))
      assert.deepEqual(Object.keys(answer), ['nope', 'a', 'declared', 'gone'])
      for (const id of ['nope', 'gone']) assert.deepEqual(answer[id], notFound(id))
      const isDeletion = operation === deleteDocuments
      assert.deepEqual([answer.declared.success, answer.declared.permissions], [isDeletion, 1])
      assert.equal(answer.a.success, true)
      assert.match(answer.a.id, /^[0-9a-f]{32}$/)
      assert.deepEqual(await reasons('ada', 'declared'), [isDeletion ? 'does_not_exist' : 'grant'])
    })

    it('fails the old id of a migrated document and returns the new one', async () => {
      await acme.addTree({ f: 'root' })
      await acme.addDocuments('root', { documentId: 'old' })
      await migrate('old', 'new')
      const seen = await records()
      assert.deepEqual(await acme.call(operation, of(['old'])), {
        old: { ...failed('old', 'not-found', 'The document was migrated to "new".'), migratedTo: 'new' },
      })
      assert.deepEqual(await records(), seen)
    })

    it('has the same effect with many items as with one call for each', () =>
      assertSameAsSingles(server, operation, ['b', 'nope', 'a', 'c'], of, {
        async world({ addTree, addDocuments, grant }) {
          await addTree({ f: ['root', 'restricted'], g: 'f' })
          await addDocuments('root', { documentId: 'a', documentName: 'A' }, { documentId: 'left' })
          await addDocuments('f', { documentId: 'b', accessType: 'restricted' })
          await addDocuments('g', { documentId: 'c', x: 1 })
          await grant('document', 'c', 'ada', 'bob')
        },
        look: records,
      }))

    it('writes nothing for changes without effect', async () => {
      await acme.addTree({ f: 'root' })
      await acme.addDocuments('root', { documentId: 'a' })
      const call = () => acme.call(operation, of(['a', 'nope']))
      assert.equal((await acme.events(call)).length, 1)
      assert.deepEqual(await acme.events(call), [])
    })

    it('is refused in a missing organization', async () => {
      const answer = await acme.post(operation, { organizationId: 'nope', ...of(['a']) })
      assert.equal(refused(answer, 'NOT_FOUND').reason, 'organization_does_not_exist')
    })
  })

describe('documents.update', () => {
  it('merges name and metadata: absent fields are kept, null clears, other values replace', async () => {
    await acme.addDocuments('root', {
      documentId: 'a',
      documentName: 'A',
      color: 'red',
      size: 3,
      inner: { x: 1, y: 2 },
    })
    const answer = await update({ documentId: 'a', color: null, inner: { x: null }, tags: ['t'] })
    assert.deepEqual(answer.a, { success: true, id: answer.a.id, message: 'Document updated successfully.' })
    const merged = { size: 3, inner: { x: null }, tags: ['t'] }
    assert.deepEqual(await records(), [record('a', { documentName: 'A', ...merged })])
    await update({ documentId: 'a', documentName: null })
    assert.deepEqual(await records(), [record('a', merged)])
  })

  it('lets the last of two items with one id win', async () => {
    await acme.addDocuments('root', { documentId: 'a' })
    await update({ documentId: 'a', lost: 1 }, { documentId: 'a', kept: 1 })
    assert.deepEqual(await records(), [record('a', { kept: 1 })])
  })

  it('replaces the metadata with merge: false, and keeps the name', async () => {
    await acme.addDocuments('root', { documentId: 'a', documentName: 'A', x: 1, y: 2 })
    const documents = [{ documentId: 'a', y: 3, z: null }]
    assert.equal((await acme.post(updateDocuments, { merge: false, documents })).http, 200)
    assert.deepEqual(await records(), [record('a', { documentName: 'A', y: 3 })])
    await acme.post(updateDocuments, { merge: true, documents: [{ documentId: 'a', x: 4 }] })
    assert.deepEqual(await records(), [record('a', { documentName: 'A', y: 3, x: 4 })])
  })

  it('refuses fields that have an operation of their own, and near spellings of protecting fields', async () => {
    await acme.addDocuments('root', { documentId: 'a' })
    for (const name of ['accessType', 'folderId', 'disabled', 'id', 'inheritAccessFromParent', 'expires_at'])
      refusedField(
        await acme.post(updateDocuments, { documents: [{ documentId: 'a', [name]: 1 }] }),
        `documents[0].${name}`,
      )
  })

  it('fails an item whose metadata would exceed the limits, and changes the others', async () => {
    const big = 'x'.repeat(40_000)
    await acme.addDocuments('root', { documentId: 'a', first: big }, { documentId: 'b' })
    const answer = await update(
      { documentId: 'a', second: big, documentName: 'lost' },
      { documentId: 'b', second: big },
    )
    assert.deepEqual(answer.a, failed('a', 'invalid-argument', 'The metadata of the document would exceed the limits.'))
    assert.equal(answer.b.success, true)
    assert.deepEqual(await records(), [record('a', { first: big }), record('b', { second: big })])
    assert.equal((await update({ documentId: 'a', first: null, second: big })).a.success, true)
  })

  it('writes one event with the values before and after', async () => {
    await acme.addDocuments('root', { documentId: 'a', documentName: 'A', x: 1, y: 2 })
    assert.deepEqual(await acme.events(() => update({ documentId: 'a', documentName: 'B', x: null })), [
      {
        type: 'document.updated',
        id: 'a',
        before: { documentName: 'A', metadata: { x: 1, y: 2 } },
        after: { documentName: 'B', metadata: { y: 2 } },
      },
    ])
  })
})

describe('documents.move', () => {
  it('moves documents into a folder, whose access type and grants they follow, and back to the top level', async () => {
    await acme.addTree({ f: ['root', 'restricted'], g: 'f' })
    await acme.addDocuments('root', { documentId: 'a' }, { documentId: 'own', accessType: 'public' })
    await acme.grant('folder', 'f', 'ada')
    const answer = await move('g', 'a', 'own')
    assert.deepEqual(answer.a, { success: true, id: answer.a.id, message: 'Document moved successfully.' })
    const inside = { folderId: 'g' }
    assert.deepEqual(await records(), [
      record('a', { accessType: 'restricted', ...inside }),
      record('own', { ...inside, inheritAccessFromParent: false }),
    ])
    assert.deepEqual(await reasons('ada', 'a', 'own'), ['grant', 'access_type'])
    assert.deepEqual(await reasons('bob', 'a', 'own'), ['no_grant', 'access_type'])
    await move('root', 'a', 'own')
    assert.deepEqual(await records(), [record('a'), record('own', { inheritAccessFromParent: false })])
    assert.deepEqual(await reasons('bob', 'a'), ['access_type'])
  })

  it('refuses a folder that is missing, only declared, or deleted, and moves nothing', async () => {
    await acme.addTree({ gone: 'root' })
    await acme.addDocuments('root', { documentId: 'a' })
    await acme.call(deleteFolder, { folderId: 'gone' })
    await acme.grant('folder', 'declared', 'ada')
    for (const folderId of ['nope', 'declared', 'gone']) {
      const answer = await acme.post(moveDocuments, { documentIds: ['a'], folderId })
      assert.equal(refused(answer, 'NOT_FOUND').reason, 'folder_does_not_exist')
    }
    assert.deepEqual(await records(), [record('a')])
  })

  it('writes an event for each document that moves', async () => {
    await acme.addTree({ f: 'root', g: 'root' })
    await acme.addDocuments('f', { documentId: 'a' })
    await acme.addDocuments('g', { documentId: 'b' })
    const type = 'document.moved'
    assert.deepEqual(await acme.events(() => move('g', 'a', 'b')), [
      { type, id: 'a', before: { folderId: 'f' }, after: { folderId: 'g' } },
    ])
    assert.deepEqual(await acme.events(() => move('root', 'b')), [
      { type, id: 'b', before: { folderId: 'g' }, after: { folderId: 'root' } },
    ])
  })
})

describe('document-access.set', () => {
  it("sets an access type that overrides the folder's, and clears it", async () => {
    await acme.addTree({ f: ['root', 'restricted'] })
    await acme.addDocuments('f', { documentId: 'a' })
    await acme.grant('folder', 'f', 'ada')
    const [{ id: _, ...open }] = Object.values(await setAccess({ accessType: 'public' }, 'a')) as [{ id: string }]
    assert.deepEqual(open, { success: true, accessType: 'public', message: 'Document updated successfully.' })
    assert.deepEqual(await reasons('bob', 'a'), ['access_type'])
    await setAccess({ accessType: 'restricted' }, 'a')
    assert.deepEqual(await reasons('ada', 'a'), ['no_grant'])
    const { a } = await setAccess({ inheritFromParent: true }, 'a')
    assert.deepEqual([a.accessType, a.inheritFromParent], [null, true])
    assert.deepEqual([await reasons('ada', 'a'), await reasons('bob', 'a')], [['grant'], ['no_grant']])
  })

  it('refuses a call with both accessType and inheritFromParent, or with neither', async () => {
    for (const to of [{}, { inheritFromParent: false }, { accessType: 'public', inheritFromParent: true }])
      refusedField(await acme.post(setDocumentAccess, { documentIds: ['a'], ...to }), 'accessType')
  })

  it('writes one event with the values before and after', async () => {
    await acme.addDocuments('root', { documentId: 'a' })
    assert.deepEqual(await acme.events(() => setAccess({ accessType: 'public' }, 'a')), [
      { type: 'document.access_changed', id: 'a', before: { accessType: null }, after: { accessType: 'public' } },
    ])
  })
})

describe('documents.disable', () => {
  it('denies every user, whatever grants they have, while management calls still succeed', async () => {
    await acme.addDocuments('root', { documentId: 'a' })
    await acme.grant('document', 'a', 'ada')
    const { a } = await disable(true, 'a')
    assert.deepEqual(a, { success: true, id: a.id, disabled: true, message: 'Document disabled successfully.' })
    assert.deepEqual(await reasons('ada', 'a'), ['disabled'])
    await acme.grant('document', 'a', 'bob')
    await update({ documentId: 'a', documentName: 'A' })
    assert.deepEqual(await records(), [record('a', { documentName: 'A', disabled: true })])
    assert.equal((await disable(false, 'a')).a.message, 'Document enabled successfully.')
    assert.deepEqual([await reasons('ada', 'a'), await reasons('bob', 'a')], [['grant'], ['grant']])
  })

  it('writes an event for disabling and one for enabling', async () => {
    await acme.addDocuments('root', { documentId: 'a' })
    for (const disabled of [true, false])
      assert.deepEqual(await acme.events(() => disable(disabled, 'a')), [
        {
          type: disabled ? 'document.disabled' : 'document.enabled',
          id: 'a',
          before: { disabled: !disabled },
          after: { disabled },
        },
      ])
  })
})

describe('documents.delete', () => {
  it('leaves no grants, metadata or old ids for a document added again under the same id', async () => {
    await acme.addDocuments('root', { documentId: 'old', accessType: 'restricted', x: 1 })
    await migrate('old', 'a')
    await acme.grant('document', 'a', 'ada')
    const { a } = await remove('a')
    assert.deepEqual(a, { success: true, id: a.id, message: 'Document deleted successfully.' })
    assert.deepEqual(await reasons('ada', 'a'), ['does_not_exist'])
    assert.deepEqual(await acme.call(getDocuments, { documentIds: ['old', 'a'] }), [notFound('old'), notFound('a')])
    await acme.addDocuments('root', { documentId: 'a', accessType: 'restricted' })
    assert.deepEqual(await reasons('ada', 'a'), ['no_grant'])
    assert.deepEqual(await records(), [record('a', { accessType: 'restricted', inheritAccessFromParent: false })])
  })

  it('writes one event with the previous values', async () => {
    await acme.addDocuments('root', { documentId: 'a', documentName: 'A', x: 1 })
    await acme.grant('document', 'a', 'ada', 'bob')
    const before = { documentName: 'A', metadata: { x: 1 }, permissions: 2 }
    assert.deepEqual(await acme.events(() => remove('a')), [{ type: 'document.deleted', id: 'a', before, after: null }])
  })
})
