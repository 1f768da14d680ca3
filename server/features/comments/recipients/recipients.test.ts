/** Who is notified of a comment on a channel, and why others are not (rules/comments.md#recipients). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { addComments, deleteComments } from '#contract/comments/comments.ts'
import { readThreads } from '#contract/comments/seen.ts'
import { setSubscriptions } from '#contract/comments/subscriptions.ts'
import { addThreads } from '#contract/comments/threads.ts'
import type { ApiKeyId } from '#contract/core/ids.ts'
import { setNotificationPreferences } from '#contract/notifications/preferences.ts'
import { disableDocuments } from '#contract/resources/documents.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type Acme, newAcme, organizationId } from '#testing/acme.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../../test/conformance/support/callers.ts'
import { listRecipients } from '../shared.ts'

const server = await sharedServer()
let acme: Acme
beforeEach(async () => {
  acme = await newAcme(server)
  await acme.addDocuments('root', { documentId: 'd', accessType: 'restricted' })
  await acme.grant('document', 'd', 'ada', 'bob', 'cyd', 'eve')
})

/** Ada starts thread `t` with comment 1, which mentions Bob; Cyd replies with comment 2. */
async function thread(more: object = {}): Promise<void> {
  const root = {
    commentId: 1,
    from: { userId: 'ada' },
    commentText: 'Look, {{bob}}',
    taggedUserContacts: [{ userId: 'bob', contact: { userId: 'bob', name: 'B.', email: 'x@example.com' } }],
  }
  await acme.call(addThreads, {
    documentId: 'd',
    commentAnnotations: [{ annotationId: 't', commentData: [root], ...more }],
  })
  const reply = { commentId: 2, from: { userId: 'cyd' }, commentText: 'Yes' }
  await acme.call(addComments, { documentId: 'd', annotationId: 't', commentData: [reply] })
}

async function recipientsOf(
  subject: { commentId?: number; actorId?: string; afterUserId?: string },
  channel = 'email',
) {
  const key = organizationKey({ apiKeyId: apiKeyOf(acme.key) as ApiKeyId }, organizationId)
  const [document] = (
    await server.db.query('select resource_key from resources where organization_key = $1 and id = $2', [key, 'd'])
  ).rows
  const { resource_key: resourceKey } = document as { resource_key: string }
  const [found] = await listRecipients(server.db, channel, [
    { organizationKey: key, resourceKey, annotationId: 't', ...subject },
  ])
  return found?.users ?? []
}
/** Returns `user: reason`, or why the user is left out, for everybody involved. */
const outcomes = async (...asked: Parameters<typeof recipientsOf>) =>
  (await recipientsOf(...asked)).map(({ userId, reason, leftOut }) => `${userId}: ${leftOut ?? reason}`)

const level = (level: string, userIds: string[], more: object = {}, channel = 'email') =>
  acme.call(setNotificationPreferences, { userIds, config: { [channel]: level }, ...more })
const lose = (userId: string) =>
  acme.key.call(removePermissions, {
    userId,
    permissions: { resources: [{ type: 'document', id: 'd', organizationId }] },
  })

describe('recipients of a comment', () => {
  it('are the mentioned users and the participants, without the acting user', async () => {
    await thread()
    assert.deepEqual(await outcomes({ commentId: 1 }), ['bob: mention', 'cyd: reply'])
    assert.deepEqual(await outcomes({ commentId: 2 }), ['ada: reply', 'bob: reply'])
    assert.deepEqual(await outcomes({ commentId: 2, actorId: 'bob' }), ['ada: reply', 'cyd: reply'])
    assert.deepEqual(await outcomes({ actorId: 'eve' }), ['ada: reply', 'bob: reply', 'cyd: reply'])
    assert.deepEqual(await outcomes({ commentId: 3 }), [], 'there is no such comment')
    assert.deepEqual(await outcomes({ commentId: 2, afterUserId: 'ada' }), ['bob: reply'])
  })

  it('are decided at the time of the question: access, disabled users, mutes, seen comments, deletion', async () => {
    await thread()
    const bob = async () => (await outcomes({ commentId: 2 })).filter((said) => said.startsWith('bob'))
    await lose('bob')
    assert.deepEqual(await bob(), ['bob: no_access'])
    await acme.grant('document', 'd', 'bob')
    await acme.key.call(disableUsers, { userIds: ['bob'], disabled: true })
    assert.deepEqual(await bob(), ['bob: disabled'])
    for (const [disabled, reason] of [
      [true, 'no_access'],
      [false, 'disabled'],
    ] as const) {
      await acme.call(disableDocuments, { documentIds: ['d'], disabled })
      assert.deepEqual(await bob(), [`bob: ${reason}`])
    }
    await acme.key.call(disableUsers, { userIds: ['bob'], disabled: false })
    await acme.call(readThreads, { documentId: 'd', userId: 'bob', annotationIds: ['t'], commentId: 1 })
    assert.deepEqual(await bob(), ['bob: reply'])
    await acme.call(readThreads, { documentId: 'd', userId: 'bob', annotationIds: ['t'] })
    assert.deepEqual(await bob(), ['bob: seen'])
    await level('NONE', ['bob'])
    assert.deepEqual(await bob(), ['bob: level'])
    const mute = { documentId: 'd', userId: 'bob', annotationIds: ['t'], subscription: 'unsubscribed' }
    await acme.call(setSubscriptions, mute)
    assert.deepEqual(await bob(), ['bob: unsubscribed'])
    assert.deepEqual(await outcomes({ commentId: 1 }), ['bob: unsubscribed', 'cyd: reply'], 'also when mentioned')
    await acme.call(deleteComments, { documentId: 'd', annotationId: 't', commentIds: [2] })
    assert.deepEqual(await outcomes({ commentId: 2 }), [])
  })

  it('without access to the document include nobody whose grant expired, or who is a guest elsewhere', async () => {
    await thread()
    await lose('bob')
    const resources = [{ type: 'document' as const, id: 'd', organizationId, expiresAt: 1 }]
    await acme.key.call(addPermissions, { user: { userId: 'bob' }, permissions: { resources } })
    await acme.grant('organization', organizationId, 'guest')
    await level('ALL', ['guest'])
    assert.deepEqual(await outcomes({ commentId: 2 }), ['ada: reply', 'bob: no_access', 'guest: no_access'])
  })

  it('follow the level of the channel, for the document before the one for the organization', async () => {
    await thread()
    await level('ALL', ['eve', 'bob'])
    assert.deepEqual(await outcomes({ commentId: 2 }), ['ada: reply', 'bob: reply', 'eve: all'])
    assert.deepEqual(await outcomes({ commentId: 2 }, 'slack'), ['ada: reply', 'bob: reply'])
    await level('NONE', ['ada', 'bob', 'eve'], { documentIds: ['d'] })
    assert.deepEqual(await outcomes({ commentId: 2 }), ['ada: level', 'bob: level', 'eve: level'])
    await level('MINE', ['ada', 'eve'], { documentIds: ['d'] })
    assert.deepEqual(await outcomes({ commentId: 2 }), ['ada: reply', 'bob: level', 'eve: level'])
    const [ada] = await recipientsOf({ commentId: 2 })
    assert.deepEqual([ada?.level, ada?.organizationChannels, ada?.documentChannels], ['MINE', null, { email: 'MINE' }])
  })

  it('of a restricted thread are the named users and the author, whoever can open the document', async () => {
    await thread({ visibility: { type: 'restricted', userIds: ['bob', 'out'] } })
    await level('ALL', ['eve', 'out'])
    assert.deepEqual(await outcomes({ commentId: 2 }), [
      'ada: reply',
      'bob: reply',
      'eve: not_visible',
      'out: no_access',
    ])
  })

  it('of an organizationPrivate thread are its members by a live grant', async () => {
    await acme.key.call(addOrganizations, { organizations: [{ organizationId: 'partner' }] })
    await acme.grant('organization', 'partner', 'bob')
    await thread({ visibility: { type: 'organizationPrivate', organizationId: 'partner' } })
    assert.deepEqual(await outcomes({ actorId: 'eve' }), ['ada: reply', 'bob: reply', 'cyd: not_visible'])
  })

  it('of a thread with an access context is nobody', async () => {
    await thread({ context: { access: { team: 'x' } } })
    assert.deepEqual(await outcomes({ commentId: 2 }), ['ada: not_visible', 'bob: not_visible'])
  })

  it('have the name of the profile or of the mention, and only the address of the profile', async () => {
    await thread()
    const bob = async () => (await recipientsOf({ commentId: 1 }))[0]
    const named = async () => [(await bob())?.name, (await bob())?.email]
    assert.deepEqual(await named(), ['B.', null])
    await acme.key.call(setProfiles, { users: [{ userId: 'bob', name: 'Bob', email: 'bob@example.com' }] })
    assert.deepEqual(await named(), ['Bob', 'bob@example.com'])
  })
})
