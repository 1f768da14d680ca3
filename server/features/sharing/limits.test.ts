/**
 * Grants that limit somebody to a weaker role than a folder or the organization gives: sharers lift none of their own, and
 * none of others for longer than they have access themselves.
 */
import assert from 'node:assert/strict'
import { beforeEach, it } from 'vitest'
import { addGrants, type GrantInput, listGrants } from '#contract/access/grants.ts'
import { updateSharing } from '#contract/access/sharing-changes.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { addUserGroupUsers } from '#contract/users/user-groups.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { LATER, member, newSharingKey, onFolder, onRoadmap, organizationId, ROADMAP } from '#testing/sharing.ts'
import { asUser } from '#testing/threads.ts'

const server = await sharedServer()
let key: Client

beforeEach(async () => {
  key = await newSharingKey(server)
})

type Update = Partial<DataOf<typeof updateSharing>>
const grant = (...grants: GrantInput[]) => key.call(addGrants, { grants })
const join = (groupId: string, ...userIds: string[]) =>
  key.call(addUserGroupUsers, { organizationId, organizationUserGroupId: groupId, userIds })

/** Returns the outcome of the change and of its preview, which is the same. */
async function outcome(userId: string, data: Update): Promise<string> {
  const client = await asUser(key, userId)
  const send = async (more: Update) => {
    const { body } = await client.post(updateSharing.path, { ...ROADMAP, ...data, ...more })
    return body.error?.reason ?? 'ok'
  }
  const preview = await send({ dryRun: true })
  const before = await key.call(listGrants, { organizationId })
  const real = await send({ allowLosingOwnAccess: true })
  assert.equal(preview, real)
  if (real !== 'ok') assert.deepEqual(await key.call(listGrants, { organizationId }), before)
  return real
}

const removal = (target: { userId: string } | { groupId: string }): Update => ({ removals: [target] })

const editsFolder = (userId: string) => ({ userId, ...onFolder, accessRole: 'editor' as const })

it('does not lift a limit of their own that would count again', async () => {
  // An editor of the folder may only view the document, except until LATER.
  await grant(editsFolder('tim'), { userId: 'tim', ...onRoadmap('viewer') })
  assert.equal(await outcome('tim', removal({ userId: 'tim' })), 'sharing_with_oneself')
})

it('does not lift a limit of a group of theirs, by a removal or a grant that expires', async () => {
  await grant(editsFolder('tim'), { groupId: 'sales', ...onRoadmap('viewer') })
  await join('sales', 'tim')
  assert.equal(await outcome('tim', removal({ groupId: 'sales' })), 'sharing_with_oneself')
  const stronger = { groupId: 'sales', accessRole: 'editor' as const, expiresAt: LATER }
  assert.equal(await outcome('tim', { grants: [stronger] }), 'sharing_with_oneself')
  // Of another group too, whose limit ends before that of the first.
  await grant({ groupId: 'design', ...onRoadmap('viewer', { expiresAt: LATER + 10, replaceExisting: true }) })
  await join('design', 'tim')
  assert.equal(await outcome('tim', removal({ groupId: 'design' })), 'ok')
  assert.equal(await outcome('tim', removal({ groupId: 'sales' })), 'sharing_with_oneself')
})

it('counts no groups of somebody who is not a member any more', async () => {
  await grant({ userId: 'cora', ...member, expiresAt: 1, replaceExisting: true }, editsFolder('cora'))
  await grant({ groupId: 'design', ...onRoadmap('viewer') })
  await grant(
    { userId: 'cora', ...onRoadmap('viewer') },
    { userId: 'cora', ...onRoadmap('editor', { expiresAt: LATER }) },
  )
  assert.equal(await outcome('cora', removal({ userId: 'cora' })), 'sharing_with_oneself')
})

it('is refused also where the stronger role is farther above than one that expires', async () => {
  const onOrganization = { ...member, accessRole: 'editor' as const }
  await grant(
    { userId: 'tim', ...onOrganization },
    { userId: 'tim', ...onFolder, accessRole: 'viewer', expiresAt: LATER + 10 },
    { userId: 'tim', ...onRoadmap('viewer') },
  )
  assert.equal(await outcome('tim', removal({ userId: 'tim' })), 'sharing_with_oneself')
})

it('does not lift a limit of others for longer than their own access', async () => {
  const limitedEditor = (userId: string) => [editsFolder(userId), { userId, ...onRoadmap('viewer') }]
  await grant(...limitedEditor('tim'), ...limitedEditor('ada'))
  assert.equal(await outcome('tim', removal({ userId: 'ada' })), 'sharing_exceeds_own_access')
  // The grant on the document would hide the role above only until then.
  const until = { userId: 'ada', accessRole: 'editor' as const, expiresAt: LATER }
  assert.equal(await outcome('tim', { grants: [until] }), 'sharing_exceeds_own_access')
  await grant({ groupId: 'sales', ...onRoadmap('viewer') }, editsFolder('cora'))
  await join('sales', 'cora')
  assert.equal(await outcome('tim', removal({ groupId: 'sales' })), 'sharing_exceeds_own_access')
  // The role above lasts no longer than the access of the sharer, or is no stronger, or the sharer's has no end.
  await grant({ ...editsFolder('bob'), expiresAt: LATER }, { userId: 'bob', ...onRoadmap('viewer') })
  assert.equal(await outcome('tim', removal({ userId: 'bob' })), 'ok')
  await grant({ userId: 'eve', ...onFolder, accessRole: 'viewer' }, { userId: 'eve', ...onRoadmap('viewer') })
  assert.equal(await outcome('tim', removal({ userId: 'eve' })), 'ok')
  assert.equal(await outcome('gus', removal({ userId: 'ada' })), 'ok')
})

it('may remove their own grants where that gives nothing', async () => {
  // Nothing is left, or what counts after LATER anyway.
  await grant({ userId: 'tim', ...onRoadmap('viewer') })
  assert.equal(await outcome('tim', removal({ userId: 'tim' })), 'ok')
  await grant(editsFolder('ada'))
  assert.equal(await outcome('ada', removal({ userId: 'ada' })), 'ok')
  // The role above is no stronger than the limit.
  await grant({ userId: 'ada', ...onFolder, accessRole: 'viewer' })
  await grant(
    { userId: 'ada', ...onRoadmap('viewer') },
    { userId: 'ada', ...onRoadmap('editor', { expiresAt: LATER }) },
  )
  assert.equal(await outcome('ada', removal({ userId: 'ada' })), 'ok')
})
