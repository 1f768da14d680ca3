/** Which names of fields are taken for misspelt ones, and which metadata an object may have (rules/contract.md#metadata). */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { countFaults, metadataFaults, resembling, sizeFaults } from './metadata.ts'

describe('resembling', () => {
  const known = ['organizationId', 'organizationName', 'accessRole', 'expiresAt', 'role', 'email', 'disabled']
  const cases: [written: string, meant: string | undefined][] = [
    ['organizationId', 'organizationId'],
    ['organisationId', 'organizationId'],
    ['organization_id', 'organizationId'],
    ['ORGANIZATION-ID', 'organizationId'],
    ['organizatonName', 'organizationName'],
    ['accesRole', 'accessRole'],
    ['acessRoles', 'accessRole'],
    ['expireAt', 'expiresAt'],
    ['expires at', 'expiresAt'],
    ['Role', 'role'],
    ['disalbed', 'disabled'],
    ['dsiabled', 'disabled'],
    ['disabelt', undefined],
    ['rloe', undefined],
    ['rôle', undefined],
    ['rule', undefined],
    ['roles', undefined],
    ['emails', undefined],
    ['color', undefined],
    ['', undefined],
    ['_', undefined],
    [`organization${'_'.repeat(51)}Id`, undefined],
    [`organization${'_'.repeat(50)}Id`, 'organizationId'],
  ]
  for (const [name, meant] of cases)
    it(`takes ${JSON.stringify(name)} for ${meant ?? 'a name of its own'}`, () =>
      assert.equal(resembling(name, known), meant))
})

describe('resembling, of two names that resemble each other', () => {
  it('takes the one that differs only in case and punctuation', () => {
    assert.equal(resembling('folder_ids_', ['folderId', 'folderIds']), 'folderIds')
    assert.equal(resembling('folder-id', ['folderIds', 'folderId']), 'folderId')
  })
})

describe('metadataFaults', () => {
  const known = new Set(['documentId', 'documentName'])

  it('finds nothing wrong with fields of the caller’s own', () => {
    const own = { documentId: 'd', color: 'red', 'with space': 1, état: null, nested: { expiresAt: 1 }, constructor: 1 }
    assert.deepEqual(metadataFaults(own, known, 'documents[0]'), [])
  })

  it('refuses the exact names of fields of the record that is returned', () => {
    const record = ['id', 'documentName', 'folderId']
    assert.deepEqual(metadataFaults({ documentName: 'n', ID: 1, folder_id: 2, createdAt: 3 }, known, 'x', record), [])
    assert.deepEqual(metadataFaults({ documentId: 'd', id: 1 }, known, 'documents[0]', record), [
      {
        field: 'documents[0].id',
        message:
          'documents[0].id is refused: as metadata it would be hidden by the field "id" of the record that is returned; leave it out, or give it another name',
      },
    ])
  })
})

describe('countFaults', () => {
  const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]))

  it('counts only the caller’s own fields', () => {
    const known = new Set(['documentId', 'documentName'])
    assert.deepEqual(countFaults({ ...fields(100), documentId: 'd', documentName: 'n' }, known, 'x'), [])
    const fault = { field: 'x', message: 'x must not have more than 100 metadata fields' }
    assert.deepEqual(countFaults(fields(101), known, 'x'), [fault])
    assert.deepEqual(countFaults(fields(500_000), known, 'x'), [fault])
  })
})

describe('sizeFaults', () => {
  it('is fast for many fields', () => {
    const [fault] = sizeFaults({ a: Array(200_000).fill(1) }, 'x')
    assert.equal(fault?.message, 'x must not have more than 65536 bytes of metadata')
  })

  it('counts bytes, not characters', () => {
    const fill = (bytes: number) => ({ a: 'é'.repeat((bytes - '{"a":""}'.length) / 2) })
    assert.deepEqual(sizeFaults(fill(64 * 1024), 'x'), [])
    assert.equal(sizeFaults(fill(64 * 1024 + 2), 'x').length, 1)
  })

  it('is fast for deep nesting', () => {
    let deep: Record<string, unknown> = {}
    for (let level = 0; level < 100_000; level++) deep = { a: deep }
    assert.deepEqual(sizeFaults(deep, 'x'), [{ field: 'x', message: 'x must not nest deeper than 20 levels' }])
  })
})
