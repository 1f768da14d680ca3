/** Who can be mentioned on a document, and who may list them (rules/comments.md#who-can-be-mentioned). */
import assert from 'node:assert/strict'
import { beforeAll, describe, it } from 'vitest'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { listMentionableUsers } from '#contract/comments/mentionable.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { setDocumentAccess } from '#contract/resources/documents.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { type Client, pagesOf } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { asUser, newKeyWithDocuments, ON_ROADMAP, organizationId } from '#testing/threads.ts'
import { refused, withoutRequestId } from '../../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let key: Client
const roadmap = (accessRole: string) => ({ type: 'document', id: 'roadmap', organizationId, accessRole })
const member = { type: 'organization', id: organizationId, accessRole: 'viewer' }
const grant = (userId: string, ...resources: object[]) =>
  key.call(addPermissions, { user: { userId }, permissions: { resources } } as never)
const list = (client: Client, more: Partial<DataOf<typeof listMentionableUsers>> = {}) =>
  client.call(listMentionableUsers, { ...ON_ROADMAP, ...more })
const ids = async (client: Client, text?: string) =>
  (await list(client, text === undefined ? {} : { text })).map(({ userId }) => userId)

beforeAll(async () => {
  key = await newKeyWithDocuments(server)
  await key.call(updateKeyConfig, { accessRoles: ['viewer', 'commenter', 'editor'] })
  await key.call(setDocumentAccess, { organizationId, documentIds: ['roadmap'], accessType: 'restricted' })
  await key.call(addOrganizations, { organizations: [{ organizationId: 'globex' }] })
  await grant('ada', member, roadmap('editor'))
  for (const userId of ['bob', 'eve', 'sam', 'zoe', 'without']) await grant(userId, member)
  await grant('guest', roadmap('commenter'), { type: 'organization', id: 'globex', accessRole: 'viewer' })
  await grant('stranger', { type: 'organization', id: 'globex', accessRole: 'viewer' })
  await grant('past', { ...roadmap('editor'), expiresAt: 1 })
  await key.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'sales' }] })
  await key.call(addUserGroupUsers, {
    organizationId,
    organizationUserGroupId: 'sales',
    userIds: ['bob', 'eve', 'sam', 'zoe'],
  })
  await key.call(addPermissions, {
    group: { organizationId, groupId: 'sales' },
    permissions: { resources: [roadmap('viewer')] },
  } as never)
  await key.call(setProfiles, {
    users: [
      { userId: 'ada', name: 'Ada Byron', email: 'ada@example.com' },
      { userId: 'bob', name: 'Robert Éclair', email: 'hidden@example.com', photoUrl: 'https://example.com/bob.png' },
    ],
  })
})

describe('mentionable-users.list', () => {
  it('lists for an auth token the users who can open the document by a grant or membership, with addresses', async () => {
    assert.deepEqual(await ids(key), ['ada', 'bob', 'eve', 'guest', 'sam', 'zoe'])
    assert.equal((await list(key))[0]?.email, 'ada@example.com')
  })

  it('lists for a member the same, without addresses of others', async () => {
    const users = await list(await asUser(key, 'ada'))
    assert.deepEqual(users.slice(0, 2), [
      { userId: 'ada', name: 'Ada Byron', email: 'ada@example.com' },
      { userId: 'bob', name: 'Robert Éclair', photoUrl: 'https://example.com/bob.png' },
    ])
    assert.deepEqual(
      users.map(({ userId }) => userId),
      ['ada', 'bob', 'eve', 'guest', 'sam', 'zoe'],
    )
  })

  it('lists for a guest only those with a grant of their own on the document', async () => {
    const guest = await asUser(key, 'guest')
    assert.deepEqual(await ids(guest), ['ada', 'guest'])
    assert.deepEqual(await ids(guest, 'bob'), [])
  })

  it('finds the beginnings of words of names and ids, and nobody by an address', async () => {
    const ada = await asUser(key, 'ada')
    for (const [text, found] of [
      ['ecl', ['bob']],
      ['ROB', ['bob']],
      ['b', ['ada', 'bob']],
      ['air', []],
      ['hidden', []],
      ['ada@', []],
      ['  ', ['ada', 'bob', 'eve', 'guest', 'sam', 'zoe']],
      ['%', []],
    ] as const)
      assert.deepEqual(await ids(ada, text), found, text)
  })

  it('is refused to viewers, and to users without access as if the document did not exist', async () => {
    const asked = async (userId: string, documentId: string) =>
      (await asUser(key, userId)).post(listMentionableUsers.path, { organizationId, documentId })
    assert.equal(refused(await asked('eve', 'roadmap'), 'PERMISSION_DENIED').reason, 'access_role_missing')
    const [hidden, unknown] = [await asked('stranger', 'roadmap'), await asked('stranger', 'unknown')]
    assert.equal(refused(hidden, 'NOT_FOUND').reason, 'document_does_not_exist')
    assert.equal(withoutRequestId(hidden), withoutRequestId(unknown))
  })

  it('has pages of any size, and no page has users who were disabled or lost access', async () => {
    await grant('late', roadmap('viewer'))
    await grant('off', roadmap('viewer'))
    await key.call(removePermissions, {
      userId: 'late',
      permissions: { resources: [{ type: 'document', id: 'roadmap', organizationId }] },
    })
    await key.call(disableUsers, { userIds: ['off'], disabled: true })
    for (const client of [key, await asUser(key, 'ada'), await asUser(key, 'guest')]) {
      const all = await list(client)
      const paged: unknown[] = []
      for await (const { data } of pagesOf((pageToken) =>
        client.post(listMentionableUsers.path, { ...ON_ROADMAP, pageSize: 1, pageToken }),
      )) {
        assert.equal(data.length, 1)
        paged.push(...data)
      }
      assert.deepEqual(paged, all)
    }
  })
})
