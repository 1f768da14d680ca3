/** A data set with a document that its users share, for the tests of sharing. */
import { addGrants, type GrantInput } from '#contract/access/grants.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addFolders, setFolderAccess } from '#contract/resources/folders.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import type { Client } from './client.ts'
import type { TestServer } from './server.ts'

export const organizationId = 'acme'
export const ROADMAP = { organizationId, documentId: 'roadmap' }

export const onRoadmap = (accessRole: 'viewer' | 'commenter' | 'editor', more: Partial<GrantInput> = {}) => ({
  ...{ type: 'document' as const, id: 'roadmap', organizationId, accessRole },
  ...more,
})
export const member = { type: 'organization' as const, id: organizationId, accessRole: 'viewer' as const }
export const onFolder = { type: 'folder' as const, id: 'plans', organizationId }

/** 2100-01-01. */
export const LATER = 4_102_444_800

/**
 * Returns an API key whose editors share. `roadmap` of `acme` is in the folder `plans`, which is restricted. `ada` is a
 * member and its editor, `lea` by the folder, `cora` by the group `design`, and `tim` until `LATER`; `vic` views it,
 * `kim` comments on it. `gus` is an editor and `gil` a viewer, and neither is a member. `bob` and `eve` are members
 * without access; `zoe` is a member of `globex`.
 */
export async function newSharingKey(server: Pick<TestServer, 'newKey'>): Promise<Client> {
  const key = await server.newKey()
  await key.call(updateKeyConfig, { accessRoles: ['viewer', 'commenter', 'editor'], userSharing: 'editors' })
  await key.call(addOrganizations, { organizations: [{ organizationId }, { organizationId: 'globex' }] })
  await key.call(addFolders, { organizationId, folders: [{ folderId: 'plans', folderName: 'Plans' }] })
  await key.call(setFolderAccess, { organizationId, folderIds: ['plans'], accessType: 'restricted' })
  await key.call(addDocuments, { organizationId, folderId: 'plans', documents: [{ documentId: 'roadmap' }] })
  await key.call(addUserGroups, {
    organizationId,
    organizationUserGroups: [{ groupId: 'design', groupName: 'Design' }, { groupId: 'sales' }],
  })
  const members = ['ada', 'lea', 'cora', 'tim', 'vic', 'kim', 'bob', 'eve', 'dis']
  await key.call(addGrants, {
    grants: [
      ...members.map((userId) => ({ userId, ...member })),
      { userId: 'zoe', ...member, id: 'globex' },
      { userId: 'ada', ...onRoadmap('editor') },
      { userId: 'lea', ...onFolder, accessRole: 'editor' },
      { groupId: 'design', ...onRoadmap('editor') },
      { userId: 'tim', ...onRoadmap('editor', { expiresAt: LATER }) },
      { userId: 'vic', ...onRoadmap('viewer') },
      { userId: 'kim', ...onRoadmap('commenter') },
      { userId: 'gus', ...onRoadmap('editor') },
      { userId: 'gil', ...onRoadmap('viewer') },
      { userId: 'past', ...onRoadmap('editor', { expiresAt: 1 }) },
    ],
  })
  for (const [groupId, userIds] of [
    ['design', ['cora']],
    ['sales', ['bob', 'eve', 'lea']],
  ] as const)
    await key.call(addUserGroupUsers, { organizationId, organizationUserGroupId: groupId, userIds: [...userIds] })
  await key.call(setProfiles, {
    users: [
      { userId: 'ada', name: 'Ada Byron', email: 'ada@example.com' },
      { userId: 'bob', name: 'Robert Éclair', email: 'hidden@example.com' },
    ],
  })
  await key.call(disableUsers, { userIds: ['dis'], disabled: true })
  return key
}
