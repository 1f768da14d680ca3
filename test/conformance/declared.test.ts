/**
 * Folders and documents that were never added, but that grants or invitations have named, can be closed, and calls say
 * that these exist (rules/data.md#declared).
 */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { listEvents } from '#contract/events/events.ts'
import {
  addDocuments,
  deleteDocuments,
  disableDocuments,
  moveDocuments,
  setDocumentAccess,
  updateDocuments,
} from '#contract/resources/documents.ts'
import { deleteFolder, setFolderAccess, updateFolders } from '#contract/resources/folders.ts'
import { addInvitation, respondToInvitation } from '#contract/resources/invitations.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { addUserGroups, deleteUserGroups } from '#contract/users/user-groups.ts'
import { deleteUsers } from '#contract/users/users.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'

const server = await sharedServer()
const organizationId = 'acme'
let key: Client
beforeEach(async () => {
  key = await server.newKey()
  await key.call(addOrganizations, { organizations: [{ organizationId }] })
})

const named = (type: 'folder' | 'document', id: string) => ({ type, id, organizationId }) as const
const grant = (userId: string, ...resources: ReturnType<typeof named>[]) =>
  key.call(addPermissions, { user: { userId }, permissions: { resources } })
const isAllowed = async (userId: string, resource: ReturnType<typeof named>) =>
  (await key.call(checkPermissions, { checks: [{ userId, resource }] })).checks[0]?.allowed
const eventsOf = async (type: string) =>
  (await key.call(listEvents, { types: [type] })).events.map(({ resource, before }) => ({ id: resource?.id, before }))

describe('a document that was never added', () => {
  const secret = named('document', 'secret')

  it('is deleted with its grants, the result says how many, and an event records it', async () => {
    await grant('ada', secret)
    await grant('bob', secret)
    await key.call(addDocuments, { organizationId, documents: [{ documentId: 'added' }] })
    const results = await key.call(deleteDocuments, { organizationId, documentIds: ['secret', 'added', 'nothing'] })
    assert.equal(results.secret?.success, true)
    assert.equal(results.secret?.permissions, 2)
    assert.equal(results.secret?.message, 'The document was never added; 2 grants on it ended.')
    assert.equal(results.added?.permissions, undefined)
    assert.equal(results.nothing?.code, 'not-found')
    for (const userId of ['ada', 'bob']) assert.equal(await isAllowed(userId, secret), false)
    const events = await eventsOf('document.deleted')
    assert.deepEqual(events.find(({ id }) => id === 'secret')?.before, {
      documentName: null,
      metadata: {},
      permissions: 2,
    })
    const again = await key.call(deleteDocuments, { organizationId, documentIds: ['secret'] })
    assert.deepEqual([again.secret?.code, again.secret?.message], ['not-found', 'The document does not exist.'])
  })

  it('gives its grants to a document that is added under its id, and none after it was deleted', async () => {
    await grant('ada', secret)
    const add = () =>
      key.call(addDocuments, { organizationId, documents: [{ documentId: 'secret', accessType: 'restricted' }] })
    await add()
    assert.equal(await isAllowed('ada', secret), true)
    await key.call(deleteDocuments, { organizationId, documentIds: ['secret'] })
    await grant('ada', secret)
    await key.call(deleteDocuments, { organizationId, documentIds: ['secret'] })
    await add()
    assert.equal(await isAllowed('ada', secret), false)
  })

  it('is named with its grants by each call that cannot change it', async () => {
    await grant('ada', secret)
    const documentIds = ['secret']
    const calls = [
      key.call(updateDocuments, { organizationId, documents: [{ documentId: 'secret', documentName: 'S' }] }),
      key.call(moveDocuments, { organizationId, documentIds, folderId: 'root' }),
      key.call(setDocumentAccess, { organizationId, documentIds, accessType: 'restricted' }),
      key.call(disableDocuments, { organizationId, documentIds, disabled: true }),
    ]
    for (const { secret: result } of await Promise.all(calls)) {
      assert.deepEqual([result?.success, result?.code, result?.permissions], [false, 'not-found', 1])
      assert.equal(
        result?.message,
        'The document was never added, but there is 1 grant on it. Add the document first, or delete it to end the grant.',
      )
    }
    assert.equal(await isAllowed('ada', secret), true)
  })
})

describe('a folder that was never added', () => {
  const vault = named('folder', 'vault')

  it('is deleted with its grants, and the result says how many', async () => {
    await grant('ada', vault)
    await grant('bob', vault)
    const { deleted } = await key.call(deleteFolder, { organizationId, folderId: 'vault' })
    assert.deepEqual(deleted, { folders: 1, documents: 0, permissions: 2 })
    assert.equal(await isAllowed('ada', vault), false)
    assert.deepEqual((await eventsOf('folder.deleted'))[0]?.before, { folderName: null, ...deleted })
    const again = await key.post(deleteFolder.path, { organizationId, folderId: 'vault' })
    assert.equal(again.body.error.reason, 'folder_does_not_exist')
  })

  it('is named with its grants by each call that cannot change it', async () => {
    await grant('ada', vault)
    const folders = (change: object) =>
      key.call(updateFolders, { organizationId, folders: [{ folderId: 'vault', ...change }] })
    const calls = [
      folders({ folderName: 'V' }),
      folders({ parentFolderId: 'root' }),
      key.call(setFolderAccess, { organizationId, folderIds: ['vault'], accessType: 'restricted' }),
    ]
    for (const { vault: result } of await Promise.all(calls)) {
      assert.deepEqual([result?.success, result?.code, result?.permissions], [false, 'not-found', 1])
      assert.match(result?.message ?? '', /^The folder was never added, but there is 1 grant on it\./)
    }
  })
})

describe('what only an invitation has named', () => {
  const invited = { email: 'bob@example.com', organizationId, accessRole: 'editor' } as const
  const inviteToDocument = () => key.call(addInvitation, { ...invited, type: 'doc_user', documentId: 'plan' })
  const reject = (place: object) =>
    key.post(respondToInvitation.path, { email: invited.email, organizationId, status: 'REJECTED', ...place })

  it('is deleted with the invitation, which nobody can answer any more', async () => {
    await inviteToDocument()
    await key.call(addInvitation, { ...invited, type: 'folder_user', folderId: 'plans' })
    const documentIds = ['plan']
    const { plan } = await key.call(deleteDocuments, { organizationId, documentIds })
    assert.deepEqual([plan?.success, plan?.permissions], [true, 0])
    assert.equal(plan?.message, 'The document was never added; 1 invitation to it ended.')
    const { deleted } = await key.call(deleteFolder, { organizationId, folderId: 'plans' })
    assert.deepEqual(deleted, { folders: 1, documents: 0, permissions: 0 })
    for (const place of [
      { type: 'doc_user', documentId: 'plan' },
      { type: 'folder_user', folderId: 'plans' },
    ])
      assert.equal((await reject(place)).http, 404)
    assert.equal((await key.call(deleteDocuments, { organizationId, documentIds })).plan?.code, 'not-found')
  })

  it('is named with its invitations and grants by calls that cannot change it', async () => {
    await inviteToDocument()
    const message = async () =>
      (await key.call(disableDocuments, { organizationId, documentIds: ['plan'], disabled: true })).plan?.message
    assert.equal(
      await message(),
      'The document was never added, but there is 1 invitation to it. Add the document first, or delete it to end the invitation.',
    )
    await grant('ada', named('document', 'plan'))
    assert.equal(
      await message(),
      'The document was never added, but there are 1 grant and 1 invitation on it. Add the document first, or delete it to end them.',
    )
  })

  it('is deleted after the invitation was answered', async () => {
    await inviteToDocument()
    assert.equal((await reject({ type: 'doc_user', documentId: 'plan' })).http, 200)
    const { plan } = await key.call(deleteDocuments, { organizationId, documentIds: ['plan'] })
    assert.deepEqual([plan?.success, plan?.message], [true, 'The document was never added; no grant on it was left.'])
  })
})

it('what was never added can be deleted after its grants have ended, and does not exist then', async () => {
  const resources = [named('document', 'secret'), named('folder', 'vault')] as const
  const ends: (() => Promise<unknown>)[] = [
    () => key.call(removePermissions, { userId: 'ada', permissions: { resources: [...resources] } }),
    () => key.call(deleteUsers, { organizationId, userIds: ['ada'] }),
    () => key.call(deleteUserGroups, { organizationId, organizationUserGroupIds: ['crew'] }),
  ]
  const reasons = async () => {
    const checks = resources.map((resource) => ({ userId: 'bob', resource }))
    return (await key.call(checkPermissions, { checks })).checks.map(({ reason }) => reason)
  }
  for (const end of ends) {
    await key.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'crew', groupName: 'Crew' }] })
    const holder = end === ends[2] ? { group: { groupId: 'crew', organizationId } } : { user: { userId: 'ada' } }
    await key.call(addPermissions, { ...holder, permissions: { resources: [...resources] } })
    await end()
    assert.deepEqual(await reasons(), ['access_type', 'access_type'])
    const { secret } = await key.call(disableDocuments, { organizationId, documentIds: ['secret'], disabled: true })
    assert.deepEqual(
      [secret?.code, secret?.permissions, secret?.message],
      ['not-found', 0, 'The document was never added. Add the document first, or delete it.'],
    )
    assert.equal((await key.call(deleteDocuments, { organizationId, documentIds: ['secret'] })).secret?.success, true)
    const { deleted } = await key.call(deleteFolder, { organizationId, folderId: 'vault' })
    assert.deepEqual(deleted, { folders: 1, documents: 0, permissions: 0 })
    assert.deepEqual(await reasons(), ['does_not_exist', 'does_not_exist'])
  }
})

it('grants and deletions at the same time leave a grant only if it came last', async () => {
  const results = await Promise.all(
    Array.from({ length: 20 }, async (_, nth) =>
      nth % 2 === 0
        ? grant(`user${nth}`, named('document', 'raced'))
        : key.call(deleteDocuments, { organizationId, documentIds: ['raced'] }),
    ),
  )
  assert.equal(results.length, 20)
  const last = await key.call(deleteDocuments, { organizationId, documentIds: ['raced'] })
  const ended = [...results, last].reduce<number>(
    (sum, result) => sum + ((result as typeof last | undefined)?.raced?.permissions ?? 0),
    0,
  )
  assert.equal(ended, 10)
})
