/** permissions.explain (rules/access.md#questions). test/matrix checks that the explanations are correct. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { type Explanation, explainPermissions } from '#contract/access/explanations.ts'
import { addPermissions, type GrantedResource, type ResourceName } from '#contract/access/permissions.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { disableDocuments } from '#contract/resources/documents.ts'
import { disableOrganizations } from '#contract/resources/organizations.ts'
import { type Acme, newAcme, organizationId } from '#testing/acme.ts'
import { completeMigration } from '#testing/jobs.ts'
import { sharedServer } from '#testing/server.ts'
import { refusedField } from '../../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let acme: Acme
beforeEach(async () => {
  acme = await newAcme(server)
})

const document = { type: 'document' as const, id: 'roadmap', organizationId }
const folder = { type: 'folder' as const, id: 'plans', organizationId }
const organization = { type: 'organization' as const, id: organizationId }
const LATER = 2_000_000_000

const grant = (...resources: GrantedResource[]) =>
  acme.key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources } })
const explain = (resource: ResourceName = document): Promise<Explanation> =>
  acme.key.call(explainPermissions, { userId: 'ada', resource })
const ruleOf = async (resource?: ResourceName): Promise<[number, string]> => {
  const { number, sentence } = (await explain(resource)).rule
  return [number, sentence]
}

/** A document in a folder in a folder. */
async function addTree(accessType?: 'public' | 'organizationPrivate' | 'restricted') {
  await acme.addTree({ work: 'root', plans: accessType === undefined ? 'work' : ['work', accessType] })
  await acme.addDocuments('plans', { documentId: 'roadmap', documentName: 'Road map' })
}

describe('permissions.explain', () => {
  it('returns the decision, the chain from the resource to the organization, and the rule', async () => {
    await addTree('restricted')
    await grant(organization, { ...folder, accessRole: 'viewer', expiresAt: LATER })
    assert.deepEqual(await explain(), {
      decision: {
        allowed: true,
        accessRole: 'viewer',
        accessType: 'restricted',
        reason: 'grant',
        via: { type: 'folder', id: 'plans', inherited: true },
        expiresAt: LATER,
      },
      afterwards: { allowed: false, accessType: 'restricted', reason: 'grant_expired' },
      userDisabled: false,
      chain: [
        {
          type: 'document',
          id: 'roadmap',
          name: 'Road map',
          added: true,
          disabled: false,
          boundary: false,
          grants: [],
        },
        {
          type: 'folder',
          id: 'plans',
          accessType: 'restricted',
          added: true,
          disabled: false,
          boundary: true,
          grants: [{ accessRole: 'viewer', expiresAt: LATER, live: true, reaches: true }],
        },
        { type: 'folder', id: 'work', added: true, disabled: false, boundary: false, grants: [] },
        {
          type: 'organization',
          id: 'acme',
          added: true,
          disabled: false,
          boundary: false,
          grants: [{ accessRole: 'editor', live: true, reaches: false }],
        },
      ],
      rule: {
        number: 3,
        condition: 'The user has a live grant on the resource or above it, up to and including its boundary.',
        sentence:
          'User "ada" may view document "roadmap" until 2033-05-18T03:33:20Z: the role of the user on folder "plans" is viewer.',
      },
      alternatives: [
        {
          sentence: 'Revoke the grants of user "ada" on folder "plans".',
          calls: [{ operation: 'permissions.remove', data: { userId: 'ada', permissions: { resources: [folder] } } }],
        },
        {
          sentence: 'Set the access type of document "roadmap" to restricted.',
          calls: [
            {
              operation: 'document-access.set',
              data: { organizationId, documentIds: ['roadmap'], accessType: 'restricted' },
            },
          ],
        },
      ],
    })
  })

  it('returns the default access type of the API key if the organization is the boundary', async () => {
    await addTree()
    await acme.key.call(updateKeyConfig, { defaultDocumentAccessType: 'organizationPrivate' })
    const { chain } = await explain()
    assert.deepEqual(chain.at(-1), {
      type: 'organization',
      id: 'acme',
      defaultAccessType: 'organizationPrivate',
      added: true,
      disabled: false,
      boundary: true,
      grants: [],
    })
    assert.equal('defaultAccessType' in ((await explain(organization)).chain[0] ?? {}), false)
  })

  it('returns the decision that will apply when the access expires', async () => {
    await addTree('restricted')
    await grant({ ...document, accessRole: 'viewer' }, { ...document, expiresAt: LATER })
    const { decision, afterwards } = await explain()
    const { expiresAt, ...lasting } = decision
    assert.equal(expiresAt, LATER)
    assert.deepEqual(afterwards, { ...lasting, accessRole: 'viewer' })
    assert.equal('afterwards' in (await explain(organization)), false)
  })

  it('explains an organization only by its grant', async () => {
    assert.deepEqual(await ruleOf(organization), [
      6,
      'User "ada" has no access to organization "acme": the user has no grant on it.',
    ])
    await grant(organization)
    assert.deepEqual(await ruleOf(organization), [
      3,
      'User "ada" may edit organization "acme": the role of the user on it is editor.',
    ])
  })

  describe('has a sentence for', () => {
    it('rule 1: a missing resource, or the new id of a migrated document, with an empty chain', async () => {
      assert.deepEqual(await explain(), {
        decision: { allowed: false, reason: 'does_not_exist' },
        userDisabled: false,
        chain: [],
        rule: {
          number: 1,
          condition: 'The resource does not exist.',
          sentence: 'There is no document "roadmap" in organization "acme".',
        },
        alternatives: [],
      })
      assert.deepEqual(await ruleOf({ type: 'organization', id: 'nope' }), [1, 'There is no organization "nope".'])
      await acme.addDocuments('root', { documentId: 'roadmap' })
      const ids = { organizationId, documentId: 'roadmap', newDocumentId: 'roadmap-2' }
      await completeMigration(acme.key, ids)
      const { decision, rule } = await explain()
      assert.equal(decision.migratedTo, 'roadmap-2')
      assert.equal(
        rule.sentence,
        'There is no document "roadmap" in organization "acme": it was migrated to "roadmap-2".',
      )
    })

    it('rule 2: a disabled resource', async () => {
      await addTree()
      await acme.call(disableDocuments, { documentIds: ['roadmap'], disabled: true })
      assert.deepEqual(await ruleOf(), [2, 'Nobody has access to document "roadmap": it is disabled.'])
      await acme.key.call(disableOrganizations, { organizationIds: [organizationId], disabled: true })
      assert.deepEqual(await ruleOf(), [2, 'Nobody has access to document "roadmap": organization "acme" is disabled.'])
      assert.deepEqual(
        (await explain()).chain.map(({ disabled }) => disabled),
        [true, false, false, true],
      )
    })

    it('rule 4: public access of its own, of a folder or by default, with the role', async () => {
      await acme.addTree({ plans: ['root', 'public'] })
      await acme.addDocuments('plans', { documentId: 'roadmap' }, { documentId: 'own', accessType: 'public' })
      await acme.addDocuments('root', { documentId: 'top' })
      await grant({ ...organization, accessRole: 'viewer' })
      assert.deepEqual(await ruleOf(), [
        4,
        'User "ada" may view document "roadmap": it follows folder "plans", which is public, and the nearest role of the user, on organization "acme", is viewer.',
      ])
      const bob = { userId: 'bob', resource: { ...document, id: 'own' } }
      const { rule } = await acme.key.call(explainPermissions, bob)
      assert.equal(
        rule.sentence,
        'User "bob" may edit document "own": it is public, and a user without a grant is an editor.',
      )
      const top = await acme.key.call(explainPermissions, { userId: 'bob', resource: { ...document, id: 'top' } })
      assert.equal(
        top.rule.sentence,
        'User "bob" may edit document "top": no access type is set on it or above it, so the default of the API key is in force, public, and a user without a grant is an editor.',
      )
      await acme.key.call(updateKeyConfig, { defaultAccessRole: 'viewer' })
      const viewed = await acme.key.call(explainPermissions, bob)
      assert.equal(
        viewed.rule.sentence,
        'User "bob" may view document "own": it is public, and a user without a grant is a viewer.',
      )
      assert.deepEqual(
        viewed.chain.map(({ defaultAccessRole }) => defaultAccessRole),
        ['viewer', undefined, undefined],
      )
    })

    it('rule 5: membership', async () => {
      await addTree('organizationPrivate')
      await grant(organization)
      assert.deepEqual(await ruleOf(), [
        5,
        'User "ada" may edit document "roadmap": it follows folder "plans", which is organizationPrivate, and the user has a grant on organization "acme"; the nearest role of the user, on organization "acme", is editor.',
      ])
    })

    it('rule 6: a missing grant, an expired one, or one that does not apply', async () => {
      await addTree('restricted')
      assert.deepEqual(await ruleOf(), [
        6,
        'User "ada" has no access to document "roadmap": it follows folder "plans", which is restricted, and the user has no grant on it or above it up to folder "plans".',
      ])
      await grant({ ...folder, expiresAt: 1 }, { ...folder, id: 'work' }, organization)
      assert.deepEqual(await ruleOf(), [
        6,
        'User "ada" has no access to document "roadmap": it follows folder "plans", which is restricted, and the grant on folder "plans" expired 1970-01-01T00:00:01Z, and the grants on folder "work" and organization "acme" do not apply to it.',
      ])
    })

    it('rule 6 for organizationPrivate: missing membership', async () => {
      await addTree('organizationPrivate')
      assert.deepEqual(await ruleOf(), [
        6,
        'User "ada" has no access to document "roadmap": it follows folder "plans", which is organizationPrivate, and the user has no grant on it or above it up to folder "plans", and none on organization "acme".',
      ])
    })
  })

  it('explains a resource that only a grant has declared', async () => {
    await grant({ ...document, accessRole: 'viewer' })
    const { chain } = await explain()
    assert.deepEqual(
      chain.map(({ type, id, grants }) => [type, id, grants[0]?.accessRole]),
      [
        ['document', 'roadmap', 'viewer'],
        ['organization', 'acme', undefined],
      ],
    )
  })

  it('requires the organization of a document, and refuses root as a folder', async () => {
    const post = (resource: object) => acme.key.post(explainPermissions.path, { userId: 'ada', resource })
    refusedField(await post({ type: 'document', id: 'roadmap' }), 'resource.organizationId', /required/)
    refusedField(await post({ type: 'folder', id: 'root', organizationId }), 'resource.id', /root/)
  })
})
