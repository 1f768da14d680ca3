/**
 * Activities about a private thread stay hidden after the thread was deleted in any way, also after exports, imports
 * and moves (rules/comments.md#activities).
 */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { addActivities, getActivities } from '#contract/activities/activities.ts'
import { listCommentData, setCommentData } from '#contract/comments/comment-data.ts'
import { deleteComments } from '#contract/comments/comments.ts'
import { deleteThreads, updateThreads } from '#contract/comments/threads.ts'
import { updateActivityConfig } from '#contract/keys/activity-config.ts'
import type { Client } from '#testing/client.ts'
import { completeErasure, completeMigration } from '#testing/jobs.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, asUser, comment, newKeyWithDocuments, ON_ROADMAP, organizationId } from '#testing/threads.ts'

const server = await sharedServer()
const RESTRICTED = { type: 'restricted' as const, userIds: ['bob'] }
const PRIVATE = { ...ON_ROADMAP, annotationIds: ['private'] }

async function newKey(): Promise<Client> {
  const key = await newKeyWithDocuments(server)
  await key.call(updateActivityConfig, { activityServiceConfig: { isEnabled: true, immutable: false } })
  for (const userId of ['ada', 'bob']) {
    const resources = ['roadmap', 'plan'].map((id) => ({ type: 'document' as const, id, organizationId }))
    await key.call(addPermissions, { user: { userId }, permissions: { resources } })
  }
  return key
}

const record = (key: Client, id: string, targetEntityId = 'private', documentId = 'roadmap') =>
  key.call(addActivities, {
    ...{ organizationId, documentId },
    activities: [
      {
        ...{ id, featureType: 'custom' as const, actionType: 'done', targetEntityId },
        ...{ actionUser: { userId: 'zoe' }, entityData: 'what the thread says' },
      },
    ],
  })

const shownTo = async (client: Client, documentId = 'roadmap') =>
  (await client.call(getActivities, { organizationId, documentId })).map(({ id }) => id).toSorted()

let key: Client
let readers: Client[]
beforeEach(async () => {
  key = await newKey()
  readers = await Promise.all(['ada', 'bob'].map((userId) => asUser(key, userId)))
})

/** The private thread, with an activity about it and one about something else. */
async function addPrivateThread(fields: object = { visibility: RESTRICTED }): Promise<void> {
  await addThread(key, { annotationId: 'private', commentData: [comment('zoe', { commentId: 1 })], ...fields })
  await record(key, 'about it')
  await record(key, 'other', 'budget')
}

async function assertHidden(): Promise<void> {
  for (const reader of readers) assert.deepEqual(await shownTo(reader), ['other'])
  assert.deepEqual(await shownTo(key), ['about it', 'other'])
}

describe('an activity of type custom about a private thread', () => {
  const DELETIONS: Record<string, () => Promise<unknown>> = {
    'the thread is deleted': () => key.call(deleteThreads, PRIVATE),
    'its last comment is deleted': () => key.call(deleteComments, { ...ON_ROADMAP, annotationId: 'private' }),
    'everybody in it is erased': () => completeErasure(key, { userIds: ['zoe'] }),
  }
  for (const [how, remove] of Object.entries(DELETIONS))
    it(`is shown to no user after ${how}`, async () => {
      await addPrivateThread()
      await remove()
      await assertHidden()
    })

  it('is shown to no user if only the access context of the thread was private', async () => {
    await addPrivateThread({ context: { access: { team: 'a' } } })
    await key.call(deleteThreads, PRIVATE)
    await assertHidden()
  })

  it('is shown to no user if it is recorded after the deletion', async () => {
    await addPrivateThread()
    await key.call(deleteThreads, PRIVATE)
    await record(key, 'late')
    for (const reader of readers) assert.deepEqual(await shownTo(reader), ['other'])
  })

  it('follows the last visibility of the thread', async () => {
    await addPrivateThread()
    await key.call(updateThreads, { ...PRIVATE, updatedData: { visibility: { type: 'public' } } })
    await key.call(deleteThreads, PRIVATE)
    for (const reader of readers) assert.deepEqual(await shownTo(reader), ['about it', 'other'])
  })

  it('is not about a later thread with the same id', async () => {
    await addPrivateThread()
    await key.call(deleteThreads, PRIVATE)
    await record(key, 'between')
    await addThread(key, { annotationId: 'private', createdAt: 1 })
    await record(key, 'of the later one')
    for (const reader of readers) assert.deepEqual(await shownTo(reader), ['of the later one', 'other'])
    await key.call(deleteThreads, PRIVATE)
    for (const reader of readers) assert.deepEqual(await shownTo(reader), ['other'])
  })

  it('stays hidden when the document gets another id', async () => {
    await addPrivateThread()
    await key.call(deleteThreads, PRIVATE)
    await completeMigration(key, { ...ON_ROADMAP, newDocumentId: 'plans' })
    for (const reader of readers) assert.deepEqual(await shownTo(reader, 'plans'), ['other'])
  })

  it('stays hidden in a copy, from which the same is exported', async () => {
    await addPrivateThread()
    await key.call(deleteThreads, PRIVATE)
    await record(key, 'between')
    await addThread(key, { annotationId: 'private' })
    await record(key, 'of the later one')
    await record(key, 'of no thread', 'later')
    const other = await newKey()
    for (const kind of ['threads', 'activities'] as const) {
      const page = await key.call(listCommentData, { organizationId, kind })
      const filled = Object.fromEntries(Object.entries(page).filter(([, records]) => records.length > 0))
      for (const _ of ['once', 'twice'])
        assert.deepEqual(await other.call(setCommentData, { organizationId, ...filled }), [])
    }
    const activitiesOf = (of: Client) => of.call(listCommentData, { organizationId, kind: 'activities' })
    assert.deepEqual(await activitiesOf(other), await activitiesOf(key))
    const shown = ['of no thread', 'of the later one', 'other']
    assert.deepEqual(await shownTo(await asUser(other, 'ada')), shown)
    await other.call(deleteThreads, PRIVATE)
    assert.deepEqual(await shownTo(await asUser(other, 'ada')), ['of no thread', 'other'])
  })
})
