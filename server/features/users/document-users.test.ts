/** Listing the users of documents, and the documents of each. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { migrateDocument } from '#contract/resources/migrations.ts'
import { getDocumentUsers } from '#contract/users/document-users.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { addUsers, getUsers } from '#contract/users/users.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type Acme, newAcme, organizationId } from '#testing/acme.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let acme: Acme
const get = (data: object = {}) => acme.call(getDocumentUsers, data)

beforeEach(async () => {
  acme = await newAcme(server)
  await acme.addDocuments('root', { documentId: 'b', documentName: 'B' }, { documentId: 'a' })
  await acme.call(addUsers, { users: [{ userId: 'ada', name: 'Ada', accessRole: 'editor' }], documentId: 'b' })
  await acme.grant('document', 'a', 'ada', 'bob')
  await acme.grant('organization', organizationId, 'carl')
})

describe('document-users.get', () => {
  it('returns the users of all documents as users.get does, page by page', async () => {
    assert.deepEqual(await get(), [{ userId: 'ada', name: 'Ada', initial: 'A' }, { userId: 'bob' }])
    assert.deepEqual(await get(), await acme.call(getUsers, { allDocuments: true }))
    assert.deepEqual(await get({ userIds: ['bob', 'carl', 'nobody'] }), [{ userId: 'bob' }])
    const { data, nextPageToken } = (await acme.post(getDocumentUsers, { pageSize: 1 })).body.result
    assert.deepEqual(data.length, 1)
    assert.deepEqual(await get({ pageSize: 1, pageToken: nextPageToken }), [{ userId: 'bob' }])
  })

  it('adds the documents of each user on which a grant is live, in id order, with includeInvolvedDocuments', async () => {
    const expiresAt = 2_000_000_000
    const granted = (id: string, more: object = {}) =>
      acme.key.call(addPermissions, {
        user: { userId: 'bob' },
        permissions: { resources: [{ type: 'document', id, organizationId, ...more }] },
      })
    await granted('declared', { expiresAt })
    await granted('a', { expiresAt, accessRole: 'editor' })
    await granted('over', { expiresAt: 1_000_000_000 })
    await acme.call(migrateDocument, { documentId: 'b', newDocumentId: 'c' })
    const involved = () => get({ userIds: ['ada', 'bob', 'carl'], includeInvolvedDocuments: true })
    while (JSON.stringify(await involved()).includes('"b"'));
    assert.deepEqual(await involved(), [
      {
        userId: 'ada',
        name: 'Ada',
        initial: 'A',
        involvedDocuments: [
          { documentId: 'a', accessRole: 'viewer' },
          { documentId: 'c', documentName: 'B', accessRole: 'editor' },
        ],
      },
      {
        userId: 'bob',
        involvedDocuments: [
          { documentId: 'a', accessRole: 'editor', expiresAt },
          { documentId: 'declared', accessRole: 'editor', expiresAt },
        ],
      },
    ])
  })

  it('adds the same documents to users.get: of members, and of the users of a document or folder', async () => {
    const involved = { includeInvolvedDocuments: true, userIds: ['ada', 'carl'] }
    const documents = [
      { documentId: 'a', accessRole: 'viewer' },
      { documentId: 'b', documentName: 'B', accessRole: 'editor' },
    ]
    assert.deepEqual(await acme.call(getUsers, involved), [
      { userId: 'carl', accessRole: 'viewer', involvedDocuments: [] },
    ])
    const ada = { userId: 'ada', name: 'Ada', initial: 'A' }
    assert.deepEqual(await acme.call(getUsers, { ...involved, documentId: 'b' }), [
      { ...ada, accessRole: 'editor', involvedDocuments: documents },
    ])
    assert.deepEqual(await acme.call(getUsers, { ...involved, allDocuments: true }), [
      { ...ada, involvedDocuments: documents },
    ])
    const { data, nextPageToken } = (
      await acme.post(getUsers, { ...involved, userIds: ['ada', 'bob'], allDocuments: true, pageSize: 1 })
    ).body.result
    assert.deepEqual(data, [{ ...ada, involvedDocuments: documents }])
    assert.deepEqual(
      await acme.call(getUsers, {
        ...{ ...involved, userIds: ['ada', 'bob'], allDocuments: true },
        ...{ pageSize: 1, pageToken: nextPageToken },
      }),
      [{ userId: 'bob', involvedDocuments: [{ documentId: 'a', accessRole: 'viewer' }] }],
    )
  })

  it('does not count grants of user groups', async () => {
    await acme.call(addUserGroups, { organizationUserGroups: [{ groupId: 'g' }] })
    await acme.call(addUserGroupUsers, { organizationUserGroupId: 'g', userIds: ['carl'] })
    const resources = [{ type: 'document' as const, id: 'a', organizationId }]
    await acme.key.call(addPermissions, { group: { organizationId, groupId: 'g' }, permissions: { resources } })
    assert.deepEqual(await get({ userIds: ['carl'], includeInvolvedDocuments: true }), [])
  })

  it('returns a limited number of documents, and says that there are more', async () => {
    await server.db.query(
      `with added as (
         insert into resources (organization_key, resource_key, kind, id)
         select $1::uuid, gen_random_uuid(), 'document', 'm' || n from generate_series(1, ${LIMITS.involvedDocumentsMax}) n
         returning organization_key, resource_key
       )
       insert into grants (organization_key, resource_key, principal, kind, standing_role)
       select organization_key, resource_key, 'bob', 'document', 'viewer' from added`,
      [organizationKey({ apiKeyId: apiKeyOf(acme.key) as never }, organizationId)],
    )
    const [ada, bob] = await get({ userIds: ['ada', 'bob'], includeInvolvedDocuments: true })
    assert.equal(bob.involvedDocuments.length, LIMITS.involvedDocumentsMax)
    assert.equal(bob.hasMoreInvolvedDocuments, true)
    assert.equal('hasMoreInvolvedDocuments' in ada, false)
  })

  it('needs 1 to 5 user ids with includeInvolvedDocuments, and an organization', async () => {
    const message = 'userIds must have 1 to 5 items when includeInvolvedDocuments is true'
    for (const userIds of [undefined, ['1', '2', '3', '4', '5', '6']])
      for (const operation of [getDocumentUsers, getUsers])
        refusedField(await acme.post(operation, { userIds, includeInvolvedDocuments: true }), 'userIds', message)
    const grouped = { userIds: ['ada'], allDocuments: true, groupByDocumentId: true, includeInvolvedDocuments: true }
    refusedField(await acme.post(getUsers, grouped), 'groupByDocumentId')
    const unknown = await acme.post(getDocumentUsers, { organizationId: 'nope' })
    assert.equal(refused(unknown, 'NOT_FOUND').reason, 'organization_does_not_exist')
  })
})
