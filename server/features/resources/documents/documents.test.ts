/** Adding and reading documents (rules/resources.md#adding, rules/resources.md#unknown-ids). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { checkPermissions, getPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { addDocuments, getDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { type Client, pagesOf } from '#testing/client.ts'
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

const add = (documents: object[], more: object = {}) =>
  key.post(addDocuments.path, { organizationId, documents, ...more })
const results = async (documents: object[], more: object = {}) => (await add(documents, more)).body.result.data
const get = (data: object = {}) => key.post(getDocuments.path, { organizationId, ...data })
const list = async (data: object = {}) => (await get(data)).body.result.data
const ids = async (data: object = {}) => (await list(data)).map(({ id }: { id: string }) => id)
const declare = (id: string, type: 'document' | 'folder' = 'document') =>
  key.call(addPermissions, {
    user: { userId: 'ada' },
    permissions: { resources: [{ type, id, organizationId, accessRole: 'viewer' }] },
  })
const eventsWhile = (work: () => Promise<unknown>) => eventsDuring(server.db, apiKeyOf(key), work)

describe('documents.add', () => {
  it('adds documents with name, access type and metadata', async () => {
    const added = await results([
      { documentId: 'a', documentName: 'A', accessType: 'restricted', color: 'red', nested: { list: [1, null] } },
      { documentId: 'b' },
    ])
    assert.match(added.a.id, /^[0-9a-f]{32}$/)
    assert.deepEqual(added.a, { success: true, id: added.a.id, message: 'Document added successfully.' })
    assert.deepEqual(await list(), [
      {
        color: 'red',
        nested: { list: [1, null] },
        id: 'a',
        documentName: 'A',
        disabled: false,
        accessType: 'restricted',
        inheritAccessFromParent: false,
      },
      { id: 'b', disabled: false, accessType: 'public', inheritAccessFromParent: true },
    ])
  })

  it('adds a document disabled: from then on it denies every user, also one with a grant on the declared document', async () => {
    await declare('a')
    const [event, ...more] = await eventsWhile(() =>
      add([
        { documentId: 'a', disabled: true },
        { documentId: 'b', disabled: false },
      ]),
    )
    const checks = ['a', 'b'].map((id) => ({
      userId: 'ada',
      resource: { type: 'document' as const, id, organizationId },
    }))
    const decided = await key.call(checkPermissions, { checks })
    assert.deepEqual(
      decided.checks.map(({ allowed, reason }) => [allowed, reason]),
      [
        [false, 'disabled'],
        [true, 'access_type'],
      ],
    )
    assert.deepEqual(
      (await list()).map(({ disabled }: { disabled: boolean }) => disabled),
      [true, false],
    )
    assert.deepEqual(event?.after, {
      documentName: null,
      folderId: null,
      accessType: null,
      disabled: true,
      metadata: {},
    })
    assert.deepEqual(
      more.map(({ type }) => type),
      ['document.added'],
    )
  })

  it('adds documents to a folder, whose access type they follow', async () => {
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'f', accessType: 'organizationPrivate' }] })
    await add([{ documentId: 'in' }, { documentId: 'own', accessType: 'public' }], { folderId: 'f' })
    await add([{ documentId: 'top' }], { folderId: 'root' })
    assert.deepEqual(await list(), [
      {
        id: 'in',
        disabled: false,
        accessType: 'organizationPrivate',
        inheritAccessFromParent: true,
        folderId: 'f',
      },
      { id: 'own', disabled: false, accessType: 'public', inheritAccessFromParent: false, folderId: 'f' },
      { id: 'top', disabled: false, accessType: 'public', inheritAccessFromParent: true },
    ])
  })

  it('lets the last of two items with one id win', async () => {
    const added = await results([
      { documentId: 'x', documentName: 'first' },
      { documentId: 'x', documentName: 'last' },
    ])
    assert.deepEqual(Object.keys(added), ['x'])
    assert.equal((await list())[0].documentName, 'last')
  })

  it('accepts 1,000 items in a call', async () => {
    const documents = Array.from({ length: 1_000 }, (_, index) => ({ documentId: `d${index}` }))
    assert.equal(Object.keys(await results(documents)).length, 1_000)
    assert.equal((await list()).length, 1_000)
  })

  it('supports ids that are names of inherited object properties', async () => {
    const named = ['__proto__', 'constructor', 'toString']
    assert.deepEqual(Object.keys(await results(named.map((documentId) => ({ documentId })))), named)
    assert.deepEqual(await ids({ documentIds: named }), named)
  })

  it('fails the items that exist, and adds the others', async () => {
    await add([{ documentId: 'a', documentName: 'kept' }])
    const answer = await results([{ documentId: 'a', documentName: 'lost' }, { documentId: 'b' }])
    assert.deepEqual(answer.a, {
      success: false,
      id: 'a',
      message: 'The document already exists.',
      code: 'already-exists',
      retryable: false,
    })
    assert.equal(answer.b.success, true)
    assert.equal((await list())[0].documentName, 'kept')
  })

  it('lets exactly one of many concurrent calls add an id', async () => {
    const raced = await Promise.all(
      Array.from({ length: 8 }, (_, index) => results([{ documentId: 'r', documentName: `${index}` }])),
    )
    assert.equal(raced.filter(({ r }) => r.success).length, 1)
    assert.ok(raced.every(({ r }) => r.success || r.code === 'already-exists'))
  })

  it('adopts a declared document with its grants', async () => {
    await declare('d')
    assert.deepEqual(await ids(), [])
    assert.equal((await list({ documentIds: ['d'] }))[0].code, 'not-found')
    assert.equal((await results([{ documentId: 'd', accessType: 'restricted' }])).d.success, true)
    const answer = await key.call(getPermissions, { organizationId, userIds: ['ada'], documentIds: ['d'] })
    assert.equal(answer.ada?.documents?.d?.accessRole, 'viewer')
    assert.equal((await results([{ documentId: 'd' }])).d.code, 'already-exists')
  })

  describe('NOT_FOUND', () => {
    it('without the organization, unless createOrganization', async () => {
      const other = { organizationId: 'new' }
      const error = refused(await add([{ documentId: 'd' }], other), 'NOT_FOUND')
      assert.equal(error.reason, 'organization_does_not_exist')
      assert.equal((await results([{ documentId: 'd' }], { ...other, createOrganization: true })).d.success, true)
      assert.deepEqual(
        (await key.call(getOrganizations, {})).map(({ id }) => id),
        ['acme', 'new'],
      )
    })

    it('without the folder, unless createFolder; a declared folder does not count', async () => {
      await declare('declared', 'folder')
      for (const folderId of ['nope', 'declared']) {
        const error = refused(await add([{ documentId: folderId }], { folderId }), 'NOT_FOUND')
        assert.equal(error.reason, 'folder_does_not_exist')
        assert.equal(
          (await results([{ documentId: folderId }], { folderId, createFolder: true }))[folderId].success,
          true,
        )
      }
      assert.deepEqual(await ids({ folderId: 'nope' }), ['nope'])
    })
  })

  it('refuses metadata that looks like protection, and names that the record uses', async () => {
    for (const name of ['accesRole', 'expiresAt', 'folderId', 'acessType', 'id'])
      refusedField(await add([{ documentId: 'd', [name]: 1 }]), `documents[0].${name}`)
    refusedField(
      await add([{ documentId: 'd', acessType: 'public' }]),
      'documents[0].acessType',
      'documents[0].acessType is not a known field; did you mean "accessType"?',
    )
    assert.deepEqual(await ids(), [])
  })

  it('writes an event for each document and for what it creates, and none for one that fails', async () => {
    const call = () =>
      add([{ documentId: 'd', documentName: 'D', accessType: 'public', x: 1 }], {
        organizationId: 'new',
        createOrganization: true,
        folderId: 'f',
        createFolder: true,
      })
    const events = await eventsWhile(call)
    assert.deepEqual(
      events.map(({ type, resourceId }) => [type, resourceId]),
      [
        ['organization.added', null],
        ['folder.added', 'f'],
        ['document.added', 'd'],
      ],
    )
    assert.deepEqual(events[2]?.after, { documentName: 'D', folderId: 'f', accessType: 'public', metadata: { x: 1 } })
    assert.equal(events[2]?.before, null)
    assert.deepEqual(await eventsWhile(call), [])
  })
})

describe('documents.get', () => {
  it('returns the named ones in request order, and unknown ones as failed items', async () => {
    await add([{ documentId: 'a' }, { documentId: 'b' }])
    assert.deepEqual(await list({ documentIds: ['b', 'nope', 'a', 'b'] }), [
      { id: 'b', disabled: false, accessType: 'public', inheritAccessFromParent: true },
      { success: false, id: 'nope', message: 'The document does not exist.', code: 'not-found', retryable: false },
      { id: 'a', disabled: false, accessType: 'public', inheritAccessFromParent: true },
    ])
  })

  it('responds NOT_FOUND for an unknown organization or folder', async () => {
    assert.equal(refused(await get({ organizationId: 'nope' }), 'NOT_FOUND').reason, 'organization_does_not_exist')
    assert.equal(refused(await get({ folderId: 'nope' }), 'NOT_FOUND').reason, 'folder_does_not_exist')
  })

  it('lists a folder without the contents of its subfolders', async () => {
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'f' }, { folderId: 'g', parentFolderId: 'f' }] })
    await add([{ documentId: 'top' }])
    await add([{ documentId: 'f1' }, { documentId: 'f2' }], { folderId: 'f' })
    await add([{ documentId: 'g1' }], { folderId: 'g' })
    assert.deepEqual(await ids(), ['f1', 'f2', 'g1', 'top'])
    assert.deepEqual(await ids({ folderId: 'f' }), ['f1', 'f2'])
    assert.deepEqual(await ids({ folderId: 'root' }), ['top'])
  })

  it('returns the same documents with any page size, at the top level and in a folder', async () => {
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'f' }] })
    const named = ['A', 'a', 'b', 'é', '😀'].map((documentId) => ({ documentId }))
    await add(named)
    await add(
      named.map(({ documentId }) => ({ documentId: `f${documentId}` })),
      { folderId: 'f' },
    )
    for (const filter of [{}, { folderId: 'f' }, { folderId: 'root' }]) {
      const all = await ids(filter)
      for (const pageSize of [1, 2, 5, 10, 11]) {
        const seen: string[] = []
        for await (const result of pagesOf((pageToken) => get({ ...filter, pageSize, pageToken }))) {
          seen.push(...result.data.map(({ id }: { id: string }) => id))
          assert.equal(result.pageToken, result.nextPageToken)
        }
        assert.deepEqual(seen, all)
      }
    }
  })

  it('binds a page token to the organization and the folder', async () => {
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'f' }] })
    await add([{ documentId: 'a' }, { documentId: 'b' }])
    const { nextPageToken: pageToken } = (await get({ pageSize: 1 })).body.result
    assert.deepEqual(await ids({ pageToken }), ['b'])
    refusedField(await get({ folderId: 'f', pageToken }), 'pageToken')
    refusedField(await get({ folderId: 'root', pageToken }), 'pageToken')
    refusedField(await key.post(getOrganizations.path, { pageToken }), 'pageToken')
  })
})
