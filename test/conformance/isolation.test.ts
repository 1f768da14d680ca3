/** API keys are isolated: if two keys have the same ids, a change of one is never visible to the other. */

import assert from 'node:assert/strict'
import { beforeAll, describe, it } from 'vitest'
import { listGrants } from '#contract/access/grants.ts'
import { addActivities } from '#contract/activities/activities.ts'
import { writes } from '#contract/core/operation.ts'
import {
  createApiKey,
  deleteApiKey,
  disableApiKey,
  enableApiKey,
  getApiKeys,
  updateApiKey,
} from '#contract/keys/api-keys.ts'
import { createAuthToken, resetAuthToken, revokeAuthToken } from '#contract/keys/auth-tokens.ts'
import { respondToDomainRequest } from '#contract/keys/domain-requests.ts'
import { copyKeyConfig } from '#contract/keys/key-config.ts'
import { addNotification } from '#contract/notifications/notifications.ts'
import { setNotificationPreferences } from '#contract/notifications/preferences.ts'
import { OPERATIONS, operationNamed } from '#contract/operations.ts'
import { addDocuments, getDocuments } from '#contract/resources/documents.ts'
import { addInvitation, getInvitations } from '#contract/resources/invitations.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { listProfiles } from '#contract/users/profiles.ts'
import { addUserGroups, getUserGroups } from '#contract/users/user-groups.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { addUsers, getUsers } from '#contract/users/users.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint, deleteWebhookEndpoint, updateWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { replayWebhookMessages, resendWebhookMessage, testWebhook } from '#contract/webhooks/messages.ts'
import { rotateWebhookSecret } from '#contract/webhooks/secrets.ts'
import { inviteOperator, removeOperator, updateOperator } from '#contract/workspace/operators.ts'
import { testSsoConfig, updateSsoConfig, verifySsoDomain } from '#contract/workspace/sso-config.ts'
import {
  createWorkspaceToken,
  resetWorkspaceToken,
  revokeWorkspaceToken,
} from '#contract/workspace/workspace-tokens.ts'
import { until } from '#testing/eventually.ts'
import { completeErasure, completeMigration, completeRevocation } from '#testing/jobs.ts'
import { startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { apiKeyOf, type Callers, callersFrom } from './support/callers.ts'
import { requestedDomain } from './support/example-world.ts'
import { refused, withoutLastUse, withoutPageTokens, withoutRequestId, withoutShown } from './support/refused.ts'
import { fingerprintOfKey } from './support/tables.ts'

const mailServer = await startMailServer()
const server = await startServer({ SMTP_URL: mailServer.url, MAIL_FROM: 'mail@example.com' })

/** Without data: those of the example. */
type Call = [operation: string, data?: unknown]
function post(callers: Callers, [name, data]: Call) {
  const { credentials, path, example } = operationNamed(name)
  return callers[credentials].post(path, data ?? example)
}

const organizationId = 'acme'
const resources = [
  { type: 'organization', id: organizationId },
  { type: 'folder', id: 'plans', organizationId },
  { type: 'document', id: 'roadmap', organizationId },
  { type: 'document', id: 'declared', organizationId },
]

/** Creates the same world for both and changes one, with every operation that writes with an API key. */
const world: Call[] = [
  ['organizations.add', { organizations: [{ organizationId, organizationName: 'Acme', color: 'red' }] }],
  ['folders.add', { organizationId, folders: [{ folderId: 'plans', accessType: 'restricted' }] }],
  [
    'documents.add',
    { organizationId, folderId: 'plans', documents: [{ documentId: 'roadmap' }, { documentId: 'spare' }] },
  ],
  ['users.add', { organizationId, users: [{ userId: 'ada', name: 'Ada', accessRole: 'viewer' }] }],
  ['permissions.add', { user: { userId: 'ada' }, permissions: { resources } }],
  ['user-groups.add', { organizationId, organizationUserGroups: [{ groupId: 'design' }, { groupId: 'spare' }] }],
  ['user-group-users.add', { organizationId, organizationUserGroupId: 'design', userIds: ['ada'] }],
  ['invitations.add'],
  ['threads.add'],
  ['activity-config.update', { activityServiceConfig: { isEnabled: true, immutable: false } }],
  ['activities.add'],
  ['notifications.add'],
  ['notification-preferences.set'],
]
const changes: Call[] = [
  ['organizations.add', { organizations: [{ organizationId, organizationName: 'Changed', color: 'blue' }] }],
  ['folders.add', { organizationId, folders: [{ folderId: 'more', parentFolderId: 'plans' }] }],
  ['documents.add', { organizationId, documents: [{ documentId: 'declared', accessType: 'public' }] }],
  ['users.add', { organizationId, documentId: 'roadmap', users: [{ userId: 'bob', name: 'Bob' }] }],
  ['users.update', { organizationId, users: [{ userId: 'ada', name: null, accessRole: 'editor' }] }],
  ['permissions.add', { user: { userId: 'bob' }, permissions: { resources } }],
  ['grants.add', { grants: resources.map((resource) => ({ userId: 'eve', ...resource, accessRole: 'viewer' })) }],
  [
    'sharing.update',
    { organizationId, documentId: 'roadmap', userId: 'ada', grants: [{ groupId: 'spare', accessRole: 'editor' }] },
  ],
  [
    'profiles.set',
    {
      users: [
        { userId: 'ada', name: 'Ada L.' },
        { userId: 'eve', name: 'Eve' },
      ],
    },
  ],
  ['permissions.remove', { userId: 'ada', permissions: { resources } }],
  [
    'user-tokens.generate',
    { userId: 'ada', userProperties: { name: 'Eve' }, permissions: { resources: resources.slice(0, 2) } },
  ],
  ['user-tokens.revoke', { userId: 'ada' }],
  ['signing-keys.rotate', { gracePeriodSeconds: 0 }],
  ['permission-signatures.generate'],
  ['migrations.migrate', { organizationId, documentId: 'spare', newDocumentId: 'moved' }],
  [
    'threads.add',
    { organizationId, documentId: 'roadmap', commentAnnotations: [{ commentData: [{ from: { userId: 'eve' } }] }] },
  ],
  ['comments.add'],
  ['comments.update'],
  ['comments.delete'],
  ['threads.read'],
  ['comment-data.set'],
  ['thread-subscriptions.set'],
  ['threads.update'],
  ['threads.delete'],
  ['invitations.add', { ...addInvitation.example, type: 'doc_user', documentId: 'roadmap' }],
  ['invitations.respond'],
  ['user-groups.add', { organizationId, organizationUserGroups: [{ groupId: 'more', groupName: 'More' }] }],
  ['user-groups.update', { organizationId, organizationUserGroups: [{ groupId: 'design', groupName: 'Changed' }] }],
  ['user-group-users.add', { organizationId, organizationUserGroupId: 'spare', userIds: ['ada'] }],
  ['user-group-users.delete', { organizationId, organizationUserGroupId: 'design', userIds: ['ada'] }],
  ['user-group-users.delete', { organizationId, organizationUserGroupId: 'spare', deleteAll: true }],
  ['user-groups.delete', { organizationId, organizationUserGroupIds: ['design'] }],
  ['users.delete', { organizationId, documentId: 'roadmap', userIds: ['ada'] }],
  ['users.delete', { organizationId, userIds: ['ada', 'bob'] }],
  ['key-config.update', { defaultDocumentAccessType: 'restricted', userTokenLifetimeSeconds: 60 }],
  ['email-config.update', { useEmailService: true, emailServiceConfig: { apiKey: 'SG.secret', fromCompany: 'Acme' } }],
  ['email-config.test', {}],
  ['notification-config.update', { useNotificationService: true }],
  ['activity-config.update', { activityServiceConfig: { isEnabled: true } }],
  [
    'permission-provider-config.update',
    { usePermissionProvider: true, permissionProviderConfig: { authToken: 'secret' } },
  ],
  ['webhook-config.update', { useWebhookService: true, webhookServiceConfig: { authToken: 'secret' } }],
  ['advanced-webhook-config.update', { isEnabled: true, encodeData: true }],
  ['domains.add', { domains: ['app.example.com', 'localhost'] }],
  ['domains.delete', { domains: ['localhost'] }],
  ['domain-requests.add', { domain: 'beta.example.com', clientDocumentId: 'roadmap', organizationId }],
  ['activities.update'],
  ['activities.add', { ...addActivities.example, documentId: 'declared' }],
  ['activities.delete'],
  ['notifications.update'],
  ['notifications.add', { ...addNotification.example, notificationId: 'other', documentId: 'declared' }],
  ['notification-preferences.set', { ...setNotificationPreferences.example, config: { inbox: 'MINE' } }],
  ['notifications.delete'],
  ['user-access.revoke', { userIds: ['ada', 'eve'] }],
  ['user-data.delete', { userIds: ['ada', 'bob'] }],
  ['users.disable', { userIds: ['ada', 'bob'], disabled: true }],
  ['organizations.update', { organizations: [{ organizationId, organizationName: null, color: null }] }],
  ['organizations.disable', { organizationIds: [organizationId], disabled: true }],
  ['folders.update', { organizationId, folders: [{ folderId: 'plans', folderName: 'P' }] }],
  ['folders.update', { organizationId, folders: [{ folderId: 'more', parentFolderId: 'root' }] }],
  ['folder-access.set', { organizationId, folderIds: ['plans', 'more'], inheritFromParent: true }],
  ['documents.update', { organizationId, documents: [{ documentId: 'declared', documentName: 'D', color: 'red' }] }],
  ['documents.move', { organizationId, documentIds: ['declared'], folderId: 'more' }],
  ['document-access.set', { organizationId, documentIds: ['declared'], accessType: 'restricted' }],
  ['documents.disable', { organizationId, documentIds: ['declared'], disabled: true }],
  ['documents.delete', { organizationId, documentIds: ['declared'] }],
  ['folders.delete', { organizationId, folderId: 'plans' }],
  ['organizations.delete', { organizationIds: [organizationId] }],
]

/**
 * Whether a call takes something away. Between calls that do and others, everything is read: what calls of one kind change
 * for the other key is not undone by the next of this kind.
 */
const takes = (call: Call | undefined): boolean | undefined => call && /\.(delete|remove|revoke|disable)$/.test(call[0])

/** Operations of a workspace on its keys, its operators and its tokens. */
const OF_THE_WORKSPACE = [
  'api-keys.update',
  'key-config.copy',
  'auth-tokens.create',
  'auth-tokens.revoke',
  'auth-tokens.reset',
  'api-keys.disable',
  'api-keys.enable',
  'api-keys.delete',
  'operators.invite',
  'operators.update',
  'operators.remove',
  'sso-config.update',
  'sso-config.test',
  'sso-domains.verify',
  'workspace-tokens.create',
  'workspace-tokens.revoke',
  'workspace-tokens.reset',
]

/** Operations that need ids that the service assigns. */
const WITH_AN_ENDPOINT = [
  'webhook-endpoints.create',
  'webhook-endpoints.update',
  'webhook-secrets.rotate',
  'webhook-messages.test',
  'webhook-messages.resend',
  'webhook-messages.replay',
  'webhook-endpoints.delete',
]

async function answerRequest(callers: Callers): Promise<void> {
  await callers.apiKey.call(respondToDomainRequest, { id: await requestedDomain(callers), action: 'accept' })
}

async function changeWebhooks({ apiKey }: Callers): Promise<void> {
  const { id: endpointId } = await apiKey.call(createWebhookEndpoint, { url: 'https://receiver.invalid/' })
  await apiKey.call(updateWebhookEndpoint, { endpointId, description: 'Search' })
  await apiKey.call(rotateWebhookSecret, { endpointId })
  const { messageId } = await apiKey.call(testWebhook, { endpointId })
  await apiKey.call(resendWebhookMessage, { endpointId, messageId })
  await apiKey.call(replayWebhookMessages, { endpointId, since: 0 })
  await apiKey.call(deleteWebhookEndpoint, { endpointId })
}

const ask = { organizationId, userIds: ['ada', 'bob'], folderIds: ['plans', 'more'], documentIds: ['roadmap', 'spare'] }

/** The ids that the service assigned to the observed key. */
interface Given {
  migrationId: string
  jobId: string
  revocationId: string
  /** A user token. */
  token: string
  /** The endpoint of a webhook that gets no messages. */
  endpointId: string
}

const MIGRATION = { organizationId, documentId: 'roadmap', newDocumentId: 'roadmap-2' }

/** Reads everything, with data that fit this world, or else with the example of the operation. */
function reads(callers: Callers, given: Given): Call[] {
  const named = namedReads(callers, given)
  const others = OPERATIONS.filter((one) => !writes(one) && !named.some(([name]) => name === one.name))
  return [...named, ...others.map(({ name }): Call => [name])]
}

const namedReads = (callers: Callers, { migrationId, jobId, revocationId, token, endpointId }: Given): Call[] => [
  ['workspaces.get', {}],
  ['api-keys.get', {}],
  ['auth-tokens.get', { apiKey: apiKeyOf(callers.apiKey) }],
  ['auth-tokens.list', { apiKey: apiKeyOf(callers.apiKey) }],
  ['organizations.get', {}],
  ['organizations.get', { organizationIds: [organizationId, 'unknown'] }],
  ['folders.get', { organizationId }],
  ['folders.get', { organizationId, folderId: 'plans' }],
  ['documents.count', { organizationId }],
  ['documents.get', { organizationId }],
  ['documents.get', { organizationId, folderId: 'plans' }],
  ['documents.get', { organizationId, documentIds: ['roadmap', 'spare', 'moved', 'declared'] }],
  ['users.get', { organizationId }],
  ['users.get', { organizationId, folderId: 'plans', userIds: ['ada', 'bob'] }],
  ['users.get', { organizationId, organizationUserGroupIds: ['design', 'spare'], searchKey: 'a' }],
  ['users.get', { organizationId, allDocuments: true }],
  ['users.get', { organizationId, allDocuments: true, groupByDocumentId: true }],
  ['users.get', { organizationId, allDocuments: true, groupByDocumentId: true, userIds: ['ada', 'bob'] }],
  ['users.count', { organizationId }],
  ['users.count', { organizationId, allDocuments: true }],
  ['document-users.get', { organizationId, userIds: ['ada', 'bob'], includeInvolvedDocuments: true }],
  ['user-groups.get', { organizationId }],
  ['user-groups.get', { organizationId, organizationUserGroupIds: ['design', 'more'] }],
  ['invitations.get', { organizationId }],
  ['permissions.get', ask],
  ['permissions.get', { ...ask, skipResourceExistenceValidation: true }],
  [
    'permissions.check',
    { checks: ['ada', 'bob'].flatMap((userId) => resources.map((resource) => ({ userId, resource }))) },
  ],
  ...resources.map((resource): Call => ['permissions.explain', { userId: 'ada', resource }]),
  ['permitted-resources.list', { organizationId, userId: 'ada' }],
  ['permitted-resources.list', { organizationId, userId: 'bob', folderId: 'plans' }],
  ...resources.map((resource): Call => ['permitted-users.list', { resource }]),
  [
    'permissions.simulate',
    { organizationId, add: [{ userId: 'ada', resource: { type: 'organization', id: organizationId } }] },
  ],
  [
    'permissions.simulate',
    { organizationId, accessTypes: [{ resource: { type: 'folder', id: 'plans' }, accessType: 'public' }] },
  ],
  ['migrations.get', { organizationId, migrationId }],
  ['grants.list', { organizationId }],
  ['search.find', { query: 'a' }],
  ['search.find', { query: 'road', organizationId }],
  ['profiles.list', {}],
  ['key-config.get', {}],
  ['email-config.get', {}],
  ['webhook-config.get', {}],
  ['permission-provider-config.get', {}],
  ['advanced-webhook-config.get', {}],
  ['webhook-endpoints.get', {}],
  ['webhook-secrets.get', { endpointId }],
  ['webhook-attempts.list', { endpointId }],
  ['domains.get', {}],
  ['migrations.list', { organizationId }],
  ['user-data.get', { organizationId, userId: 'ada' }],
  ['user-data.get', { userId: 'ada' }],
  ['user-data-deletions.get', { jobId }],
  ['user-access-revocations.get', { jobId: revocationId }],
  ['events.list', {}],
  ['events.list', { organizationId }],
  ['events.list', { organizationId, userId: 'ada' }],
  ['events.list', { resource: resources[2], order: 'oldestFirst' }],
  ['account-events.list', {}],
  ['signing-keys.list', {}],
  ['user-tokens.verify', { token }],
]

describe('two API keys with the same ids', () => {
  let one: Callers
  let other: Callers
  let given: Given

  beforeAll(async () => {
    one = await callersFrom(server.client)
    other = await callersFrom(server.client)
    for (const callers of [one, other])
      for (const call of world) assert.equal((await post(callers, call)).http, 200, call[0])
    const migrationId = await completeMigration(other.apiKey, MIGRATION)
    const jobId = await completeErasure(other.apiKey, { userIds: ['nobody'] })
    const revocationId = await completeRevocation(other.apiKey, { userIds: ['nobody'] })
    const { token } = await other.apiKey.call(generateToken, { userId: 'ada' })
    await other.apiKey.call(updateAdvancedWebhookConfig, { isEnabled: true })
    const endpoint = { url: 'https://receiver.invalid/', filterTypes: ['never.sent'] }
    const { id: endpointId } = await other.apiKey.call(createWebhookEndpoint, endpoint)
    given = { migrationId, jobId, revocationId, token, endpointId }
  })

  it('cover every operation of the contract', () => {
    const called = [...world, ...changes, ...reads(one, given)].map(([name]) => name)
    const others = ['workspaces.create', 'login-links.create', 'api-keys.create', respondToDomainRequest.name]
    const covered = new Set([...called, ...others, ...OF_THE_WORKSPACE, ...WITH_AN_ENDPOINT])
    assert.deepEqual([...covered].sort(), OPERATIONS.map(({ name }) => name).sort())
  })

  it('never see the changes of the other', async () => {
    const look = async () =>
      Promise.all(
        reads(other, given).map(async (call) =>
          withoutPageTokens(withoutShown(withoutLastUse(withoutRequestId(await post(other, call))))),
        ),
      )
    const seen = await look()
    const rows = () => fingerprintOfKey(server.db, apiKeyOf(other.apiKey))
    let rowsBefore = await rows()
    assert.ok(Object.values(rowsBefore).filter((each) => /^[1-9]/m.test(each)).length > 15)
    for (const [nth, call] of changes.entries()) {
      let answer = await post(one, call)
      // The erasure of an earlier call has not ended: the answer says to repeat the call.
      await until(call[0], async () => {
        if (answer.body.error?.reason !== 'user_being_erased') return true
        answer = await post(one, call)
        return false
      })
      assert.equal(answer.http, 200, call[0])
      assert.deepEqual(await rows(), rowsBefore, `after ${call[0]}`)
      if (takes(call) === takes(changes[nth + 1])) continue
      assert.deepEqual(await look(), seen, `until ${call[0]}`)
      rowsBefore = await rows() // reading a secret writes an event
    }
    await answerRequest(one)
    assert.deepEqual(await look(), seen, 'after a request for a domain was answered')
    await changeWebhooks(one)
    assert.deepEqual(await look(), seen, 'after changes of webhooks')
    for (const call of world) assert.equal((await post(one, call)).http, 200, call[0])
    await completeMigration(one.apiKey, MIGRATION)
    await completeRevocation(one.apiKey, { userIds: ['ada', 'eve'] })
    await completeErasure(one.apiKey, { userIds: ['ada', 'bob'] })
    const { workspace } = one
    const apiKey = apiKeyOf(one.apiKey)
    const fields = { ownerEmail: 'ada@example.com', type: 'testing' } as const
    const { apiKey: targetApiKey } = await workspace.call(createApiKey, fields)
    await workspace.call(copyKeyConfig, { sourceApiKey: apiKey, targetApiKey })
    await workspace.call(updateApiKey, { apiKey, apiKeyName: 'Renamed' })
    const { authToken } = await workspace.call(createAuthToken, { apiKey, name: 'another' })
    await workspace.call(revokeAuthToken, { apiKey, authTokenId: authToken.id })
    await workspace.call(resetAuthToken, { apiKey })
    await workspace.call(disableApiKey, { apiKey })
    await workspace.call(enableApiKey, { apiKey })
    await workspace.call(deleteApiKey, { apiKey, apiKeyName: 'Renamed' })
    const { operator } = await workspace.call(inviteOperator, inviteOperator.example)
    await workspace.call(updateOperator, { operatorId: operator.id, role: 'admin' })
    await workspace.call(removeOperator, { operatorId: operator.id })
    await workspace.call(updateSsoConfig, updateSsoConfig.example)
    await workspace.call(testSsoConfig, testSsoConfig.example)
    await workspace.call(verifySsoDomain, verifySsoDomain.example)
    const { id: tokenId } = await workspace.call(createWorkspaceToken, { name: 'another' })
    await workspace.call(revokeWorkspaceToken, { tokenId })
    await workspace.call(resetWorkspaceToken, {})
    assert.deepEqual(await look(), seen, 'after changes of the workspace')
  })
})

describe('two API keys of one workspace', () => {
  it('are isolated like those of two workspaces', async () => {
    const callers = await callersFrom(server.client)
    const { apiKey, authToken = '' } = await callers.workspace.call(createApiKey, {
      ownerEmail: 'ada@example.com',
      type: 'testing',
      createAuthToken: true,
    })
    const sibling = server.client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })
    await callers.apiKey.call(addOrganizations, { organizations: [{ organizationId }] })
    assert.deepEqual(await sibling.call(getOrganizations, {}), [])
    refused(await sibling.post(getDocuments.path, { organizationId }), 'NOT_FOUND')
  })
})

describe("another tenant's page token", () => {
  it('is refused as not issued', async () => {
    const [mine, theirs] = [await callersFrom(server.client), await callersFrom(server.client)]
    const organizations = ['a', 'b', 'c'].map((id) => ({ organizationId: id }))
    for (const { apiKey } of [mine, theirs]) {
      await apiKey.call(addOrganizations, { organizations })
      const documents = organizations.map((_, index) => ({ documentId: `d${index}` }))
      await apiKey.call(addDocuments, { organizationId: 'a', documents })
      await apiKey.call(addUsers, { organizationId: 'a', users: [{ userId: 'ada' }, { userId: 'bob' }] })
      for (const email of ['ada@example.com', 'bob@example.com'])
        await apiKey.call(addInvitation, { organizationId: 'a', type: 'org_user', email })
      await apiKey.call(addUserGroups, {
        organizationId: 'a',
        organizationUserGroups: [{ groupId: 'x' }, { groupId: 'y' }],
      })
    }
    for (const [operation, data] of [
      [getOrganizations, { pageSize: 1 }],
      [getDocuments, { organizationId: 'a', pageSize: 1 }],
      [getUsers, { organizationId: 'a', pageSize: 1 }],
      [getUserGroups, { organizationId: 'a', pageSize: 1 }],
      [listGrants, { organizationId: 'a', pageSize: 1 }],
      [getInvitations, { organizationId: 'a', pageSize: 1 }],
      [listProfiles, { pageSize: 1 }],
    ] as const) {
      const { body } = await theirs.apiKey.post(operation.path, data)
      const foreign = await mine.apiKey.post(operation.path, { ...data, pageToken: body.result.nextPageToken })
      const unknown = await mine.apiKey.post(operation.path, { ...data, pageToken: 'nonsense' })
      assert.equal(refused(foreign, 'INVALID_ARGUMENT').reason, 'page_token_invalid')
      assert.equal(withoutRequestId(foreign), withoutRequestId(unknown))
    }
    await theirs.workspace.call(createApiKey, { ownerEmail: 'ada@example.com', type: 'testing' })
    const { body } = await theirs.workspace.post(getApiKeys.path, { pageSize: 1 })
    const pageToken = body.result.nextPageToken
    refused(await mine.workspace.post(getApiKeys.path, { pageSize: 1, pageToken }), 'INVALID_ARGUMENT')
  })
})
