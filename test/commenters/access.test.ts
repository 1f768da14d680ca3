/** The role `commenter` of API keys that have it, in every call that gives a role or asks for one (rules/access.md#commenters). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { listPermittedResources, listPermittedUsers } from '#contract/access/access-lists.ts'
import { AUTHZEN_PATHS } from '#contract/access/authzen.ts'
import { checkPermissions, getPermissions } from '#contract/access/decisions.ts'
import { explainPermissions } from '#contract/access/explanations.ts'
import { addGrants, listGrants } from '#contract/access/grants.ts'
import { type AccessRole, addPermissions, type ResourceName, removePermissions } from '#contract/access/permissions.ts'
import { simulatePermissions } from '#contract/access/simulations.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addInvitation, respondToInvitation } from '#contract/resources/invitations.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { addUsers, getUsers, updateUsers } from '#contract/users/users.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'
import { eventsDuring } from '../conformance/support/events.ts'

const server = await sharedServer()
const organizationId = 'acme'
const ACME = { type: 'organization', id: organizationId } as const
const PLANS = { type: 'folder', id: 'plans', organizationId } as const
const ROADMAP = { type: 'document', id: 'roadmap', organizationId } as const
const LATER = 4_000_000_000

let key: Client
beforeEach(async () => {
  key = await server.newKey()
  const accessRoles: AccessRole[] = ['viewer', 'commenter', 'editor']
  await key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted', accessRoles })
  await key.call(addFolders, { organizationId, createOrganization: true, folders: [{ folderId: 'plans' }] })
  await key.call(addDocuments, { organizationId, folderId: 'plans', documents: [{ documentId: 'roadmap' }] })
})

const grant = (resource: ResourceName, accessRole: AccessRole, more: object = {}, userId = 'ada') =>
  key.call(addPermissions, { user: { userId }, permissions: { resources: [{ ...resource, accessRole, ...more }] } })

/** Decides with each role as the minimum, and without one. */
async function decided(resource: ResourceName = ROADMAP, userId = 'ada') {
  const levels = [undefined, 'viewer', 'commenter', 'editor'] as const
  const checks = levels.map((atLeast) => ({ userId, resource, ...(atLeast && { atLeast }) }))
  const { checks: answers } = await key.call(checkPermissions, { checks })
  return answers.map(({ allowed, accessRole, reason }) => (allowed ? accessRole : reason))
}
const AS_COMMENTER = ['commenter', 'commenter', 'commenter', 'no_grant']

describe('a commenter', () => {
  it('passes a check for a viewer or a commenter, and not one for an editor', async () => {
    await grant(PLANS, 'commenter')
    assert.deepEqual(await decided(), AS_COMMENTER)
    const answer = await key.call(getPermissions, { organizationId, userIds: ['ada'], documentIds: ['roadmap'] })
    assert.equal(answer.ada?.documents?.roadmap?.accessRole, 'commenter')
  })

  it('is more than a viewer and less than an editor on the same resource', async () => {
    await grant(ROADMAP, 'viewer')
    await grant(ROADMAP, 'commenter', { expiresAt: LATER })
    assert.deepEqual(await decided(), AS_COMMENTER)
    await grant(ROADMAP, 'editor', { expiresAt: LATER })
    assert.deepEqual(await decided(), ['editor', 'editor', 'editor', 'editor'])
    await grant(ROADMAP, 'editor')
    await grant(ROADMAP, 'commenter', { expiresAt: LATER })
    assert.deepEqual((await decided())[3], 'editor')
  })

  it('of a document is a commenter there even as an editor of the organization', async () => {
    await grant(ACME, 'editor')
    await grant(ROADMAP, 'commenter')
    assert.deepEqual(await decided(), AS_COMMENTER)
  })

  it('whose grant has expired is denied as expired if the grant would have sufficed', async () => {
    await grant(ROADMAP, 'viewer')
    await grant(ROADMAP, 'commenter', { expiresAt: 1 })
    assert.deepEqual(await decided(), ['viewer', 'viewer', 'grant_expired', 'no_grant'])
  })

  it('by a group has the role only as long as the user is a member', async () => {
    await key.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'a' }, { groupId: 'b' }] })
    await grant(ACME, 'viewer')
    for (const organizationUserGroupId of ['a', 'b'])
      await key.call(addUserGroupUsers, { organizationId, organizationUserGroupId, userIds: ['ada'] })
    const grants = [
      { groupId: 'a', ...PLANS, accessRole: 'viewer' as const },
      { groupId: 'b', ...PLANS, accessRole: 'commenter' as const },
    ]
    await key.call(addGrants, { grants })
    assert.deepEqual(await decided(), AS_COMMENTER)
    const { checks } = await key.call(checkPermissions, { checks: [{ userId: 'ada', resource: ROADMAP }] })
    assert.equal(checks[0]?.via?.group, 'b')
    await key.call(removePermissions, { userId: 'ada', permissions: { resources: [ACME] } })
    assert.deepEqual((await decided())[0], 'no_grant')
  })

  it('is the role of everybody on public resources, if it is the default role', async () => {
    await key.call(updateKeyConfig, { defaultDocumentAccessType: 'public', defaultAccessRole: 'commenter' })
    assert.deepEqual(await decided(ROADMAP, 'nobody'), AS_COMMENTER)
    const list = async (atLeast: AccessRole) => {
      const { everyone, everyoneRole } = await key.call(listPermittedUsers, { resource: ROADMAP, atLeast })
      return [everyone, everyoneRole]
    }
    assert.deepEqual(await list('commenter'), [true, 'commenter'])
    assert.deepEqual(await list('editor'), [false, undefined])
  })

  it('is named in explanations, with its sentence', async () => {
    await grant(PLANS, 'commenter')
    const { sentence } = (await key.call(explainPermissions, { userId: 'ada', resource: ROADMAP })).rule
    assert.match(sentence, /^User "ada" may comment on document "roadmap": .* is commenter/)
    await key.call(updateKeyConfig, { defaultDocumentAccessType: 'public', defaultAccessRole: 'commenter' })
    const everyone = await key.call(explainPermissions, { userId: 'nobody', resource: ROADMAP })
    assert.match(everyone.rule.sentence, /a user without a grant is a commenter/)
  })

  it('may do the action `comment` of AuthZEN, and not `edit`', async () => {
    await grant(PLANS, 'commenter')
    await grant(PLANS, 'viewer', {}, 'eve')
    const may = async (id: string, name: string) => {
      const { type, ...document } = ROADMAP
      const resource = { type, id: document.id, properties: { organizationId } }
      const evaluation = { subject: { type: 'user', id }, action: { name }, resource }
      return (await key.raw(AUTHZEN_PATHS.evaluation, JSON.stringify(evaluation))).body.decision
    }
    assert.deepEqual(await Promise.all(['view', 'comment', 'edit'].map((name) => may('ada', name))), [
      true,
      true,
      false,
    ])
    assert.deepEqual([await may('eve', 'view'), await may('eve', 'comment')], [true, false])
  })
})

describe('lists of access', () => {
  it('have commenters if the minimum is a commenter', async () => {
    await grant(PLANS, 'viewer', {}, 'val')
    await grant(PLANS, 'commenter', {}, 'cleo')
    await grant(ROADMAP, 'editor', {}, 'ed')
    const users = async (atLeast: AccessRole, more: object = {}) =>
      (await key.call(listPermittedUsers, { resource: ROADMAP, atLeast, ...more })).users.map(
        ({ userId, accessRole }) => `${userId} ${accessRole}`,
      )
    assert.deepEqual(await users('viewer'), ['cleo commenter', 'ed editor', 'val viewer'])
    assert.deepEqual(await users('commenter'), ['cleo commenter', 'ed editor'])
    assert.deepEqual(await users('editor'), ['ed editor'])
    const resources = async (userId: string, atLeast: AccessRole) =>
      (await key.call(listPermittedResources, { organizationId, userId, atLeast })).resources.map(({ id }) => id).sort()
    assert.deepEqual(await resources('cleo', 'commenter'), ['plans', 'roadmap'])
    assert.deepEqual(await resources('cleo', 'editor'), [])
    assert.deepEqual(await resources('val', 'commenter'), [])
  })

  it('name commenter as the strongest role inside', async () => {
    await key.call(addDocuments, { organizationId, folderId: 'plans', documents: [{ documentId: 'budget' }] })
    await grant(ROADMAP, 'commenter')
    await grant({ ...ROADMAP, id: 'budget' }, 'viewer')
    const inside = async (atLeast?: AccessRole) =>
      (await key.call(listPermittedUsers, { resource: PLANS, inside: true, ...(atLeast && { atLeast }) })).users.map(
        (user) => user.inside,
      )
    assert.deepEqual(await inside(), [{ resources: 2, accessRole: 'commenter' }])
    assert.deepEqual(await inside('commenter'), [{ resources: 1, accessRole: 'commenter' }])
    assert.deepEqual(await inside('editor'), [])
  })
})

describe('simulations', () => {
  it('predict that a viewer becomes a commenter', async () => {
    await grant(PLANS, 'viewer')
    const add = [{ userId: 'ada', resource: PLANS, accessRole: 'commenter' as const }]
    const { groups, counts } = await key.call(simulatePermissions, { organizationId, add })
    assert.deepEqual(
      [counts.changed, groups.map(({ effect, accessRole }) => [effect, accessRole])],
      [2, [['role', 'commenter']]],
    )
  })
})

describe('calls about users', () => {
  const held = async () =>
    (await key.call(listGrants, { organizationId })).grants.map(({ userId, accessRole }) => [userId, accessRole])

  const member = async () => Object.values(await key.call(getUsers, { organizationId })).flat()[0]

  it('give, keep and change the role', async () => {
    await key.call(addUsers, { organizationId, users: [{ userId: 'ada', accessRole: 'commenter' }] })
    assert.deepEqual(await held(), [['ada', 'commenter']])
    await key.call(addUsers, { organizationId, users: [{ userId: 'ada' }] })
    await key.call(generateToken, { userId: 'ada', permissions: { resources: [ACME] } })
    assert.deepEqual(await held(), [['ada', 'commenter']])
    await key.call(updateUsers, { organizationId, users: [{ userId: 'ada', accessRole: 'viewer' }] })
    assert.deepEqual(await held(), [['ada', 'viewer']])
    await key.call(updateUsers, { organizationId, users: [{ userId: 'ada', accessRole: 'commenter' }] })
    const user = await member()
    assert.equal(user?.accessRole, 'commenter')
  })

  it('list the stronger of a standing and a temporary grant', async () => {
    await grant(ACME, 'viewer')
    await grant(ACME, 'commenter', { expiresAt: LATER })
    const user = await member()
    assert.deepEqual([user?.accessRole, user?.expiresAt], ['commenter', LATER])
  })

  it('write events with the role', async () => {
    await grant(ACME, 'viewer')
    const [event] = await eventsDuring(server.db, apiKeyOf(key), () => grant(ACME, 'commenter'))
    assert.deepEqual([event?.before.accessRole, event?.after.accessRole], ['viewer', 'commenter'])
  })
})

describe('an invitation', () => {
  const email = 'grace@example.com'
  const target = { email, organizationId, type: 'doc_user', documentId: 'roadmap' } as const

  async function accept(accessRole: AccessRole) {
    await key.call(addInvitation, { ...target, accessRole })
    const { token: authToken } = await key.call(generateToken, { userId: 'grace' })
    return key.call(respondToInvitation, { ...target, status: 'ACCEPTED', authToken, user: { userId: 'grace' } })
  }

  it('gives the role', async () => {
    assert.deepEqual(await accept('commenter'), {})
    assert.deepEqual(await decided(ROADMAP, 'grace'), AS_COMMENTER)
  })

  it('as a viewer does not lower a commenter, and one as a commenter does not lower an editor', async () => {
    await grant(PLANS, 'commenter', {}, 'grace')
    assert.deepEqual(await accept('viewer'), { keptRole: 'commenter' })
    assert.deepEqual(await decided(ROADMAP, 'grace'), AS_COMMENTER)
    await grant(PLANS, 'editor', {}, 'grace')
    assert.deepEqual(await accept('commenter'), { keptRole: 'editor' })
  })

  it('as a commenter raises a viewer', async () => {
    await grant(ROADMAP, 'viewer', {}, 'grace')
    assert.deepEqual(await accept('commenter'), {})
    assert.deepEqual(await decided(ROADMAP, 'grace'), AS_COMMENTER)
  })
})
