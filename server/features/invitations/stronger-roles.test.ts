/** Accepting an invitation never lowers a role (rules/resources.md#invitations). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addGrants, listGrants } from '#contract/access/grants.ts'
import type { AccessRole } from '#contract/access/permissions.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addInvitation, respondToInvitation } from '#contract/resources/invitations.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'

const server = await sharedServer()
const organizationId = 'acme'
const email = 'grace@example.com'
const RESOURCES = {
  acme: { type: 'organization', id: organizationId },
  plans: { type: 'folder', id: 'plans', organizationId },
  roadmap: { type: 'document', id: 'roadmap', organizationId },
  closed: { type: 'document', id: 'closed', organizationId },
} as const
const TARGETS = {
  acme: { type: 'org_user' },
  plans: { type: 'folder_user', folderId: 'plans' },
  roadmap: { type: 'doc_user', documentId: 'roadmap' },
  closed: { type: 'doc_user', documentId: 'closed' },
} as const

type Name = keyof typeof RESOURCES
type Held = [on: Name, by: 'grace' | 'design', accessRole: AccessRole, expiresAt?: number]
const LATER = Math.floor(Date.now() / 1000) + 3_600

let key: Client
beforeEach(async () => {
  key = await server.newKey()
  await key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
  await key.call(addOrganizations, { organizations: [{ organizationId }] })
  await key.call(addFolders, { organizationId, folders: [{ folderId: 'plans' }] })
  const documents = [{ documentId: 'roadmap' }, { documentId: 'closed', accessType: 'restricted' as const }]
  await key.call(addDocuments, { organizationId, folderId: 'plans', documents })
  await key.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'design' }] })
})

async function grant(held: readonly Held[]): Promise<void> {
  if (held.some(([, by]) => by === 'design')) {
    const member = { userId: 'grace', ...RESOURCES.acme, accessRole: 'viewer' as const }
    await key.call(addGrants, { grants: [member] })
    await key.call(addUserGroupUsers, { organizationId, organizationUserGroupId: 'design', userIds: ['grace'] })
  }
  const grants = held.map(([on, by, accessRole, expiresAt]) => ({
    ...(by === 'grace' ? { userId: by } : { groupId: by }),
    ...RESOURCES[on],
    accessRole,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }))
  if (grants.length > 0) await key.call(addGrants, { grants })
}

const decided = async (on: Name) => {
  const { checks } = await key.call(checkPermissions, { checks: [{ userId: 'grace', resource: RESOURCES[on] }] })
  return checks[0]?.accessRole
}

async function accept(to: Name, accessRole?: AccessRole) {
  const target = { organizationId, email, ...TARGETS[to] }
  await key.call(addInvitation, { ...target, ...(accessRole === undefined ? {} : { accessRole }) })
  const { token: authToken } = await key.call(generateToken, { userId: 'grace' })
  const { body, http, text } = await key.post(respondToInvitation.path, {
    ...{ ...target, status: 'ACCEPTED', authToken },
    user: { userId: 'grace' },
  })
  assert.equal(http, 200, text)
  return body.result
}

const ownOn = async (on: Name) =>
  (await key.call(listGrants, { organizationId })).grants
    .filter(({ userId, id }) => userId === 'grace' && id === RESOURCES[on].id)
    .map(({ accessRole, expiresAt }) => [accessRole, expiresAt])

describe('an editor who accepts an invitation for viewers', () => {
  it.for<[about: string, to: Name, held: Held[]]>([
    ['the organization', 'acme', [['acme', 'grace', 'editor']]],
    ['the folder', 'plans', [['plans', 'grace', 'editor']]],
    ['the document', 'roadmap', [['roadmap', 'grace', 'editor']]],
    [
      'the document, with a temporary grant too',
      'roadmap',
      [
        ['roadmap', 'grace', 'editor'],
        ['roadmap', 'grace', 'viewer', LATER],
      ],
    ],
    ['its folder', 'roadmap', [['plans', 'grace', 'editor']]],
    ['its organization', 'roadmap', [['acme', 'grace', 'editor']]],
    ['its organization, for some time', 'plans', [['acme', 'grace', 'editor', LATER]]],
    ['its folder, by a group', 'roadmap', [['plans', 'design', 'editor']]],
  ])('stays one by a grant on %s, and the response says so', async ([, to, held]) => {
    await grant(held)
    const before = await ownOn(to)
    const { data, warnings } = await accept(to, 'viewer')
    assert.deepEqual(data, { keptRole: 'editor' })
    assert.equal(warnings[0].code, 'stronger_role_kept')
    assert.match(warnings[0].message, /already has the role editor/)
    assert.deepEqual([await decided(to), await ownOn(to)], ['editor', before])
  })

  it('stays an editor if the key gives new users the role of viewers, and no call names a role', async () => {
    await key.call(updateKeyConfig, { defaultAccessRole: 'viewer' })
    await grant([['plans', 'grace', 'editor']])
    assert.deepEqual((await accept('roadmap')).data, { keptRole: 'editor' })
    assert.equal(await decided('roadmap'), 'editor')
  })

  it.for<[about: string, held: Held[], left: unknown[]]>([
    [
      'for a time',
      [['roadmap', 'grace', 'editor', LATER]],
      [
        ['viewer', undefined],
        ['editor', LATER],
      ],
    ],
    ['by a group', [['roadmap', 'design', 'editor']], [['viewer', undefined]]],
  ])('has both grants on the resource, if the other one is %s: the stronger counts', async ([, held, left]) => {
    await grant(held)
    assert.deepEqual((await accept('roadmap', 'viewer')).data, {})
    assert.deepEqual([await decided('roadmap'), await ownOn('roadmap')], ['editor', left])
  })
})

describe('an invitation that gives more', () => {
  it('raises a viewer', async () => {
    await grant([['roadmap', 'grace', 'viewer']])
    assert.deepEqual((await accept('roadmap', 'editor')).data, {})
    assert.equal(await decided('roadmap'), 'editor')
  })

  it('gives access where grants further up do not', async () => {
    await grant([['acme', 'grace', 'editor']])
    assert.equal(await decided('closed'), undefined)
    assert.deepEqual((await accept('closed', 'viewer')).data, {})
    assert.equal(await decided('closed'), 'viewer')
  })

  it('gives its role if everyone is an editor only because the resource is public', async () => {
    await key.call(updateKeyConfig, { defaultDocumentAccessType: 'public' })
    assert.deepEqual((await accept('roadmap', 'viewer')).data, {})
    assert.deepEqual(await ownOn('roadmap'), [['viewer', undefined]])
  })
})
