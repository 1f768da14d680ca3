/**
 * Sends the same requests in strict and in lax mode: the responses differ only for unknown fields of the request
 * (rules/contract.md#unknown-fields).
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addGrants } from '#contract/access/grants.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import type { Operation } from '#contract/core/operation.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { getKeyConfig, updateKeyConfig } from '#contract/keys/key-config.ts'
import { updateEmailConfig } from '#contract/keys/service-configs.ts'
import { addDocuments, getDocuments, updateDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { getUserData } from '#contract/users/user-data.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { addUsers, deleteUsers, getUsers, updateUsers } from '#contract/users/users.ts'
import { sharedServer } from '#testing/server.ts'
import { newExampleWorld } from './support/example-world.ts'
import { refusedField, withoutRequestId } from './support/refused.ts'

const strict = await sharedServer()
const lax = await sharedServer({ STRICT_FIELDS: 'false' })

const organizationId = 'acme'
const resource = { type: 'document', id: 'roadmap', organizationId }
const granting = (more: object) => ({ user: { userId: 'ada' }, permissions: { resources: [{ ...resource, ...more }] } })
const users = (...list: object[]) => ({ organizationId, users: list })
const documents = (...list: object[]) => ({ organizationId, documents: list })

/** Requests as clients write them, valid and invalid. */
const SAME: [Operation, object][] = [
  [addOrganizations, { organizations: [{ organizationId: 'b', organizationName: null, plan: 'pro', disabled: true }] }],
  [addOrganizations, { organizations: [{ organizationId: 'b', accesType: 'restricted' }] }],
  [addOrganizations, { organizations: [{ organizationId: 42 }] }],
  [getOrganizations, { organizationIds: [] }],
  [getOrganizations, { organizationIds: null, pageSize: null }],
  [addFolders, { organizationId, folders: [{ folderId: 'f', folderName: null, color: 'red' }] }],
  [addDocuments, documents({ documentId: 'd', createdBy: { userId: 'ada' }, role: 'author', permissions: ['read'] })],
  [addDocuments, documents({ documentId: 'd', Disabled: true })],
  [addDocuments, documents({ documentId: 'd', role: 'viewer' })],
  [addDocuments, documents({ documentId: 'd', folderId: 'plans' })],
  [addDocuments, { ...documents({ documentId: 'd', disabled: true }), folderId: null, merge: true }],
  [getDocuments, { organizationId, documentIds: null, filters: null }],
  [updateDocuments, { ...documents({ documentId: 'roadmap', status: 'draft', documentName: null }), merge: false }],
  [addUsers, users({ userId: 'bob', email: '', photoUrl: '', initials: 'B', accessRole: null })],
  [addUsers, users({ userId: 'bob', accesRole: 'viewer' })],
  [addUsers, users({ userId: 'bob', expiresat: 2_000_000_000 })],
  [addUsers, users({ userId: 42 })],
  [addUsers, { ...users({ userId: 'bob' }), expires_at: 2_000_000_000 }],
  [updateUsers, { ...users({ userId: 'ada', name: null, team: 'x' }), options: { all: true } }],
  [setProfiles, { users: [{ userId: 'ada', organizationId: 'b', permissions: { resources: [] } }] }],
  [setProfiles, { users: [{ userId: 'ada', organizationId: 'b', email: null }] }],
  [getUsers, { organizationId, allDocuments: null, includeInvolvedDocuments: false }],
  [getDocuments, { organizationId, orderByCommentViews: false }],
  [deleteUsers, { organizationId, userIds: ['ada'], documentID: 'roadmap' }],
  [addPermissions, granting({ accessRole: null, expiresAt: null })],
  [addPermissions, granting({ accessRole: 'viewer', expiresAt: 2_000_000_000.5, context: { access: { team: 'x' } } })],
  [addPermissions, granting({ expiresAt: 2_000_000_000_000 })],
  [addPermissions, granting({ expires_at: 2_000_000_000 })],
  [addPermissions, granting({ zzzzzz: 1 })],
  [addPermissions, { user: { userId: 'ada' }, permissions: { resources: [] } }],
  [removePermissions, { userId: 'ada', user: null, permissions: { resources: [] } }],
  [addGrants, { grants: [{ userId: 'ada', groupId: null, ...resource, expires: 1 }] }],
  [generateToken, { userId: 'ada', userProperties: { organizationId, email: '', plan: 'pro' }, permissions: null }],
  [generateToken, { userId: 'ada', userProperties: { permissions: { resources: [resource] } } }],
  [getUserData, { userId: 'ada', organizationId, serviceAllOrganizations: true, uniqueId: 'x' }],
  [updateKeyConfig, { aiModelApiKey: null }],
  [updateKeyConfig, {}],
  [updateEmailConfig, { emailServiceConfig: { type: 'custom', apiKey: '' } }],
  [createApiKey, { ...createApiKey.example, platform: 'sdk', isSuperWorkspace: false, persistenceDBRegion: null }],
]

/** Requests with unknown fields, by their names in the request. */
const UNKNOWN: [Operation, lawful: object, unknown: Record<string, unknown>][] = [
  [addOrganizations, addOrganizations.example, { zzzzzz: 1, workspaceId: 'x' }],
  [addDocuments, documents({ documentId: 'd' }), { locationId: 'l', orderByCommentViews: true }],
  [addUsers, users({ userId: 'bob' }), { sendInvite: true }],
  [addPermissions, granting({}), { notify: { email: true } }],
  [generateToken, { userId: 'ada' }, { clientId: 'c' }],
  [getKeyConfig, {}, { verbose: true }],
  [createApiKey, createApiKey.example, { region: 'eu', ownerEmial: 'x' }],
]

async function responseOf(server: typeof strict, operation: Operation, data: object): Promise<string> {
  const answer = await (await newExampleWorld(server.client, operation)).post(operation, data)
  return withoutRequestId(answer)
    .replace(/"id":"[0-9a-f]{32}"/g, '"id":""')
    .replace(/"(token|apiKey|authToken|ownerEmail|nextPageToken)":"[^"]+"/g, '"$1":""')
    .replace(/"(createdAt|lastUpdated|changedAt)":\d+/g, '"$1":0')
}

/** The responses in strict mode, in the order of `SAME`. */
const ofStrict = new Map<number, Promise<string>>()
function strictResponse(nth: number): Promise<string> {
  const [operation, data] = SAME[nth] ?? assert.fail()
  const response = ofStrict.get(nth) ?? responseOf(strict, operation, data)
  ofStrict.set(nth, response)
  return response
}

describe('both modes give the same response', () => {
  it('to requests of which most succeed', async () => {
    const answers = await Promise.all(SAME.map((_, nth) => strictResponse(nth)))
    assert.ok(answers.filter((answer) => answer.startsWith('200 ')).length > SAME.length / 2)
  })

  for (const [nth, [operation, data]] of SAME.entries())
    it(`to ${operation.name} with ${JSON.stringify(data)}`, async () => {
      assert.equal(await responseOf(lax, operation, data), await strictResponse(nth))
    })
})

describe('unknown fields are refused in strict mode, and in lax mode as if they were not there', () => {
  for (const [operation, lawful, unknown] of UNKNOWN)
    it(`in ${operation.name}: ${Object.keys(unknown)}`, async () => {
      const data = { ...lawful, ...unknown }
      const refusal = await (await newExampleWorld(strict.client, operation)).post(operation, data)
      for (const name of Object.keys(unknown)) refusedField(refusal, name, /is not a known field/)
      const accepted = await responseOf(strict, operation, lawful)
      assert.match(accepted, /^200 /)
      assert.equal(await responseOf(lax, operation, data), accepted)
    })
})
