/** The fixes of findings change what they are about, and lower nobody else (rules/access.md#findings). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { type Finding, listFindings } from '#contract/access/findings.ts'
import { addGrants, listGrants } from '#contract/access/grants.ts'
import type { ResourceName } from '#contract/access/permissions.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { operationNamed } from '#contract/operations.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'

const server = await sharedServer()
const organizationId = 'acme'
let key: Client
beforeEach(async () => {
  key = await server.newKey()
  await key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
  await key.call(addOrganizations, { organizations: [{ organizationId }] })
})

const grant = (userId: string, type: ResourceName['type'], id: string, more: object = {}) =>
  key.call(addGrants, { grants: [{ userId, type, id, organizationId, accessRole: 'editor', ...more }] })
const profile = (userId: string, more: object) => key.call(setProfiles, { users: [{ userId, ...more }] })
const found = async (data: object = {}) => (await key.call(listFindings, data)).findings
const kinds = async () => (await found()).map(({ kind, resource, userId }) => [kind, resource?.id, userId])

async function fix({ calls }: Finding): Promise<void> {
  for (const { operation, data } of calls) await key.call(operationNamed(operation), data)
}

describe('the fix of a finding', () => {
  it('gives a grant only if that lowers nobody, and nothing to somebody who left', async () => {
    const now = Math.floor(Date.now() / 1000)
    const [late, day, week] = [now - 86_400, now + 86_400, now + 7 * 86_400]
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'sales' }] })
    const documents = ['steel-invoice', 'prices'].map((documentId) => ({ documentId }))
    await key.call(addDocuments, { organizationId, folderId: 'sales', documents })
    const held: Record<string, [string, object][]> = {
      above: [['sales', {}]],
      shorter: [['sales', { expiresAt: day }]],
      own: [['steel-invoice', {}]],
      longer: [['steel-invoice', { accessRole: 'viewer', expiresAt: week }]],
      weaker: [['sales', { accessRole: 'viewer' }]],
      nothing: [],
      everyone: [],
    }
    for (const [userId, grants] of Object.entries(held))
      for (const [id, more] of grants) await grant(userId, id === 'sales' ? 'folder' : 'document', id, more)
    const everyone = [{ documentId: 'everyone', accessType: 'public' as const }]
    await key.call(addDocuments, { organizationId, documents: everyone })
    await grant('everyone', 'document', 'everyone', { expiresAt: late })
    await grant('everyone', 'document', 'evreyone', { accessRole: 'viewer' })
    const misspelt = (userId: string, more: object = {}) => grant(userId, 'document', 'steel-invioce', more)
    for (const userId of ['above', 'own', 'shorter']) await misspelt(userId, { accessRole: 'viewer' })
    for (const userId of ['weaker', 'longer', 'nothing']) await misspelt(userId, { expiresAt: day })
    for (const userId of ['above', 'nothing']) await grant(userId, 'document', 'prices', { expiresAt: late })
    await profile('former', { status: 'former' })
    await grant('former', 'document', 'prices', { expiresAt: late })
    await misspelt('former')
    await grant('nothing', 'document', 'never-added', { expiresAt: late })
    const roles = async () => {
      const userIds = Object.keys(held)
      const checks = userIds.flatMap((userId) =>
        documents.map(({ documentId }) => ({
          userId,
          resource: { type: 'document' as const, id: documentId, organizationId },
        })),
      )
      const decided = (await key.call(checkPermissions, { checks })).checks
      return userIds.map((userId, nth) => [
        userId,
        ...decided.slice(2 * nth, 2 * nth + 2).map(({ accessRole }) => accessRole ?? 'none'),
      ])
    }
    const before = await roles()
    const findings = await found({ kinds: ['grant_not_added', 'expired_lately'] })
    assert.deepEqual(
      findings
        .filter(({ calls }) => calls.some(({ operation }) => operation === 'permissions.add'))
        .map(({ resource, userId }) => [resource?.id, userId]),
      [
        ['steel-invioce', 'nothing'],
        ['steel-invioce', 'weaker'],
        ['prices', 'nothing'],
      ],
    )
    for (const finding of findings) await fix(finding)
    assert.deepEqual(await roles(), [
      ...before.slice(0, 4),
      ['weaker', 'editor', 'viewer'],
      ['nothing', 'editor', 'viewer'],
      ['everyone', 'none', 'none'],
    ])
  })

  it('gives no grant that counts longer than a temporary one below which a stronger one waits', async () => {
    const expiresAt = Math.floor(Date.now() / 1000) + 86_400
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'sales' }] })
    await key.call(addDocuments, { organizationId, folderId: 'sales', documents: [{ documentId: 'steel-invoice' }] })
    await grant('ada', 'organization', organizationId)
    for (const userId of ['ada', 'bob']) {
      await grant(userId, 'folder', 'sales', { accessRole: 'viewer', expiresAt })
      await grant(userId, 'document', 'steel-invioce', { accessRole: userId === 'ada' ? 'viewer' : 'editor' })
    }
    const offered = (await found({ kinds: ['grant_not_added'] })).map(({ userId, calls }) => [
      userId,
      calls.map(({ operation }) => operation),
    ])
    assert.deepEqual(offered, [
      ['ada', ['permissions.remove']],
      ['bob', ['permissions.add', 'permissions.remove']],
    ])
  })

  it('replaces no grant that the fix of another finding in the list has given', async () => {
    await key.call(addDocuments, { organizationId, documents: [{ documentId: 'steel-invoice' }] })
    await grant('ada', 'document', 'stele-invoice', { accessRole: 'viewer' })
    await grant('ada', 'document', 'steel-invioce')
    await grant('ada', 'document', 'steel-invocie', { accessRole: 'viewer' })
    const findings = await found({ kinds: ['grant_not_added'] })
    assert.equal(findings.length, 3)
    for (const finding of findings) await fix(finding)
    const { grants } = await key.call(listGrants, { organizationId })
    assert.deepEqual(
      grants.map(({ id, accessRole }) => [id, accessRole]),
      [['steel-invoice', 'editor']],
    )
  })

  it('keeps the stronger of the two grants of a guest until it ends', async () => {
    const expiresAt = Math.floor(Date.now() / 1000) + 86_400
    await key.call(addDocuments, { organizationId, documents: [{ documentId: 'roadmap' }] })
    await profile('guest', { isGuest: true })
    await grant('guest', 'document', 'roadmap', { accessRole: 'viewer' })
    await grant('guest', 'document', 'roadmap', { expiresAt })
    assert.deepEqual(await kinds(), [['guest_without_end', 'roadmap', 'guest']])
    for (const finding of await found()) await fix(finding)
    assert.deepEqual(await kinds(), [])
    const { grants } = await key.call(listGrants, { organizationId })
    assert.deepEqual(
      grants.map(({ accessRole, expiresAt: end }) => [accessRole, end]),
      [['editor', expiresAt]],
    )
  })

  it('opens what was public in a restricted folder to the people of the folder', async () => {
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'hr', accessType: 'restricted' }] })
    const documents = [{ documentId: 'bands', accessType: 'public' as const }]
    await key.call(addDocuments, { organizationId, folderId: 'hr', documents })
    await grant('ada', 'folder', 'hr')
    assert.deepEqual(await kinds(), [['public_in_restricted', 'bands', undefined]])
    for (const finding of await found()) await fix(finding)
    assert.deepEqual(await kinds(), [])
    const resource = { type: 'document' as const, id: 'bands', organizationId }
    const checks = ['ada', 'bob'].map((userId) => ({ userId, resource }))
    assert.deepEqual(
      (await key.call(checkPermissions, { checks })).checks.map(({ allowed }) => allowed),
      [true, false],
    )
  })
})
