/**
 * permissions.get and permissions.check (rules/access.md#permissions-get, rules/access.md#what-a-user-token-may-do,
 * rules/access.md#questions). test/matrix checks that the decisions are correct.
 */
import assert from 'node:assert/strict'
import { afterAll, beforeEach, describe, it } from 'vitest'
import { checkPermissions, type Decision, getPermissions } from '#contract/access/decisions.ts'
import { addPermissions, type ResourceName } from '#contract/access/permissions.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import type { Client } from '#testing/client.ts'
import { completeMigration } from '#testing/jobs.ts'
import { startServer } from '#testing/server.ts'
import { refused, refusedField } from '../../../../test/conformance/support/refused.ts'

const server = await startServer()
const organizationId = 'acme'
let key: Client
beforeEach(async () => {
  key = await server.newKey()
})
afterAll(() => server.clock.set(null))

const document = (id: string, more: object = {}) => ({ type: 'document' as const, id, organizationId, ...more })
const organization = (more: object = {}) => ({ type: 'organization' as const, id: organizationId, ...more })
const grant = (userId: string, ...resources: object[]) =>
  key.post(addPermissions.path, { user: { userId }, permissions: { resources } })
const add = (...resources: object[]) => grant('ada', ...resources)
const get = (data: object = {}) => key.post(getPermissions.path, { organizationId, userIds: ['ada'], ...data })
const check = (checks: { userId?: string; resource: ResourceName; atLeast?: 'viewer' | 'editor' }[]) =>
  key.post(checkPermissions.path, { checks })
const decisionsOf = async (...checks: Parameters<typeof check>[0]) => {
  const { http, body } = await check(checks)
  assert.equal(http, 200)
  return body.result.data.checks
}
const at = (seconds: number) => server.clock.set(new Date(seconds * 1000))

describe('permissions.get', () => {
  it('returns a decision with its reason for every user and resource', async () => {
    await key.call(addOrganizations, { organizations: [{ organizationId }] })
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'f', accessType: 'restricted' }] })
    await key.call(addDocuments, { organizationId, folderId: 'f', documents: [{ documentId: 'd' }] })
    await add({ type: 'folder', id: 'f', organizationId, accessRole: 'viewer' })
    const { body } = await get({ userIds: ['ada', 'bob', 'ada'], folderIds: ['f'], documentIds: ['d', 'd'] })
    const via = { type: 'folder', id: 'f', inherited: false }
    const denied = { reason: 'no_grant', error: 'The user has no permission.', errorCode: 'permission_denied' }
    assert.deepEqual(body.result.data, {
      ada: {
        organization: { acme: denied },
        folders: { f: { accessRole: 'viewer', accessType: 'restricted', reason: 'grant', via } },
        documents: {
          d: { accessRole: 'viewer', accessType: 'restricted', reason: 'grant', via: { ...via, inherited: true } },
        },
      },
      bob: {
        organization: { acme: denied },
        folders: { f: { accessType: 'restricted', ...denied } },
        documents: { d: { accessType: 'restricted', ...denied } },
      },
    })
  })

  it('supports user and document ids that are names of inherited object properties', async () => {
    const names = ['__proto__', 'constructor', 'toString']
    for (const userId of names) await grant(userId, ...names.map((id) => document(id, { accessRole: 'viewer' })))
    const { body } = await get({ userIds: names, documentIds: names })
    assert.deepEqual(Object.keys(body.result.data), names)
    for (const user of Object.values(body.result.data) as { documents: Record<string, { accessRole: string }> }[])
      assert.deepEqual(
        Object.entries(user.documents).map(([id, { accessRole }]) => [id, accessRole]),
        names.map((id) => [id, 'viewer']),
      )
  })

  it('responds NOT_FOUND with the whole map if a resource does not exist, unless skipResourceExistenceValidation is set', async () => {
    await add(organization(), document('d'))
    const data = { folderIds: ['nope'], documentIds: ['d', 'nope'] }
    const error = refused(await get(data), 'NOT_FOUND')
    const skipped = await get({ ...data, skipResourceExistenceValidation: true })
    assert.deepEqual(error.details, skipped.body.result.data)
    const missing = (what: string) => ({
      reason: 'does_not_exist',
      error: `${what} does not exist.`,
      errorCode: 'does_not_exist',
    })
    assert.deepEqual(error.details.ada.folders.nope, missing('Folder'))
    assert.deepEqual(error.details.ada.documents.nope, missing('Document'))
    assert.equal(error.details.ada.documents.d.reason, 'grant')
    refused(await get({ organizationId: 'nope' }), 'NOT_FOUND')
  })

  it('accepts 10,000 pairs of user and resource and refuses 10,001', async () => {
    await add(organization())
    const some = (count: number, letter: string) => Array.from({ length: count }, (_, index) => `${letter}${index}`)
    const full = { userIds: some(100, 'u'), documentIds: some(99, 'd'), skipResourceExistenceValidation: true }
    assert.equal((await get(full)).http, 200)
    refusedField(await get({ ...full, userIds: some(73, 'u'), documentIds: some(136, 'd') }), 'userIds', /10000/)
  })
})

describe('permissions.check', () => {
  it('returns explained decisions for several users and organizations in the order of the checks', async () => {
    await key.call(addOrganizations, { organizations: [{ organizationId }] })
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'f', accessType: 'restricted' }] })
    await key.call(addDocuments, { organizationId, folderId: 'f', documents: [{ documentId: 'd' }] })
    await add({ type: 'folder', id: 'f', organizationId, accessRole: 'viewer', expiresAt: 4_000_000_000 })
    await grant('bob', { type: 'organization', id: 'other' })
    const answers = await decisionsOf(
      { userId: 'bob', resource: document('d') },
      { userId: 'ada', resource: document('d') },
      { userId: 'bob', resource: { type: 'organization', id: 'other' } },
      { userId: 'ada', resource: document('nope') },
      { userId: 'ada', resource: document('d') },
    )
    const viewer = {
      allowed: true,
      accessRole: 'viewer',
      accessType: 'restricted',
      reason: 'grant',
      via: { type: 'folder', id: 'f', inherited: true },
      expiresAt: 4_000_000_000,
    }
    assert.deepEqual(answers, [
      { allowed: false, accessType: 'restricted', reason: 'no_grant' },
      viewer,
      {
        allowed: true,
        accessRole: 'editor',
        reason: 'grant',
        via: { type: 'organization', id: 'other', inherited: false },
      },
      { allowed: false, reason: 'does_not_exist' },
      viewer,
    ])
  })

  it('returns the new id of a migrated document', async () => {
    await key.call(addDocuments, { organizationId, createOrganization: true, documents: [{ documentId: 'old' }] })
    await completeMigration(key, { organizationId, documentId: 'old', newDocumentId: 'new' })
    assert.deepEqual(await decisionsOf({ userId: 'ada', resource: document('old') }), [
      { allowed: false, reason: 'does_not_exist', migratedTo: 'new' },
    ])
  })

  describe('with atLeast', () => {
    const asks = async (id = 'd') =>
      (
        await decisionsOf(
          { userId: 'ada', resource: document(id), atLeast: 'viewer' },
          { userId: 'ada', resource: document(id), atLeast: 'editor' },
        )
      ).map(({ allowed, accessRole, reason }: { allowed: boolean; accessRole: string; reason: string }) => [
        allowed,
        accessRole,
        reason,
      ])

    it('denies viewers when editor is required, and returns the actual role of users with a higher one', async () => {
      await add(document('d', { accessRole: 'viewer' }))
      assert.deepEqual(await asks(), [
        [true, 'viewer', 'grant'],
        [false, undefined, 'no_grant'],
      ])
      await add(document('d', { accessRole: 'editor' }))
      assert.deepEqual(await asks(), [
        [true, 'editor', 'grant'],
        [true, 'editor', 'grant'],
      ])
    })

    it('denies users without a grant where the default role of the key is viewer', async () => {
      await key.call(updateKeyConfig, { defaultAccessRole: 'viewer' })
      await key.call(addOrganizations, { organizations: [{ organizationId }] })
      await grant('member', organization({ expiresAt: 2_000_000_000, accessRole: 'editor' }))
      await grant('over', document('d', { expiresAt: 1 }))
      const asked = (atLeast: 'viewer' | 'editor') =>
        decisionsOf(...['eve', 'member', 'over'].map((userId) => ({ userId, resource: document('d'), atLeast })))
      const shown = (decisions: Decision[]) => decisions.map(({ accessRole, reason }) => [accessRole, reason])
      assert.deepEqual(shown(await asked('viewer')), [
        ['viewer', 'access_type'],
        ['editor', 'grant'],
        ['viewer', 'access_type'],
      ])
      assert.deepEqual(shown(await asked('editor')), [
        [undefined, 'no_grant'],
        ['editor', 'grant'],
        [undefined, 'grant_expired'],
      ])
    })

    it('returns grant_expired exactly if an expired grant would have given the editor role', async () => {
      at(100)
      await add(organization({ accessRole: 'viewer' }), document('d', { expiresAt: 99 }))
      await add(organization({ accessRole: 'viewer' }), document('e', { accessRole: 'viewer', expiresAt: 99 }))
      assert.deepEqual((await asks('d'))[1], [false, undefined, 'grant_expired'])
      assert.deepEqual((await asks('e'))[1], [false, undefined, 'no_grant'])
      server.clock.set(null)
    })

    it('does not report an editor grant above the boundary as expired', async () => {
      await key.call(addDocuments, {
        organizationId,
        createOrganization: true,
        documents: [{ documentId: 'd', accessType: 'restricted' }],
      })
      await add(organization({ accessRole: 'editor' }))
      assert.deepEqual(await asks(), [
        [false, undefined, 'no_grant'],
        [false, undefined, 'no_grant'],
      ])
    })
  })

  it('finds the nearest grant of a user with grants on many folders', async () => {
    const folderId = (level: number) => `f${level}`
    const folders = Array.from({ length: 40 }, (_, level) => ({
      folderId: folderId(level),
      ...(level === 0 ? {} : { parentFolderId: folderId(level - 1) }),
    }))
    await key.call(addOrganizations, { organizations: [{ organizationId }] })
    await key.call(addFolders, { organizationId, folders })
    await key.call(addDocuments, { organizationId, folderId: folderId(39), documents: [{ documentId: 'd' }] })
    at(100)
    const grants = (role: 'viewer' | 'editor', expiresAt: number, from: number, to: number) =>
      folders
        .slice(from, to)
        .map(({ folderId: id }) => ({ type: 'folder', id, organizationId, accessRole: role, expiresAt }))
    await add(...grants('editor', 200, 0, 30), ...grants('viewer', 300, 30, 33), ...grants('editor', 99, 33, 40))
    const [decision, asEditor] = await decisionsOf(
      { userId: 'ada', resource: document('d') },
      { userId: 'ada', resource: document('d'), atLeast: 'editor' },
    )
    const via = { type: 'folder', id: folderId(32), inherited: true }
    const viewer = { allowed: true, accessRole: 'viewer', accessType: 'public', reason: 'grant', via, expiresAt: 300 }
    assert.deepEqual(decision, viewer)
    assert.deepEqual(asEditor, { allowed: false, accessType: 'public', reason: 'grant_expired' })
    await add(document('d'))
    const [own] = await decisionsOf({ userId: 'ada', resource: document('d') })
    assert.deepEqual(own.via, { type: 'document', id: 'd', inherited: false })
    server.clock.set(null)
  })

  it('accepts 1,000 checks and refuses 1,001', async () => {
    await add(document('d'))
    const questions = (count: number) =>
      Array.from({ length: count }, () => ({ userId: 'ada', resource: document('d') }))
    assert.equal((await decisionsOf(...questions(1_000))).length, 1_000)
    refusedField(await check(questions(1_001)), 'checks', /1000/)
  })

  it('reports every check with an incomplete resource, and a check without a user', async () => {
    const error = refused(
      await check([
        { userId: 'ada', resource: { type: 'document', id: 'd' } },
        { userId: 'ada', resource: organization() },
        { userId: 'ada', resource: { type: 'folder', id: 'root', organizationId } },
      ]),
      'INVALID_ARGUMENT',
    )
    assert.deepEqual(
      error.details.map(({ field }: { field: string }) => field),
      ['checks[0].resource.organizationId', 'checks[2].resource.id'],
    )
    refusedField(await check([{ resource: organization() }]), 'checks[0].userId', /required/)
  })
})
