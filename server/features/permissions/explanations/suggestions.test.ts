/** The suggestions of explanations: alternatives by the number of people, and grants on ids that are probably misspelt. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { explainPermissions } from '#contract/access/explanations.ts'
import { addGrants } from '#contract/access/grants.ts'
import { addPermissions, type GrantedResource, type ResourceName } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { addDocuments, disableDocuments, setDocumentAccess } from '#contract/resources/documents.ts'
import { disableOrganizations, updateOrganizations } from '#contract/resources/organizations.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { type Acme, newAcme, organizationId } from '#testing/acme.ts'
import { sharedServer } from '#testing/server.ts'

const server = await sharedServer()
let acme: Acme
beforeEach(async () => {
  acme = await newAcme(server)
})

const document = { type: 'document' as const, id: 'roadmap', organizationId }
const folder = { type: 'folder' as const, id: 'plans', organizationId }

const grant = (...resources: GrantedResource[]) =>
  acme.key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources } })

/** A document in a folder. */
async function addTree(accessType: 'public' | 'restricted') {
  await acme.addTree({ plans: ['root', accessType] })
  await acme.addDocuments('plans', { documentId: 'roadmap' })
}

describe('permissions.explain', () => {
  describe('counts the people of each alternative', () => {
    const peopleOf = async (userId: string, resource: ResourceName) =>
      (await acme.key.call(explainPermissions, { userId, resource, countPeople: true })).alternatives.map(
        ({ sentence, people }) => [sentence, people?.count, people?.exact, people?.everyone],
      )

    it('only on request', async () => {
      await addTree('restricted')
      assert.deepEqual(
        (await acme.key.call(explainPermissions, { userId: 'ada', resource: document })).alternatives.map(
          ({ people }) => people,
        ),
        [undefined, undefined],
      )
    })

    it('who would get access, the fewest first', async () => {
      await addTree('restricted')
      await acme.grant('organization', organizationId, 'ada', 'bob', 'cem', 'dan')
      await acme.grant('folder', 'plans', 'dan')
      assert.deepEqual(await peopleOf('ada', document), [
        ['Grant user "ada" the role of viewer on document "roadmap".', 1, true, false],
        ['Set the access type of document "roadmap" to organizationPrivate.', 3, true, false],
      ])
      assert.deepEqual(await peopleOf('stranger', document), [
        ['Grant user "stranger" the role of viewer on document "roadmap".', 1, true, false],
        ['Set the access type of document "roadmap" to public.', 3, false, true],
      ])
    })

    it('and who would lose it meanwhile, by a grant above that counts no more', async () => {
      await addTree('restricted')
      await acme.grant('organization', organizationId, 'ada', 'bob')
      await acme.grant('folder', 'plans', 'guest', 'visitor')
      const { alternatives } = await acme.key.call(explainPermissions, {
        ...{ userId: 'ada', resource: document, countPeople: true },
      })
      assert.deepEqual(
        alternatives.map(({ people }) => people),
        [
          { count: 1, exact: true, everyone: false },
          { count: 2, exact: true, everyone: false, others: 2 },
        ],
      )
    })

    it('who would lose it', async () => {
      await addTree('restricted')
      await acme.grant('folder', 'plans', 'ada', 'bob', 'cem')
      assert.deepEqual(await peopleOf('ada', document), [
        ['Revoke the grants of user "ada" on folder "plans".', 1, true, false],
        ['Set the access type of document "roadmap" to restricted.', 3, true, false],
      ])
    })

    it('up to 5,000 in an organization; of more, the first ones as a lower bound', async () => {
      await addTree('restricted')
      const members = (from: number, count: number) =>
        acme.key.call(addGrants, {
          grants: Array.from({ length: count }, (_, index) => ({
            ...{ userId: `user-${from + index}`, type: 'organization' as const, id: organizationId },
          })),
        })
      for (let from = 0; from < LIMITS.countedUsersMax; from += 1_000) await members(from, 1_000)
      const opened = async () => (await peopleOf('user-0', document))[1]?.slice(1)
      assert.deepEqual(await opened(), [LIMITS.countedUsersMax, true, false])
      await members(LIMITS.countedUsersMax, 1)
      assert.deepEqual(await opened(), [LIMITS.countedUsersMax, false, false])
    })

    it('who would get access to what must be enabled, and whether it opens to everyone', async () => {
      await addTree('public')
      await acme.grant('document', 'roadmap', 'bob', 'cem')
      await acme.grant('folder', 'plans', 'dan')
      await acme.call(disableDocuments, { documentIds: ['roadmap'], disabled: true })
      assert.deepEqual(await peopleOf('ada', document), [['Enable document "roadmap".', 3, false, true]])
      await acme.call(setDocumentAccess, { documentIds: ['roadmap'], accessType: 'restricted' })
      assert.deepEqual(await peopleOf('bob', document), [['Enable document "roadmap".', 2, true, false]])
      assert.deepEqual(await peopleOf('ada', document), [
        ['Enable document "roadmap" and grant user "ada" the role of viewer on document "roadmap".', 3, true, false],
        ['Enable document "roadmap" and set the access type of document "roadmap" to public.', 3, false, true],
      ])
      await acme.key.call(disableUsers, { userIds: ['bob', 'cem'], disabled: true })
      assert.deepEqual(await peopleOf('bob', document), [
        ['Enable document "roadmap" and enable user "bob".', 1, true, false],
      ])
    })

    it('who would get access to the resource in question, if its organization must be enabled', async () => {
      await addTree('restricted')
      await acme.grant('organization', organizationId, 'ada', 'bob', 'cem', 'dan')
      await acme.grant('document', 'roadmap', 'ada', 'guest')
      await acme.key.call(disableOrganizations, { organizationIds: [organizationId], disabled: true })
      const enabling = 'Enable organization "acme".'
      assert.deepEqual(await peopleOf('ada', document), [[enabling, 2, true, false]])
      assert.deepEqual(await peopleOf('ada', { type: 'organization', id: organizationId }), [
        [enabling, 4, true, false],
      ])
      await acme.call(disableDocuments, { documentIds: ['roadmap'], disabled: true })
      assert.deepEqual(await peopleOf('ada', document), [
        ['Enable organization "acme" and enable document "roadmap".', 2, true, false],
      ])
    })

    it('with a user who must be enabled', async () => {
      await addTree('restricted')
      await acme.grant('organization', organizationId, 'ada', 'bob', 'cem')
      await acme.key.call(disableUsers, { userIds: ['ada', 'stranger'], disabled: true })
      const enable = (user: string) => `Enable user "${user}" and`
      assert.deepEqual(await peopleOf('ada', document), [
        [`${enable('ada')} grant user "ada" the role of viewer on document "roadmap".`, 1, true, false],
        [`${enable('ada')} set the access type of document "roadmap" to organizationPrivate.`, 3, true, false],
      ])
      assert.deepEqual(await peopleOf('stranger', document), [
        [`${enable('stranger')} grant user "stranger" the role of viewer on document "roadmap".`, 1, true, false],
        [`${enable('stranger')} set the access type of document "roadmap" to public.`, 3, false, true],
      ])
    })

    it('if everyone loses access, because the default of the API key changes', async () => {
      await acme.grant('document', 'roadmap', 'ada')
      assert.deepEqual(await peopleOf('bob', document), [
        ['Set the default access type of the API key to restricted.', 1, false, true],
      ])
    })
  })

  describe('names grants on ids that are nearly the same and were never added', () => {
    const near = async (userId = 'ada') =>
      (await acme.key.call(explainPermissions, { userId, resource: document })).nearGrants

    it('of the user, with the role', async () => {
      await addTree('restricted')
      await acme.grant('document', 'raodmap', 'ada')
      await grant({ ...folder, id: 'plan', accessRole: 'editor' }, { ...document, id: 'budget' })
      assert.deepEqual(await near(), [
        { type: 'document', id: 'raodmap', accessRole: 'viewer', near: { type: 'document', id: 'roadmap' } },
        { type: 'folder', id: 'plan', accessRole: 'editor', near: { type: 'folder', id: 'plans' } },
      ])
      assert.equal(await near('bob'), undefined)
    })

    it('of a user group', async () => {
      await addTree('restricted')
      await acme.grant('organization', organizationId, 'ada')
      await acme.call(addUserGroups, { organizationUserGroups: [{ groupId: 'design' }] })
      await acme.call(addUserGroupUsers, { organizationUserGroupId: 'design', userIds: ['ada'] })
      const resources = [{ ...document, id: 'road-map', accessRole: 'viewer' as const }]
      await acme.key.call(addPermissions, { group: { organizationId, groupId: 'design' }, permissions: { resources } })
      const wanted = { type: 'document', id: 'road-map', accessRole: 'viewer', groupId: 'design' }
      assert.deepEqual(await near(), [{ ...wanted, near: { type: 'document', id: 'roadmap' } }])
    })

    it('of an organization, and of its resource in that organization', async () => {
      await addTree('restricted')
      await acme.grant('organization', 'ac-me', 'ada')
      await grant(
        { ...document, organizationId: 'Acme', accessRole: 'editor' },
        { ...document, organizationId: 'umbra' },
      )
      await grant({ ...document, id: 'other', organizationId: 'ac-me' })
      const anywhere = { type: 'organization', id: 'ac-me', accessRole: 'viewer' }
      assert.deepEqual(await near(), [
        { ...document, organizationId: 'Acme', accessRole: 'editor', near: { type: 'document', id: 'roadmap' } },
        { ...anywhere, near: { type: 'organization', id: 'acme' } },
      ])
      const resource = { type: 'organization' as const, id: organizationId }
      const { nearGrants } = await acme.key.call(explainPermissions, { userId: 'ada', resource })
      assert.deepEqual(nearGrants, [{ ...anywhere, near: resource }])
      assert.equal(await near('bob'), undefined)
      await acme.key.call(updateOrganizations, {
        organizations: [{ organizationId: 'ac-me', organizationName: 'AC/ME' }],
      })
      await acme.key.call(addDocuments, { organizationId: 'Acme', documents: [{ documentId: 'roadmap' }] })
      assert.equal(await near(), undefined)
    })

    it('but no grants on added resources, no expired ones, and none on the resource itself', async () => {
      await addTree('restricted')
      await acme.addDocuments('root', { documentId: 'roadmaps' })
      await grant({ ...document, id: 'roadmaps' }, { ...document, id: 'roadmap_', expiresAt: 1 }, document)
      assert.equal(await near(), undefined)
    })
  })
})
