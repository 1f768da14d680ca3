/**
 * A user never hears of people, folders and documents that they may not know of. A world is built twice, with and without the names,
 * addresses and places that are hidden from a reader who has only a grant on one document; then this reader makes every call that a
 * user token may make, also those that name hidden people and places. Each answer is the same.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addGrants } from '#contract/access/grants.ts'
import { addActivities } from '#contract/activities/activities.ts'
import { addComments } from '#contract/comments/comments.ts'
import { addThreads, getThreads, updateThreads } from '#contract/comments/threads.ts'
import { updateActivityConfig } from '#contract/keys/activity-config.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { addNotification, getNotifications } from '#contract/notifications/notifications.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import type { Client } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import { completeMigration } from '#testing/jobs.ts'
import { openLivePage } from '#testing/live-stream.ts'
import { startServer } from '#testing/server.ts'
import { readAll, withoutGenerated } from './readings.ts'

const organizationId = 'acme'
const ON = { organizationId, documentId: 'd0' }
const FOLDER = 'closed-folder'
/** The reader may know none of them: a member of another organization, and one of this, who never wrote here. */
const HIDDEN_PEOPLE = ['zoe', 'bob'] as const
/** Everything that is hidden has this in its name or address. */
const MARKER = 'hidden-marker'

const profile = (userId: string) => ({
  userId,
  name: `${MARKER} ${userId}`,
  photoUrl: `https://${MARKER}.example/${userId}`,
})

/**
 * Builds the world: `d0` is open to the readers. `whole`: it is in a folder that is not, the organization has a name, hidden people have
 * profiles, the author `nameless` has an address, and `d1` has another id now, under which it is not open.
 */
async function build(key: Client, reader: string, isMember: boolean, isWhole: boolean): Promise<void> {
  await key.call(updateKeyConfig, { accessRoles: ['viewer', 'commenter', 'editor'], userSharing: 'editorsAndReaders' })
  await key.call(updateNotificationConfig, { useNotificationService: true })
  await key.call(updateActivityConfig, { activityServiceConfig: { isEnabled: true, immutable: false } })
  const organizationName = isWhole ? { organizationName: MARKER } : {}
  await key.call(addOrganizations, {
    organizations: [{ organizationId, ...organizationName }, { organizationId: 'globex' }],
  })
  await key.call(addFolders, {
    organizationId,
    folders: [{ folderId: FOLDER, folderName: MARKER, accessType: 'restricted' }],
  })
  const documents = [{ documentId: 'd0', accessType: 'restricted' as const }]
  await key.call(addDocuments, { organizationId, ...(isWhole && { folderId: FOLDER }), documents })
  if (isWhole) {
    await key.call(addDocuments, { organizationId, folderId: FOLDER, documents: [{ documentId: 'd1' }] })
    await completeMigration(key, { organizationId, documentId: 'd1', newDocumentId: MARKER })
  }
  const member = { type: 'organization' as const, id: organizationId, accessRole: 'viewer' as const }
  const onDocument = { type: 'document' as const, id: 'd0', organizationId, accessRole: 'editor' as const }
  await key.call(addGrants, {
    grants: [
      { userId: reader, ...onDocument },
      ...(isMember ? [{ userId: reader, ...member }] : []),
      { userId: 'nameless', ...onDocument },
      { userId: 'zoe', ...member, id: 'globex' },
      ...(isMember ? [] : [{ userId: 'bob', ...member }]),
    ],
  })
  const address = isWhole ? { email: `nameless@${MARKER}.example` } : {}
  await key.call(setProfiles, {
    users: [{ userId: 'nameless', ...address }, ...(isWhole ? HIDDEN_PEOPLE.map(profile) : [])],
  })
  const from = { userId: 'nameless', ...address }
  const notify = { triggerNotification: true }
  const mention = { userId: 'zoe', text: '@z', contact: { userId: 'zoe' } }
  const root = {
    commentId: 1,
    commentText: 'word {{zoe}}',
    taggedUserContacts: [mention],
    from,
    ...notify,
    triggerActivities: true,
  }
  await key.call(addThreads, { ...ON, commentAnnotations: [{ annotationId: 't0', commentData: [root] }] })
  await key.call(addComments, {
    ...ON,
    annotationId: 't0',
    commentData: [{ commentId: 2, commentText: 'word', from, ...notify }],
  })
  const activity = {
    id: 'a',
    featureType: 'custom' as const,
    actionType: 'done',
    targetEntityId: 'x',
    actionUser: from,
  }
  await key.call(addActivities, { ...ON, activities: [activity] })
  await key.call(addNotification, {
    ...ON,
    notificationId: 'n',
    displayHeadlineMessageTemplate: '{actionUser} told {other}',
    displayHeadlineMessageTemplateData: { other: from },
    displayBodyMessage: '',
    actionUser: from,
    notifyAll: true,
    notifyUsers: [{ userId: reader }, { userId: 'nameless', ...address }],
  })
}

/** Names the hidden people in every field that takes a person, and the hidden folder, and returns the answers. */
async function probe(user: Client): Promise<string[]> {
  const mentions = HIDDEN_PEOPLE.map((userId) => ({ userId, text: '@', contact: { userId } }))
  const commentData = [
    { commentId: 7, commentText: HIDDEN_PEOPLE.map((id) => `{{${id}}}`).join(), taggedUserContacts: mentions },
  ]
  const assignedTo = { userId: 'bob' }
  const answers = [
    await user.post(getThreads.path, { organizationId, documentIds: ['d0'], folderId: FOLDER }),
    await user.post(addComments.path, { ...ON, annotationId: 't0', commentData }),
    await user.post(updateThreads.path, { ...ON, annotationIds: ['t0'], updatedData: { assignedTo } }),
    await user.post(addThreads.path, { ...ON, commentAnnotations: [{ commentData, assignedTo }] }),
    await user.post(getThreads.path, { organizationId, documentIds: ['d0'], folderId: FOLDER }),
  ]
  return answers.map(({ http, body }) => `${http} ${withoutGenerated(body)}`)
}

/** Returns every answer to the reader, and what a stream sent meanwhile. */
async function hear(url: string, key: Client, reader: string): Promise<string[]> {
  const { token } = await key.call(generateToken, { userId: reader })
  const user = key.with({ authorization: `Bearer ${token}` })
  const page = await openLivePage(url, token, { organizationId, documentIds: ['d0', 'd1', MARKER], inbox: true })
  const known = { organizationId, userId: reader, threadIds: ['t0'], notificationIds: ['n'] }
  const before = await readAll(key, known)
  const probed = await probe(user)
  const isHeard = (text: string) => page.events.some((event) => JSON.stringify(event).includes(text))
  await until('the assignee in the stream', () => isHeard('"assignedTo":'))
  const after = await readAll(key, known, { alsoWrites: true })
  page.close()
  // An item can come twice, and may have several changes.
  const streamed = page.events
    .filter(({ data }) => data.annotationId === 't0')
    .map(({ event, data }) => `${event} ${withoutGenerated(data)}`)
    .filter((line) => line.includes('assignedTo'))
  // An app gets the addresses of people.
  const isOfApp = (line: string) => line.startsWith(`${getNotifications.path} `) && line.includes('"userId"')
  return [...before, ...probed, ...after, ...streamed.slice(0, 1)].filter(
    (line) => !isOfApp(line.split(' → ')[0] ?? ''),
  )
}

describe('a reader with a grant on one document', async () => {
  const server = await startServer()

  for (const [reader, isMember] of [
    ['gus', false],
    ['mia', true],
  ] as const)
    it(`hears nothing of hidden people, folders and ids, ${isMember ? 'as a member' : 'as a guest'}`, async () => {
      const keys = await Promise.all([server.newKey(), server.newKey()])
      const [whole = [], without = []] = await Promise.all(
        keys.map(async (key, index) => {
          await build(key, reader, isMember, index === 0)
          return hear(server.url, key, reader)
        }),
      )
      const first = whole.findIndex((line, at) => line !== without[at])
      assert.equal(whole[first], without[first])
      assert.deepEqual(
        whole.filter((line) => line.split('→').at(-1)?.includes(MARKER)),
        [],
      )
    })
})
