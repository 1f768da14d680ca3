/** `commentannotations/subscriptions/set`: who follows a thread, and who has muted it (rules/comments.md#following). */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { addComments } from '#contract/comments/comments.ts'
import { setSubscriptions } from '#contract/comments/subscriptions.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { getNotifications } from '#contract/notifications/notifications.ts'
import { getNotificationPreferences, setNotificationPreferences } from '#contract/notifications/preferences.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, comment, newKeyWithDocuments, ON_ROADMAP, organizationId, readThread } from '#testing/threads.ts'
import { refusedField } from '../../../../test/conformance/support/refused.ts'

const server = await sharedServer()
const set = (key: Client, userId: string, subscription: 'subscribed' | 'unsubscribed', ...annotationIds: string[]) =>
  key.call(setSubscriptions, { ...ON_ROADMAP, userId, subscription, annotationIds })
const users = (map: Record<string, { user: { userId: string }; type: string }>) =>
  Object.values(map).map(({ user, type }) => `${user.userId} ${type}`)
const forYou = async (key: Client, userId: string) =>
  (await key.call(getNotifications, { organizationId, userId })).map((one) => one.forYou)

/** Returns a key with notifications, of which bob is a member, and the id of a thread of ada. */
async function newThread(): Promise<{ key: Client; id: string; reply: () => Promise<unknown> }> {
  const key = await newKeyWithDocuments(server)
  await key.call(updateNotificationConfig, { useNotificationService: true })
  const resources = [{ type: 'organization' as const, id: organizationId }]
  await key.call(addPermissions, { user: { userId: 'bob' }, permissions: { resources } })
  const id = await addThread(key)
  const commentData = [comment('ada', { triggerNotification: true })]
  return { key, id, reply: () => key.call(addComments, { ...ON_ROADMAP, annotationId: id, commentData }) }
}

describe('thread-subscriptions.set', () => {
  it('lists the user as a manual subscriber, or as unsubscribed', async () => {
    const { key, id } = await newThread()
    await set(key, 'bob', 'subscribed', id)
    assert.deepEqual(users((await readThread(key, id)).subscribedUsers).sort(), ['ada auto', 'bob manual'])
    await set(key, 'bob', 'unsubscribed', id)
    const thread = await readThread(key, id)
    assert.deepEqual([users(thread.subscribedUsers), users(thread.unsubscribedUsers)], [['ada auto'], ['bob manual']])
  })

  it('lets replies involve the followers of the thread', async () => {
    const { key, id, reply } = await newThread()
    await key.call(setNotificationPreferences, { organizationId, userIds: ['bob'], config: { inbox: 'MINE' } })
    await reply()
    assert.deepEqual(await forYou(key, 'bob'), [])
    await set(key, 'bob', 'subscribed', id)
    await reply()
    assert.deepEqual(await forYou(key, 'bob'), [true])
  })

  it('notifies nobody who has muted the thread, and hides earlier notifications', async () => {
    const { key, id, reply } = await newThread()
    await reply()
    assert.deepEqual(await forYou(key, 'bob'), [false])
    await set(key, 'bob', 'unsubscribed', id)
    await reply()
    assert.deepEqual(await forYou(key, 'bob'), [])
    await set(key, 'bob', 'subscribed', id)
    assert.deepEqual(await forYou(key, 'bob'), [false, false])
  })

  it('mutes a whole document on every channel, also threads that the user follows, and follows it again', async () => {
    const { key, id, reply } = await newThread()
    const ofDocument = (subscription: 'subscribed' | 'unsubscribed') =>
      key.call(setSubscriptions, { ...ON_ROADMAP, userId: 'bob', subscription })
    const levels = async () => {
      const data = { organizationId, userId: 'bob', documentIds: ['roadmap'] }
      return (await key.call(getNotificationPreferences, data))[0]?.config
    }
    const config = { inbox: 'MINE' as const, chat: 'ALL' }
    await key.call(setNotificationPreferences, { organizationId, userIds: ['bob'], config })
    await set(key, 'bob', 'subscribed', id)
    await reply()
    assert.deepEqual(await forYou(key, 'bob'), [true])
    assert.deepEqual(await ofDocument('unsubscribed'), {
      roadmap: { success: true, id: 'roadmap', message: 'Subscription set successfully.' },
    })
    assert.deepEqual(await levels(), { inbox: 'NONE', email: 'NONE', slack: 'NONE', chat: 'NONE' })
    assert.deepEqual(await forYou(key, 'bob'), [])
    await ofDocument('subscribed')
    assert.deepEqual(await levels(), { inbox: 'ALL', email: 'MINE', chat: 'ALL' })
    assert.deepEqual(await forYou(key, 'bob'), [true])
  })

  it('fails only for unknown threads, and refuses other values', async () => {
    const { key, id } = await newThread()
    const results = await set(key, 'bob', 'subscribed', id, 'unknown')
    assert.deepEqual([results[id]?.success, results.unknown?.code], [true, 'not-found'])
    const data = { ...ON_ROADMAP, userId: 'bob', annotationIds: [id], subscription: 'muted' }
    refusedField(await key.post(setSubscriptions.path, data), 'subscription', /must be one of/)
  })
})
