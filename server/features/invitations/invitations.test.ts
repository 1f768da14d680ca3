/** Inviting people, and their answers (rules/resources.md#invitations). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments, deleteDocuments, getDocuments } from '#contract/resources/documents.ts'
import { addFolders, deleteFolder } from '#contract/resources/folders.ts'
import {
  addInvitation,
  countInvitations,
  getInvitations,
  getUserInvitations,
  respondToInvitation,
} from '#contract/resources/invitations.ts'
import { addOrganizations, deleteOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { listProfiles, setProfiles } from '#contract/users/profiles.ts'
import type { revokeUserAccess } from '#contract/users/user-access.ts'
import { type deleteUserData, getUserData } from '#contract/users/user-data.ts'
import { generateToken, revokeTokens } from '#contract/users/user-tokens.ts'
import { addUsers, deleteUsers, getUsers } from '#contract/users/users.ts'
import { type Client, pagesOf } from '#testing/client.ts'
import { completeErasure, completeMigration, completeRevocation } from '#testing/jobs.ts'
import { assertRecent } from '#testing/recent.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { eventsDuring, eventsOf } from '../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let key: Client
beforeEach(async () => {
  key = await server.newKey()
  await key.call(addOrganizations, { organizations: [{ organizationId }] })
})

const organizationId = 'acme'
const email = 'Grace.Hopper@example.com'
const TO = {
  org_user: { organizationId, type: 'org_user', email },
  doc_user: { organizationId, type: 'doc_user', documentId: 'roadmap', email },
  folder_user: { organizationId, type: 'folder_user', folderId: 'plans', email },
} as const
const RESOURCES = {
  org_user: { type: 'organization', id: organizationId },
  doc_user: { type: 'document', id: 'roadmap', organizationId },
  folder_user: { type: 'folder', id: 'plans', organizationId },
} as const

type Target = Pick<DataOf<typeof addInvitation>, 'organizationId' | 'type' | 'documentId' | 'folderId' | 'email'>

const invite = (target: Target = TO.org_user, more: object = {}) => key.call(addInvitation, { ...target, ...more })
const list = (more: object = {}) => key.call(getInvitations, { organizationId, ...more })
const answer = (status: string, target: Target = TO.org_user, more: object = {}) =>
  key.post(respondToInvitation.path, { ...target, status, ...more })
const tokenOf = async (userId: string, userProperties: object = {}) =>
  (await key.call(generateToken, { userId, userProperties })).token
const accept = async (target: Target = TO.org_user, user: object = {}) =>
  answer('ACCEPTED', target, { user: { userId: 'grace', ...user }, authToken: await tokenOf('grace') })
const accepted = async (target: Target = TO.org_user, user: object = {}): Promise<void> => {
  const { http, text } = await accept(target, user)
  assert.equal(http, 200, text)
}
async function roleOn(type: keyof typeof RESOURCES): Promise<string | undefined> {
  await key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
  const [decision] = (await key.call(checkPermissions, { checks: [{ userId: 'grace', resource: RESOURCES[type] }] }))
    .checks
  return decision?.allowed ? decision.accessRole : undefined
}
const profileOf = async (userId: string) =>
  (await key.call(listProfiles, {})).profiles.find((profile) => profile.userId === userId)
const events = () => eventsOf(server.db, apiKeyOf(key))

describe('invitations.add', () => {
  it('adds a pending invitation with the given fields', async () => {
    const invitedBy = { userId: 'ada', email: 'ada@example.com', name: 'Ada', team: 'design' }
    const names = { organizationName: 'Acme', documentName: 'Roadmap' }
    await invite(TO.doc_user, { ...names, accessRole: 'viewer', invitedBy })
    const [{ invitationId = '', createdAt = 0, lastUpdated, ...invitation } = {}] = await list()
    assert.deepEqual(invitation, { ...TO.doc_user, ...names, status: 'PENDING', accessRole: 'viewer', invitedBy })
    assert.match(invitationId, /^[0-9a-f-]{36}$/)
    assertRecent(createdAt)
    assert.equal(lastUpdated, createdAt)
  })

  it('renews a pending one, whatever the case of the address: given fields replace its own', async () => {
    await invite(TO.org_user, { organizationName: 'Acme', accessRole: 'viewer', invitedBy: { name: 'Ada' } })
    const [before] = await list()
    const renewed = await eventsDuring(server.db, apiKeyOf(key), () =>
      invite({ ...TO.org_user, email: email.toUpperCase() }, { organizationName: 'Acme Ltd' }),
    )
    const [after, ...others] = await list()
    assert.deepEqual(others, [])
    const { lastUpdated = 0 } = after ?? {}
    assert.ok(lastUpdated >= (before?.lastUpdated ?? 0))
    assert.deepEqual(after, { ...before, email: email.toUpperCase(), organizationName: 'Acme Ltd', lastUpdated })
    assert.deepEqual(
      renewed.map(({ type, before: was, after: is }) => [type, was?.email, is?.email]),
      [['invitation.renewed', email, email.toUpperCase()]],
    )
  })

  it('adds one for each resource and address', async () => {
    for (const target of Object.values(TO)) await invite(target)
    await invite({ ...TO.org_user, email: 'eve@example.com' })
    assert.equal((await list()).length, 4)
  })

  it('records an event without a user', async () => {
    await invite(TO.folder_user, { accessRole: 'editor', invitedBy: { name: 'Ada' } })
    const [invitation] = await list()
    const { body } = await key.post('/v2/workspace/events/list', { types: ['invitation.*'] })
    const [event] = body.result.data.events
    assert.equal(event.type, 'invitation.added')
    assert.deepEqual(event.resource, { type: 'folder', id: 'plans' })
    assert.equal('userId' in event, false)
    assert.deepEqual(event.after, { invitationId: invitation?.invitationId, email, accessRole: 'editor' })
  })

  it('declares missing resources, and creates the organization, as a grant does', async () => {
    await invite({ ...TO.doc_user, organizationId: 'new' })
    const organizations = await key.call(getOrganizations, {})
    assert.deepEqual(organizations.map(({ id }) => id).sort(), ['acme', 'new'])
    assert.deepEqual(await key.call(getDocuments, { organizationId: 'new' }), [])
    await key.call(updateKeyConfig, { requireKnownResources: true })
    for (const target of [
      { ...TO.org_user, organizationId: 'other' },
      { ...TO.doc_user, documentId: 'other' },
    ]) {
      const error = refused(await key.post(addInvitation.path, target), 'INVALID_ARGUMENT')
      assert.equal(error.reason, 'resource_does_not_exist')
    }
    assert.equal((await key.call(getOrganizations, {})).length, 2)
  })

  it('refuses ids that the type does not have, and a call without those that it needs', async () => {
    const post = (target: object) => key.post(addInvitation.path, { organizationId, email, ...target })
    refusedField(await post({ type: 'doc_user' }), 'documentId', 'documentId is required with type doc_user')
    refusedField(await post({ type: 'folder_user' }), 'folderId', 'folderId is required with type folder_user')
    refusedField(
      await post({ type: 'doc_user', documentId: 'd', folderId: 'f' }),
      'folderId',
      'folderId must not be given with type doc_user',
    )
    refusedField(await post({ type: 'org_user', documentId: 'd' }), 'documentId')
    refusedField(await post({ type: 'folder_user', folderId: 'root' }), 'folderId')
    refusedField(await post({ type: 'org_user', email: 'nobody' }), 'email')
  })

  it('refuses the old id of a migrated document, and the invitation has the new one', async () => {
    await key.call(addDocuments, { organizationId, documents: [{ documentId: 'roadmap' }] })
    await invite(TO.doc_user)
    await completeMigration(key, { organizationId, documentId: 'roadmap', newDocumentId: 'roadmap-2' })
    const refusal = refused(await key.post(addInvitation.path, TO.doc_user), 'INVALID_ARGUMENT')
    assert.equal(refusal.reason, 'document_was_migrated')
    assert.equal(refusal.details[0].migratedTo, 'roadmap-2')
    assert.equal((await list())[0]?.documentId, 'roadmap-2')
    assert.equal(refused(await answer('REJECTED', TO.doc_user), 'NOT_FOUND').details.migratedTo, 'roadmap-2')
    assert.equal((await answer('REJECTED', { ...TO.doc_user, documentId: 'roadmap-2' })).http, 200)
  })

  it('of two at the same moment adds one; the database keeps a second one out', async () => {
    await Promise.all(Array.from({ length: 8 }, () => invite()))
    assert.equal((await list()).length, 1)
    const copy = server.db.query(
      `insert into invitations (organization_key, resource_key, kind, invitee, address, email)
       select organization_key, resource_key, kind, invitee, address, email from invitations
        where organization_key = (select organization_key from organizations where api_key_id = $1)`,
      [apiKeyOf(key)],
    )
    await assert.rejects(copy, /invitations__pending__key/)
  })
})

describe('invitations.respond', () => {
  for (const type of ['org_user', 'doc_user', 'folder_user'] as const)
    it(`gives the role of an invitation of type ${type} when it is accepted, and stores the user`, async () => {
      await invite(TO[type], { accessRole: 'viewer' })
      const before = (await events()).length
      await accepted(TO[type], { name: 'Grace', color: 'red' })
      const [{ status, userId } = {}] = await list()
      assert.deepEqual({ status, userId }, { status: 'ACCEPTED', userId: 'grace' })
      assert.equal(await roleOn(type), 'viewer')
      assert.deepEqual(await profileOf('grace'), { userId: 'grace', name: 'Grace', color: 'red', email })
      const written = (await events()).slice(before).map((event) => `${event.type} ${event.userId}`)
      assert.deepEqual(written.filter((one) => /^(invitation|permission|user\.updated)/.test(one)).sort(), [
        'invitation.accepted grace',
        'permission.added grace',
        'user.updated grace',
      ])
    })

  it('uses the role of the invitation, or else of the call, of the live grant, or the default of the key', async () => {
    await invite(TO.org_user)
    await accepted(TO.org_user, { accessRole: 'viewer' })
    assert.equal(await roleOn('org_user'), 'viewer')
    await invite(TO.org_user)
    await accepted()
    assert.equal(await roleOn('org_user'), 'viewer')
    await invite(TO.org_user, { accessRole: 'editor' })
    await accepted()
    assert.equal(await roleOn('org_user'), 'editor')
    await key.call(updateKeyConfig, { defaultAccessRole: 'viewer' })
    await key.call(deleteUsers, { organizationId, userIds: ['grace'] })
    await invite(TO.folder_user)
    await accepted(TO.folder_user)
    assert.equal(await roleOn('folder_user'), 'viewer')
  })

  it('refuses a role other than that of the invitation, and changes nothing', async () => {
    await invite(TO.org_user, { accessRole: 'viewer' })
    const refusal = await accept(TO.org_user, { accessRole: 'editor', name: 'Grace' })
    assert.equal(refused(refusal, 'INVALID_ARGUMENT').reason, 'invitation_role_differs')
    assert.equal((await list())[0]?.status, 'PENDING')
    assert.deepEqual(await profileOf('grace'), { userId: 'grace' })
    assert.equal(await roleOn('org_user'), undefined)
  })

  it('uses the address of the call, else of the profile, else of the token, and refuses another', async () => {
    const authToken = await tokenOf('grace')
    const respond = (user: object, token = authToken) =>
      answer('ACCEPTED', TO.org_user, { user: { userId: 'grace', ...user }, authToken: token })
    await invite()
    const reasonOf = async (response: ReturnType<typeof respond>) => refused(await response, 'INVALID_ARGUMENT').reason
    assert.equal(await reasonOf(respond({ email: 'eve@example.com' })), 'invitation_email_differs')
    const withEmail = await tokenOf('grace', { email: 'eve@example.com' })
    assert.equal(await reasonOf(respond({}, withEmail)), 'invitation_email_differs')
    await key.call(setProfiles, { users: [{ userId: 'grace', email: null }] })
    assert.equal(await reasonOf(respond({}, withEmail)), 'invitation_email_differs')
    await key.call(setProfiles, { users: [{ userId: 'grace', email: email.toLowerCase() }] })
    assert.equal((await respond({}, withEmail)).http, 200)
    assert.equal((await profileOf('grace'))?.email, email.toLowerCase())
  })

  it('requires a user and a valid user token of that user', async () => {
    await invite()
    const user = { userId: 'grace' }
    const refusal = await answer('ACCEPTED')
    refusedField(refusal, 'user', 'user is required with status ACCEPTED')
    refusedField(refusal, 'authToken', 'authToken is required with status ACCEPTED')
    const authToken = await tokenOf('grace')
    const ofOther = await tokenOf('eve')
    await key.call(revokeTokens, { userId: 'grace' })
    const otherKey = await server.newKey()
    const { token: ofOtherKey } = await otherKey.call(generateToken, { userId: 'grace' })
    for (const token of [authToken, ofOther, ofOtherKey, 'nonsense'])
      assert.equal(
        refused(await answer('ACCEPTED', TO.org_user, { user, authToken: token }), 'INVALID_ARGUMENT').reason,
        'user_token_invalid',
      )
    assert.equal((await list())[0]?.status, 'PENDING')
    const own = await tokenOf('grace')
    await key.call(disableUsers, { userIds: ['grace'], disabled: true })
    const disabled = await answer('ACCEPTED', TO.org_user, { user, authToken: own })
    assert.equal(refused(disabled, 'INVALID_ARGUMENT').reason, 'user_token_invalid')
    await key.call(disableUsers, { userIds: ['grace'], disabled: false })
    const later = await tokenOf('grace')
    refusedField(
      await answer('ACCEPTED', TO.org_user, { user: { ...user, organizationId: 'other' }, authToken: later }),
      'user.organizationId',
    )
  })

  it('rejects and withdraws without a user; the address can be invited again', async () => {
    for (const status of ['REJECTED', 'WITHDRAWN']) {
      await invite()
      assert.equal((await answer(status, { ...TO.org_user, email: email.toLowerCase() })).http, 200)
    }
    await invite()
    assert.deepEqual(
      (await list()).map(({ status }) => status),
      ['PENDING', 'WITHDRAWN', 'REJECTED'],
    )
    refusedField(await answer('PENDING'), 'status')
  })

  it('answers only a pending invitation', async () => {
    assert.equal(refused(await answer('REJECTED'), 'NOT_FOUND').reason, 'invitation_does_not_exist')
    await invite()
    await accepted()
    for (const status of ['REJECTED', 'WITHDRAWN']) {
      const { reason, details } = refused(await answer(status), 'FAILED_PRECONDITION')
      assert.equal(reason, 'invitation_not_pending')
      assert.deepEqual(details, { status: 'ACCEPTED' })
    }
    assert.equal(refused(await accept(), 'FAILED_PRECONDITION').reason, 'invitation_not_pending')
  })

  it('accepts one of several concurrent answers', async () => {
    for (let round = 0; round < 4; round++) {
      await invite()
      const authToken = await tokenOf('grace')
      const answers = await Promise.all([
        answer('ACCEPTED', TO.org_user, { user: { userId: 'grace' }, authToken }),
        ...['REJECTED', 'WITHDRAWN', 'WITHDRAWN'].map((status) => answer(status)),
      ])
      assert.deepEqual(answers.map(({ http }) => http).sort(), [200, 400, 400, 400])
    }
    const ends = (await events()).filter(({ type }) => /^invitation\.(accepted|rejected|withdrawn)$/.test(type))
    assert.equal(ends.length, 4)
  })
})

describe('invitations.get, user-invitations.get and invitations.count', () => {
  it('list page by page, newest first, each once', async () => {
    const emails = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@example.com`)
    for (const each of emails) await invite({ ...TO.org_user, email: each })
    const found: string[] = []
    for await (const { data } of pagesOf((pageToken) =>
      key.post(getInvitations.path, { organizationId, pageSize: 2, pageToken }),
    ))
      found.push(...data.map((invitation: { email: string }) => invitation.email))
    assert.deepEqual(found, emails.toReversed())
  })

  it('filter by address, status and type', async () => {
    for (const target of Object.values(TO)) await invite(target)
    await invite({ ...TO.org_user, email: 'eve@example.com' })
    await answer('REJECTED', TO.folder_user)
    const typesOf = (invitations: { type: string }[]) => invitations.map(({ type }) => type)
    assert.deepEqual(typesOf(await list({ email })), ['folder_user', 'doc_user', 'org_user'])
    assert.deepEqual(typesOf(await list({ email, isPendingUsersOnly: true })), ['doc_user', 'org_user'])
    assert.deepEqual(typesOf(await list({ isPendingUsersOnly: true })), ['org_user', 'doc_user', 'org_user'])
    const ofPerson = (more: object) =>
      key.call(getUserInvitations, { organizationId, email: email.toUpperCase(), ...more })
    assert.deepEqual(typesOf(await ofPerson({})), ['folder_user', 'doc_user', 'org_user'])
    assert.deepEqual(typesOf(await ofPerson({ status: 'REJECTED' })), ['folder_user'])
    assert.deepEqual(typesOf(await ofPerson({ type: 'doc_user', status: 'PENDING' })), ['doc_user'])
    const count = async (type: 'org_user' | 'doc_user' | 'folder_user') =>
      (await key.call(countInvitations, { organizationId, type })).count
    assert.deepEqual([await count('org_user'), await count('doc_user'), await count('folder_user')], [2, 1, 0])
  })
})

describe('an invitation', () => {
  it('is deleted with its document, folder or organization', async () => {
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'plans' }] })
    await key.call(addDocuments, { organizationId, documents: [{ documentId: 'roadmap' }] })
    for (const target of Object.values(TO)) await invite(target)
    await key.call(deleteDocuments, { organizationId, documentIds: ['roadmap'] })
    await key.call(deleteFolder, { organizationId, folderId: 'plans' })
    assert.deepEqual(
      (await list()).map(({ type }) => type),
      ['org_user'],
    )
    await key.call(deleteOrganizations, { organizationIds: [organizationId] })
    await key.call(addOrganizations, { organizations: [{ organizationId }] })
    assert.deepEqual(await list(), [])
  })

  it('moves with the declared document that a migration absorbs, unless the person is invited to both', async () => {
    await key.call(addDocuments, { organizationId, documents: [{ documentId: 'old' }] })
    const to = (documentId: string, address: string) =>
      invite({ organizationId, type: 'doc_user', documentId, email: address }, { documentName: documentId })
    await to('old', email)
    await to('new', email)
    await to('new', 'eve@example.com')
    await completeMigration(key, { organizationId, documentId: 'old', newDocumentId: 'new' })
    assert.deepEqual(
      (await list()).map((one) => [one.email, one.documentId, one.documentName]),
      [
        ['eve@example.com', 'new', 'new'],
        [email, 'new', 'old'],
      ],
    )
  })

  it('stays pending when the access of the person is revoked', async () => {
    await key.call(addUsers, { organizationId, users: [{ userId: 'grace', email }] })
    await invite(TO.doc_user)
    await completeRevocation(key, { userIds: ['grace'] } satisfies DataOf<typeof revokeUserAccess>)
    assert.equal((await list())[0]?.status, 'PENDING')
  })

  it('does not revoke the grants of the person: members keep their other grants', async () => {
    await key.call(addPermissions, {
      user: { userId: 'grace' },
      permissions: { resources: [{ ...RESOURCES.doc_user, accessRole: 'editor' }] },
    })
    await invite(TO.org_user, { accessRole: 'viewer' })
    await accepted()
    assert.equal(await roleOn('doc_user'), 'editor')
    assert.equal((await key.call(getUsers, { organizationId })).length, 1)
  })
})

describe('erasing a user', () => {
  it('deletes the invitations of the person, and the names in events and invitations of others', async () => {
    await invite(TO.org_user)
    await accepted(TO.org_user)
    await invite(TO.doc_user)
    await invite(TO.folder_user)
    await answer('REJECTED', TO.folder_user)
    await invite({ ...TO.org_user, email: 'eve@example.com' }, { invitedBy: { userId: 'grace', name: 'Grace' } })
    await invite({ ...TO.org_user, email: 'bob@example.com' }, { invitedBy: { email: email.toLowerCase() } })
    const data = await key.call(getUserData, { organizationId, userId: 'grace' })
    assert.deepEqual(data.invitations.map(({ type, status }) => [type, status]).sort(), [
      ['doc_user', 'PENDING'],
      ['folder_user', 'REJECTED'],
      ['org_user', 'ACCEPTED'],
    ])
    await completeErasure(key, { userIds: ['grace'] } satisfies DataOf<typeof deleteUserData>)
    assert.deepEqual(
      (await list()).map((one) => [one.email, one.invitedBy]),
      [
        ['bob@example.com', undefined],
        ['eve@example.com', undefined],
      ],
    )
    const left = JSON.stringify(await events()).toLowerCase()
    assert.ok(!left.includes('grace'), left)
    assert.ok(left.includes('eve@example.com'))
  })

  it('finds the address under which the person accepted, even if it has changed since', async () => {
    await invite()
    await accepted()
    await key.call(setProfiles, { users: [{ userId: 'grace', email: 'new@example.com' }] })
    await completeErasure(key, { userIds: ['grace'] })
    assert.deepEqual(await list(), [])
    assert.ok(
      !JSON.stringify(await events())
        .toLowerCase()
        .includes(email.toLowerCase()),
    )
  })
})
