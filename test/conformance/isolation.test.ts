/** API keys are isolated: if two keys have the same ids, a change of one is never visible to the other. */

import assert from 'node:assert/strict'
import { beforeAll, describe, it } from 'vitest'
import { listPermittedResources, listPermittedUsers } from '#contract/access/access-lists.ts'
import { checkPermissions, getPermissions } from '#contract/access/decisions.ts'
import { explainPermissions } from '#contract/access/explanations.ts'
import { addGrants, listGrants } from '#contract/access/grants.ts'
import {
  generatePermissionSignature,
  getPermissionProviderConfig,
  updatePermissionProviderConfig,
} from '#contract/access/permission-provider.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { updateSharing } from '#contract/access/sharing-changes.ts'
import { simulatePermissions } from '#contract/access/simulations.ts'
import { addActivities, deleteActivities, updateActivities } from '#contract/activities/activities.ts'
import { setCommentData } from '#contract/comments/comment-data.ts'
import { addComments, deleteComments, updateComments } from '#contract/comments/comments.ts'
import { readThreads } from '#contract/comments/seen.ts'
import { setSubscriptions } from '#contract/comments/subscriptions.ts'
import { addThreads, deleteThreads, updateThreads } from '#contract/comments/threads.ts'
import { type Operation, writes } from '#contract/core/operation.ts'
import { listAccountEvents, listEvents } from '#contract/events/events.ts'
import { updateActivityConfig } from '#contract/keys/activity-config.ts'
import {
  createApiKey,
  deleteApiKey,
  disableApiKey,
  enableApiKey,
  getApiKeys,
  updateApiKey,
} from '#contract/keys/api-keys.ts'
import {
  createAuthToken,
  getAuthTokens,
  listAuthTokens,
  resetAuthToken,
  revokeAuthToken,
} from '#contract/keys/auth-tokens.ts'
import { addDomainRequest, respondToDomainRequest } from '#contract/keys/domain-requests.ts'
import { addDomains, deleteDomains, getDomains } from '#contract/keys/domains.ts'
import { copyKeyConfig, getKeyConfig, updateKeyConfig } from '#contract/keys/key-config.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import {
  getEmailConfig,
  getWebhookConfig,
  testEmailConfig,
  updateEmailConfig,
  updateWebhookConfig,
} from '#contract/keys/service-configs.ts'
import { listSigningKeys, rotateSigningKeys } from '#contract/keys/signing-keys.ts'
import { addNotification, deleteNotifications, updateNotifications } from '#contract/notifications/notifications.ts'
import { setNotificationPreferences } from '#contract/notifications/preferences.ts'
import { OPERATIONS } from '#contract/operations.ts'
import {
  addDocuments,
  countDocuments,
  deleteDocuments,
  disableDocuments,
  getDocuments,
  moveDocuments,
  setDocumentAccess,
  updateDocuments,
} from '#contract/resources/documents.ts'
import { addFolders, deleteFolder, getFolders, setFolderAccess, updateFolders } from '#contract/resources/folders.ts'
import { addInvitation, getInvitations, respondToInvitation } from '#contract/resources/invitations.ts'
import { getMigrationStatus, listMigrations, migrateDocument } from '#contract/resources/migrations.ts'
import {
  addOrganizations,
  deleteOrganizations,
  disableOrganizations,
  getOrganizations,
  updateOrganizations,
} from '#contract/resources/organizations.ts'
import { runSearch } from '#contract/resources/search.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { getDocumentUsers } from '#contract/users/document-users.ts'
import { listProfiles, setProfiles } from '#contract/users/profiles.ts'
import { getUserAccessRevocation, revokeUserAccess } from '#contract/users/user-access.ts'
import { deleteUserData, getUserData, getUserDataDeletion } from '#contract/users/user-data.ts'
import {
  addUserGroups,
  addUserGroupUsers,
  deleteUserGroups,
  deleteUserGroupUsers,
  getUserGroups,
  updateUserGroups,
} from '#contract/users/user-groups.ts'
import { generateToken, revokeTokens, verifyToken } from '#contract/users/user-tokens.ts'
import { addUsers, countUsers, deleteUsers, getUsers, updateUsers } from '#contract/users/users.ts'
import { getAdvancedWebhookConfig, updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoints,
  updateWebhookEndpoint,
} from '#contract/webhooks/endpoints.ts'
import {
  listWebhookAttempts,
  replayWebhookMessages,
  resendWebhookMessage,
  testWebhook,
} from '#contract/webhooks/messages.ts'
import { getWebhookSecret, rotateWebhookSecret } from '#contract/webhooks/secrets.ts'
import { inviteOperator, removeOperator, updateOperator } from '#contract/workspace/operators.ts'
import { createLoginLink } from '#contract/workspace/owner-email.ts'
import { testSsoConfig, updateSsoConfig, verifySsoDomain } from '#contract/workspace/sso-config.ts'
import {
  createWorkspaceToken,
  resetWorkspaceToken,
  revokeWorkspaceToken,
} from '#contract/workspace/workspace-tokens.ts'
import { createWorkspace, getWorkspace } from '#contract/workspace/workspaces.ts'
import { until } from '#testing/eventually.ts'
import { startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { apiKeyOf, type Callers, callersFrom } from './support/callers.ts'
import { erased, migrated, requestedDomain, revoked } from './support/example-world.ts'
import { refused, withoutLastUse, withoutPageTokens, withoutRequestId, withoutShown } from './support/refused.ts'
import { fingerprintOfKey } from './support/tables.ts'

const mailServer = await startMailServer()
const server = await startServer({ SMTP_URL: mailServer.url, MAIL_FROM: 'mail@example.com' })

type Call = [operation: Operation, data: unknown]
const post = (callers: Callers, [operation, data]: Call) => callers[operation.credentials].post(operation.path, data)

const organizationId = 'acme'
const resources = [
  { type: 'organization', id: organizationId },
  { type: 'folder', id: 'plans', organizationId },
  { type: 'document', id: 'roadmap', organizationId },
  { type: 'document', id: 'declared', organizationId },
]

/** Creates the same world for both and changes one, with every operation that writes with an API key. */
const world: Call[] = [
  [addOrganizations, { organizations: [{ organizationId, organizationName: 'Acme', color: 'red' }] }],
  [addFolders, { organizationId, folders: [{ folderId: 'plans', accessType: 'restricted' }] }],
  [
    addDocuments,
    { organizationId, folderId: 'plans', documents: [{ documentId: 'roadmap' }, { documentId: 'spare' }] },
  ],
  [addUsers, { organizationId, users: [{ userId: 'ada', name: 'Ada', accessRole: 'viewer' }] }],
  [addPermissions, { user: { userId: 'ada' }, permissions: { resources } }],
  [addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'design' }, { groupId: 'spare' }] }],
  [addUserGroupUsers, { organizationId, organizationUserGroupId: 'design', userIds: ['ada'] }],
  [addInvitation, addInvitation.example],
  [addThreads, addThreads.example],
  [updateActivityConfig, { activityServiceConfig: { isEnabled: true, immutable: false } }],
  [addActivities, addActivities.example],
  [addNotification, addNotification.example],
  [setNotificationPreferences, setNotificationPreferences.example],
]
const changes: Call[] = [
  [addOrganizations, { organizations: [{ organizationId, organizationName: 'Changed', color: 'blue' }] }],
  [addFolders, { organizationId, folders: [{ folderId: 'more', parentFolderId: 'plans' }] }],
  [addDocuments, { organizationId, documents: [{ documentId: 'declared', accessType: 'public' }] }],
  [addUsers, { organizationId, documentId: 'roadmap', users: [{ userId: 'bob', name: 'Bob' }] }],
  [updateUsers, { organizationId, users: [{ userId: 'ada', name: null, accessRole: 'editor' }] }],
  [addPermissions, { user: { userId: 'bob' }, permissions: { resources } }],
  [addGrants, { grants: resources.map((resource) => ({ userId: 'eve', ...resource, accessRole: 'viewer' })) }],
  [
    updateSharing,
    { organizationId, documentId: 'roadmap', userId: 'ada', grants: [{ groupId: 'spare', accessRole: 'editor' }] },
  ],
  [
    setProfiles,
    {
      users: [
        { userId: 'ada', name: 'Ada L.' },
        { userId: 'eve', name: 'Eve' },
      ],
    },
  ],
  [removePermissions, { userId: 'ada', permissions: { resources } }],
  [
    generateToken,
    { userId: 'ada', userProperties: { name: 'Eve' }, permissions: { resources: resources.slice(0, 2) } },
  ],
  [revokeTokens, { userId: 'ada' }],
  [rotateSigningKeys, { gracePeriodSeconds: 0 }],
  [generatePermissionSignature, generatePermissionSignature.example],
  [migrateDocument, { organizationId, documentId: 'spare', newDocumentId: 'moved' }],
  [
    addThreads,
    { organizationId, documentId: 'roadmap', commentAnnotations: [{ commentData: [{ from: { userId: 'eve' } }] }] },
  ],
  [addComments, addComments.example],
  [updateComments, updateComments.example],
  [deleteComments, deleteComments.example],
  [readThreads, readThreads.example],
  [setCommentData, setCommentData.example],
  [setSubscriptions, setSubscriptions.example],
  [updateThreads, updateThreads.example],
  [deleteThreads, deleteThreads.example],
  [addInvitation, { ...addInvitation.example, type: 'doc_user', documentId: 'roadmap' }],
  [respondToInvitation, respondToInvitation.example],
  [addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'more', groupName: 'More' }] }],
  [updateUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'design', groupName: 'Changed' }] }],
  [addUserGroupUsers, { organizationId, organizationUserGroupId: 'spare', userIds: ['ada'] }],
  [deleteUserGroupUsers, { organizationId, organizationUserGroupId: 'design', userIds: ['ada'] }],
  [deleteUserGroupUsers, { organizationId, organizationUserGroupId: 'spare', deleteAll: true }],
  [deleteUserGroups, { organizationId, organizationUserGroupIds: ['design'] }],
  [deleteUsers, { organizationId, documentId: 'roadmap', userIds: ['ada'] }],
  [deleteUsers, { organizationId, userIds: ['ada', 'bob'] }],
  [updateKeyConfig, { defaultDocumentAccessType: 'restricted', userTokenLifetimeSeconds: 60 }],
  [updateEmailConfig, { useEmailService: true, emailServiceConfig: { apiKey: 'SG.secret', fromCompany: 'Acme' } }],
  [testEmailConfig, {}],
  [updateNotificationConfig, { useNotificationService: true }],
  [updateActivityConfig, { activityServiceConfig: { isEnabled: true } }],
  [updatePermissionProviderConfig, { usePermissionProvider: true, permissionProviderConfig: { authToken: 'secret' } }],
  [updateWebhookConfig, { useWebhookService: true, webhookServiceConfig: { authToken: 'secret' } }],
  [updateAdvancedWebhookConfig, { isEnabled: true, encodeData: true }],
  [addDomains, { domains: ['app.example.com', 'localhost'] }],
  [deleteDomains, { domains: ['localhost'] }],
  [addDomainRequest, { domain: 'beta.example.com', clientDocumentId: 'roadmap', organizationId }],
  [updateActivities, updateActivities.example],
  [addActivities, { ...addActivities.example, documentId: 'declared' }],
  [deleteActivities, deleteActivities.example],
  [updateNotifications, updateNotifications.example],
  [addNotification, { ...addNotification.example, notificationId: 'other', documentId: 'declared' }],
  [setNotificationPreferences, { ...setNotificationPreferences.example, config: { inbox: 'MINE' } }],
  [deleteNotifications, deleteNotifications.example],
  [revokeUserAccess, { userIds: ['ada', 'eve'] }],
  [deleteUserData, { userIds: ['ada', 'bob'] }],
  [disableUsers, { userIds: ['ada', 'bob'], disabled: true }],
  [updateOrganizations, { organizations: [{ organizationId, organizationName: null, color: null }] }],
  [disableOrganizations, { organizationIds: [organizationId], disabled: true }],
  [updateFolders, { organizationId, folders: [{ folderId: 'plans', folderName: 'P' }] }],
  [updateFolders, { organizationId, folders: [{ folderId: 'more', parentFolderId: 'root' }] }],
  [setFolderAccess, { organizationId, folderIds: ['plans', 'more'], inheritFromParent: true }],
  [updateDocuments, { organizationId, documents: [{ documentId: 'declared', documentName: 'D', color: 'red' }] }],
  [moveDocuments, { organizationId, documentIds: ['declared'], folderId: 'more' }],
  [setDocumentAccess, { organizationId, documentIds: ['declared'], accessType: 'restricted' }],
  [disableDocuments, { organizationId, documentIds: ['declared'], disabled: true }],
  [deleteDocuments, { organizationId, documentIds: ['declared'] }],
  [deleteFolder, { organizationId, folderId: 'plans' }],
  [deleteOrganizations, { organizationIds: [organizationId] }],
]

/**
 * Whether a call takes something away. Between calls that do and others, everything is read: what calls of one kind change
 * for the other key is not undone by the next of this kind.
 */
const takes = (call: Call | undefined): boolean | undefined =>
  call && /\.(delete|remove|revoke|disable)$/.test(call[0].name)

/** Operations of a workspace on its keys, its operators and its tokens. */
const OF_THE_WORKSPACE = [
  updateApiKey,
  copyKeyConfig,
  createAuthToken,
  revokeAuthToken,
  resetAuthToken,
  disableApiKey,
  enableApiKey,
  deleteApiKey,
  inviteOperator,
  updateOperator,
  removeOperator,
  updateSsoConfig,
  testSsoConfig,
  verifySsoDomain,
  createWorkspaceToken,
  revokeWorkspaceToken,
  resetWorkspaceToken,
]

/** Operations that need ids that the service assigns. */
const WITH_AN_ENDPOINT = [
  createWebhookEndpoint,
  updateWebhookEndpoint,
  rotateWebhookSecret,
  testWebhook,
  resendWebhookMessage,
  replayWebhookMessages,
  deleteWebhookEndpoint,
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
  const others = OPERATIONS.filter((one) => !writes(one) && !named.some(([{ name }]) => name === one.name))
  return [...named, ...others.map((one): Call => [one, one.example])]
}

const namedReads = (callers: Callers, { migrationId, jobId, revocationId, token, endpointId }: Given): Call[] => [
  [getWorkspace, {}],
  [getApiKeys, {}],
  [getAuthTokens, { apiKey: apiKeyOf(callers.apiKey) }],
  [listAuthTokens, { apiKey: apiKeyOf(callers.apiKey) }],
  [getOrganizations, {}],
  [getOrganizations, { organizationIds: [organizationId, 'unknown'] }],
  [getFolders, { organizationId }],
  [getFolders, { organizationId, folderId: 'plans' }],
  [countDocuments, { organizationId }],
  [getDocuments, { organizationId }],
  [getDocuments, { organizationId, folderId: 'plans' }],
  [getDocuments, { organizationId, documentIds: ['roadmap', 'spare', 'moved', 'declared'] }],
  [getUsers, { organizationId }],
  [getUsers, { organizationId, folderId: 'plans', userIds: ['ada', 'bob'] }],
  [getUsers, { organizationId, organizationUserGroupIds: ['design', 'spare'], searchKey: 'a' }],
  [getUsers, { organizationId, allDocuments: true }],
  [getUsers, { organizationId, allDocuments: true, groupByDocumentId: true }],
  [getUsers, { organizationId, allDocuments: true, groupByDocumentId: true, userIds: ['ada', 'bob'] }],
  [countUsers, { organizationId }],
  [countUsers, { organizationId, allDocuments: true }],
  [getDocumentUsers, { organizationId, userIds: ['ada', 'bob'], includeInvolvedDocuments: true }],
  [getUserGroups, { organizationId }],
  [getUserGroups, { organizationId, organizationUserGroupIds: ['design', 'more'] }],
  [getInvitations, { organizationId }],
  [getPermissions, ask],
  [getPermissions, { ...ask, skipResourceExistenceValidation: true }],
  [
    checkPermissions,
    { checks: ['ada', 'bob'].flatMap((userId) => resources.map((resource) => ({ userId, resource }))) },
  ],
  ...resources.map((resource): Call => [explainPermissions, { userId: 'ada', resource }]),
  [listPermittedResources, { organizationId, userId: 'ada' }],
  [listPermittedResources, { organizationId, userId: 'bob', folderId: 'plans' }],
  ...resources.map((resource): Call => [listPermittedUsers, { resource }]),
  [
    simulatePermissions,
    { organizationId, add: [{ userId: 'ada', resource: { type: 'organization', id: organizationId } }] },
  ],
  [
    simulatePermissions,
    { organizationId, accessTypes: [{ resource: { type: 'folder', id: 'plans' }, accessType: 'public' }] },
  ],
  [getMigrationStatus, { organizationId, migrationId }],
  [listGrants, { organizationId }],
  [runSearch, { query: 'a' }],
  [runSearch, { query: 'road', organizationId }],
  [listProfiles, {}],
  [getKeyConfig, {}],
  [getEmailConfig, {}],
  [getWebhookConfig, {}],
  [getPermissionProviderConfig, {}],
  [getAdvancedWebhookConfig, {}],
  [getWebhookEndpoints, {}],
  [getWebhookSecret, { endpointId }],
  [listWebhookAttempts, { endpointId }],
  [getDomains, {}],
  [listMigrations, { organizationId }],
  [getUserData, { organizationId, userId: 'ada' }],
  [getUserData, { userId: 'ada' }],
  [getUserDataDeletion, { jobId }],
  [getUserAccessRevocation, { jobId: revocationId }],
  [listEvents, {}],
  [listEvents, { organizationId }],
  [listEvents, { organizationId, userId: 'ada' }],
  [listEvents, { resource: resources[2], order: 'oldestFirst' }],
  [listAccountEvents, {}],
  [listSigningKeys, {}],
  [verifyToken, { token }],
]

describe('two API keys with the same ids', () => {
  let one: Callers
  let other: Callers
  let given: Given

  beforeAll(async () => {
    one = await callersFrom(server.client)
    other = await callersFrom(server.client)
    for (const callers of [one, other])
      for (const call of world) assert.equal((await post(callers, call)).http, 200, call[0].name)
    const migrationId = await migrated(other, MIGRATION)
    const jobId = await erased(other, { userIds: ['nobody'] })
    const revocationId = await revoked(other, { userIds: ['nobody'] })
    const { token } = await other.apiKey.call(generateToken, { userId: 'ada' })
    await other.apiKey.call(updateAdvancedWebhookConfig, { isEnabled: true })
    const endpoint = { url: 'https://receiver.invalid/', filterTypes: ['never.sent'] }
    const { id: endpointId } = await other.apiKey.call(createWebhookEndpoint, endpoint)
    given = { migrationId, jobId, revocationId, token, endpointId }
  })

  it('cover every operation of the contract', () => {
    const covered = new Set([...world, ...changes, ...reads(one, given)].map(([{ name }]) => name))
    for (const { name } of [createWorkspace, createLoginLink, createApiKey, ...OF_THE_WORKSPACE, ...WITH_AN_ENDPOINT])
      covered.add(name)
    covered.add(respondToDomainRequest.name)
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
    assert.ok(Object.values(rowsBefore).filter((each) => !each.startsWith('0 ')).length > 15)
    for (const [nth, call] of changes.entries()) {
      let answer = await post(one, call)
      // The erasure of an earlier call has not ended: the answer says to repeat the call.
      await until(call[0].name, async () => {
        if (answer.body.error?.reason !== 'user_being_erased') return true
        answer = await post(one, call)
        return false
      })
      assert.equal(answer.http, 200, call[0].name)
      assert.deepEqual(await rows(), rowsBefore, `after ${call[0].name}`)
      if (takes(call) === takes(changes[nth + 1])) continue
      assert.deepEqual(await look(), seen, `until ${call[0].name}`)
      rowsBefore = await rows() // reading a secret writes an event
    }
    await answerRequest(one)
    assert.deepEqual(await look(), seen, 'after a request for a domain was answered')
    await changeWebhooks(one)
    assert.deepEqual(await look(), seen, 'after changes of webhooks')
    for (const call of world) assert.equal((await post(one, call)).http, 200, call[0].name)
    await migrated(one, MIGRATION)
    await revoked(one, { userIds: ['ada', 'eve'] })
    await erased(one, { userIds: ['ada', 'bob'] })
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
