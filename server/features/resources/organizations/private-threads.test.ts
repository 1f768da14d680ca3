/** Threads that are private to members of another organization, when that organization is deleted (rules/comments.md#visibility). */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import type { ThreadRecord } from '#contract/comments/records.ts'
import { addThreads, getThreads } from '#contract/comments/threads.ts'
import { listEvents } from '#contract/events/events.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addOrganizations, deleteOrganizations } from '#contract/resources/organizations.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { asUser, ON_ROADMAP, organizationId, readThread } from '#testing/threads.ts'

const server = await sharedServer()

/** An API key with the organizations `partner` and `client`, and a public document of `acme` with a thread `t` for their members. */
async function newWorld(organizationIds: string[]): Promise<Client> {
  const key = await server.newKey()
  await key.call(addOrganizations, {
    organizations: ['partner', 'client'].map((each) => ({ organizationId: each })),
  })
  const documents = [{ documentId: 'roadmap', accessType: 'public' as const }]
  await key.call(addDocuments, { organizationId, createOrganization: true, documents })
  const commentData = [{ commentText: 'secret', from: { userId: 'ada' } }]
  const visibility = { type: 'organizationPrivate' as const, organizationIds, userIds: ['vic'] }
  await key.call(addThreads, { ...ON_ROADMAP, commentAnnotations: [{ annotationId: 't', commentData, visibility }] })
  return key
}

async function join(key: Client, userId: string, id: string): Promise<void> {
  const resources = [{ type: 'organization' as const, id }]
  await key.call(addPermissions, { user: { userId }, permissions: { resources } })
}

async function sees(key: Client, userId: string): Promise<boolean> {
  const user = await asUser(key, userId)
  return ((await user.call(getThreads, ON_ROADMAP)) as ThreadRecord[]).length === 1
}

const recreate = async (key: Client, id: string): Promise<void> => {
  await key.call(deleteOrganizations, { organizationIds: [id] })
  await key.call(addOrganizations, { organizations: [{ organizationId: id }] })
}

it('are not for members of an organization that is added later under the same id', async () => {
  const key = await newWorld(['partner'])
  await join(key, 'bob', 'partner')
  assert.equal(await sees(key, 'bob'), true)
  await recreate(key, 'partner')
  await join(key, 'new', 'partner')
  assert.deepEqual(
    [await sees(key, 'new'), await sees(key, 'bob'), await sees(key, 'ada'), await sees(key, 'vic')],
    [false, false, true, true],
  )
  assert.deepEqual((await readThread(key, 't')).visibilityConfig, { type: 'restricted', userIds: ['vic', 'ada'] })
  const { events } = await key.call(listEvents, { organizationId, types: ['thread.visibility_changed'] })
  assert.deepEqual(
    events.map(({ before, after }) => [before, after]),
    [
      [
        { annotationId: 't', visibility: 'organizationPrivate' },
        { annotationId: 't', visibility: 'restricted' },
      ],
    ],
  )
})

it('stay for members of the other organizations that they name', async () => {
  const key = await newWorld(['partner', 'client', organizationId])
  await recreate(key, 'partner')
  await Promise.all([join(key, 'new', 'partner'), join(key, 'cyd', 'client'), join(key, 'eve', organizationId)])
  assert.deepEqual([await sees(key, 'new'), await sees(key, 'cyd'), await sees(key, 'eve')], [false, true, true])
  assert.deepEqual((await readThread(key, 't')).visibilityConfig, {
    type: 'organizationPrivate',
    organizationId: 'client',
    organizationIds: ['client', organizationId],
    userIds: ['vic', 'ada'],
  })
})

it('stay as they are if the organization of one API key is deleted that another one also has', async () => {
  const [key, other] = [await newWorld(['partner']), await newWorld(['partner'])]
  await join(key, 'bob', 'partner')
  await recreate(other, 'partner')
  assert.equal(await sees(key, 'bob'), true)
})
