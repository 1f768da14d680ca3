/** A company with hostile ids and names wherever callers choose them, and all its views. */
import assert from 'node:assert/strict'
import { addGrants } from '#contract/access/grants.ts'
import { addThreads } from '#contract/comments/threads.ts'
import { createApiKey, type KeyType, updateApiKey } from '#contract/keys/api-keys.ts'
import { createAuthToken } from '#contract/keys/auth-tokens.ts'
import { setNotificationPreferences } from '#contract/notifications/preferences.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addInvitation } from '#contract/resources/invitations.ts'
import { migrateDocument } from '#contract/resources/migrations.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { addUsers } from '#contract/users/users.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { inviteOperator } from '#contract/workspace/operators.ts'
import { updateSsoConfig } from '#contract/workspace/sso-config.ts'
import type { TestServer } from '#testing/server.ts'
import { address, HOSTILE_IDS, LATER, written } from './company.ts'
import { newWorkspace, type Somebody } from './sign-in.ts'

/** A name of the shortest maximum length, which reverses the text that follows it. */
export const HOSTILE_NAME = `\u202Egnorts</b><script>document.title='run'</script>&amp;"'${'n'.repeat(140)}`

const [markup = '', turned = '', json = ''] = HOSTILE_IDS

export interface HostileCompany extends Somebody {
  /** The path of each view. */
  views: Record<string, string>
}

export async function newHostileCompany(server: TestServer, type?: KeyType): Promise<HostileCompany> {
  const somebody = await newWorkspace(server.url, type)
  const { client, owner, apiKey } = somebody
  const organizationId = markup
  const worked = (results: object) =>
    assert.ok(
      Object.values(results).every(({ success }) => success !== false),
      JSON.stringify(results),
    )
  await owner.call(updateApiKey, { apiKey, apiKeyName: HOSTILE_NAME })
  const other = await owner.call(createApiKey, { ...createApiKey.example, apiKeyName: `${HOSTILE_NAME}2` })
  await owner.call(createAuthToken, { apiKey, name: HOSTILE_NAME })
  const organizations = HOSTILE_IDS.map((id) => ({ organizationId: id, organizationName: HOSTILE_NAME, note: markup }))
  worked(await client.call(addOrganizations, { organizations }))
  const folders = HOSTILE_IDS.map((folderId) => ({ folderId, folderName: HOSTILE_NAME, parentFolderId: 'root' }))
  const inner = {
    folderId: 'inner',
    folderName: HOSTILE_NAME,
    parentFolderId: turned,
    accessType: 'restricted' as const,
  }
  worked(await client.call(addFolders, { organizationId, folders: [...folders, inner] }))
  const documents = HOSTILE_IDS.map((documentId) => ({ documentId, documentName: HOSTILE_NAME, note: turned }))
  worked(await client.call(addDocuments, { organizationId, folderId: 'inner', documents }))
  const users = HOSTILE_IDS.map((userId, index) => ({
    ...{ userId, accessRole: 'viewer' as const },
    ...(index < 4 ? { name: HOSTILE_NAME, email: `a${'x'.repeat(60)}@example.com`, note: markup } : {}),
  }))
  worked(await client.call(addUsers, { organizationId, users }))
  worked(await client.call(disableUsers, { userIds: [turned], disabled: true }))
  const resource = { type: 'document' as const, id: json, organizationId }
  const grants = HOSTILE_IDS.map((userId) => ({ userId, ...resource, accessRole: 'editor' as const }))
  await client.call(addGrants, { grants })
  const organizationUserGroups = HOSTILE_IDS.map((groupId) => ({ groupId, groupName: HOSTILE_NAME }))
  await client.call(addUserGroups, { organizationId, organizationUserGroups })
  await client.call(addUserGroupUsers, {
    organizationId,
    organizationUserGroupId: turned,
    userIds: HOSTILE_IDS.slice(0, -1),
  })
  const ofGroup = { groupId: turned, accessRole: 'viewer' as const }
  await client.call(addGrants, {
    grants: [
      { ...ofGroup, ...resource },
      { ...ofGroup, ...resource, expiresAt: LATER },
      { ...ofGroup, type: 'folder', id: turned, organizationId },
      { ...ofGroup, groupId: json, ...resource, expiresAt: 1 },
    ],
  })
  await client.call(addInvitation, {
    ...{ organizationId, type: 'doc_user', documentId: json, documentName: HOSTILE_NAME },
    ...{ email: "{{x}}&'onerror=x'@example.com", invitedBy: { name: HOSTILE_NAME } },
  })
  const from = { userId: markup, name: HOSTILE_NAME }
  const spoken = {
    from,
    commentText: `${HOSTILE_NAME} {{${turned}}}`,
    taggedUserContacts: [{ userId: turned, contact: { userId: turned, name: HOSTILE_NAME } }],
  }
  const marked = { from, commentHtml: `<img src=x onerror="document.title='run'"><b>${HOSTILE_NAME}</b>` }
  await client.call(addThreads, {
    ...{ organizationId, documentId: json },
    commentAnnotations: [
      {
        annotationId: 'hostile',
        commentData: [spoken, marked],
        status: { id: markup, name: HOSTILE_NAME, type: 'ongoing', color: 'red', lightColor: 'red', iconUrl: 'x' },
        assignedTo: from,
        priority: { id: turned, name: HOSTILE_NAME, color: 'red', lightColor: 'red' },
      },
    ],
  })
  await client.call(setNotificationPreferences, {
    ...{ organizationId, userIds: [markup], documentIds: [json], config: { [HOSTILE_NAME.slice(0, 40)]: 'MINE' } },
  })
  await client.call(migrateDocument, { organizationId, documentId: turned, newDocumentId: `${turned}2` })
  await somebody.owner.call(inviteOperator, { email: 'hostile@example.com', name: HOSTILE_NAME, role: 'support' })
  await somebody.owner.call(updateSsoConfig, { domains: [`${'long'.repeat(15)}.${'long'.repeat(15)}.example`] })
  await client.call(updateAdvancedWebhookConfig, { isEnabled: true })
  const { id: endpointId } = await client.call(createWebhookEndpoint, {
    url: `https://receiver.invalid/${'long/'.repeat(60)}`,
    description: HOSTILE_NAME,
    uid: markup,
  })
  const of = (view: string, search: Record<string, string> = {}) =>
    address(view, Object.fromEntries(Object.entries(search).map(([name, id]) => [name, written(id)])))
  const key = `keys/${apiKey}`
  const document = { organizationId, type: 'document', id: json }
  return {
    ...somebody,
    views: {
      overview: key,
      keys: 'keys',
      'new key': 'keys/new',
      'workspace tokens': 'workspace-tokens',
      people: 'people',
      account: 'account',
      device: 'device',
      'single sign-on': 'single-sign-on',
      settings: `${key}/settings`,
      tokens: `${key}/settings/tokens`,
      domains: `${key}/settings/domains`,
      email: `${key}/settings/email`,
      'webhook settings': `${key}/settings/webhooks`,
      compare: of(`${key}/settings/compare`, { with: other.apiKey }),
      organizations: `${key}/organizations`,
      resources: of(`${key}/organizations/resources`, { organizationId }),
      'resources of a folder': of(`${key}/organizations/resources`, { organizationId, folderId: 'inner' }),
      'access to an organization': of(`${key}/access`, { organizationId, type: 'organization' }),
      'access to a folder': of(`${key}/access`, { organizationId, type: 'folder', id: turned }),
      'access inside a folder': of(`${key}/inside`, { organizationId, type: 'folder', id: 'inner' }),
      'access to a document': of(`${key}/access`, document),
      findings: `${key}/worth-a-look`,
      why: of(`${key}/why`, { ...document, userId: markup }),
      'access review': of(`${key}/access-review`, { organizationId }),
      matrix: of(`${key}/matrix`, { organizationId, folderId: 'inner' }),
      users: of(`${key}/users`, { organizationId }),
      profiles: `${key}/users`,
      'disabled users': `${key}/users?disabled=true`,
      user: of(`${key}/users/user`, { userId: markup }),
      groups: of(`${key}/groups`, { organizationId }),
      'members of a group': of(`${key}/groups`, { organizationId, groupId: turned }),
      invitations: of(`${key}/invitations`, { organizationId }),
      threads: of(`${key}/threads`, { organizationId, documentId: json, userId: markup }),
      thread: of(`${key}/threads/thread`, { organizationId, documentId: json, annotationId: 'hostile' }),
      moving: `${key}/settings/moving`,
      'comment settings': `${key}/settings/comments`,
      migrations: of(`${key}/migrations`, { organizationId }),
      events: `${key}/events`,
      'filtered events': of(`${key}/events`, { organizationId, resourceType: 'document', resourceId: json }),
      'changes of a document': of(`${key}/changes`, document),
      'changes of a user': of(`${key}/changes`, { organizationId, userId: markup }),
      webhooks: `${key}/webhooks`,
      endpoint: `${key}/webhooks/${endpointId}`,
    },
  }
}
