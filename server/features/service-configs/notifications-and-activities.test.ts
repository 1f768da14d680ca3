/**
 * Settings of notifications and activities: defaults, merging at every depth, and the additions when they are first
 * switched on (rules/keys.md#notifications-and-activities).
 */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { addComments } from '#contract/comments/comments.ts'
import { addThreads } from '#contract/comments/threads.ts'
import { COMMENT_TRIGGERS } from '#contract/comments/triggers.ts'
import { getActivityConfig, updateActivityConfig } from '#contract/keys/activity-config.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { copyKeyConfig, getKeyConfig, updateKeyConfig } from '#contract/keys/key-config.ts'
import { getNotificationConfig, updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { getEmailConfig, updateEmailConfig } from '#contract/keys/service-configs.ts'
import { getNotifications } from '#contract/notifications/notifications.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf, newCallers } from '../../../test/conformance/support/callers.ts'
import { eventsDuring } from '../../../test/conformance/support/events.ts'
import { refusedField } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let owner: Client
let key: Client
beforeEach(async () => {
  const callers = await newCallers(server.url)
  owner = callers.workspace
  key = callers.apiKey
})

const BATCH = { isEnabled: false, batchWindowSeconds: 10, maxActivities: 2 }
const UNSET = {
  triggers: { comment: {}, huddle: {} },
  delayConfig: { isEnabled: false, delaySeconds: 10 },
  batchConfig: { document: BATCH, user: BATCH },
}
const allOn = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, true]))
const allOff = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, false]))
const ALL = Object.keys(COMMENT_TRIGGERS)
const SUGGESTIONS = ['suggestionAccepted', 'suggestionRejected']
const STANDARD = {
  comment: allOn(ALL.filter((name) => !SUGGESTIONS.includes(name))),
  huddle: { created: true, join: true },
}

const notifications = (data: object) => key.call(updateNotificationConfig, data)
const activities = async (activityServiceConfig: object) =>
  (await key.call(updateActivityConfig, { activityServiceConfig })).activityServiceConfig
const newKey = async (fields: object) => {
  const { apiKey, authToken = '' } = await owner.call(createApiKey, {
    ...{ ownerEmail: 'other@example.com', type: 'testing', createAuthToken: true },
    ...fields,
  })
  return server.client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })
}

describe('notification-config', () => {
  it('is off, without triggers, delay and digests, until it is set', async () => {
    assert.deepEqual(await key.call(getNotificationConfig, {}), {
      useNotificationService: false,
      notificationServiceConfig: UNSET,
    })
  })

  it('merges at every depth and returns the state after', async () => {
    const delayed = await notifications({ notificationServiceConfig: { delayConfig: { delaySeconds: 60 } } })
    assert.deepEqual(delayed.notificationServiceConfig.delayConfig, { isEnabled: false, delaySeconds: 60 })
    const batched = await notifications({
      notificationServiceConfig: { delayConfig: { isEnabled: true }, batchConfig: { user: { maxActivities: 50 } } },
    })
    assert.deepEqual(batched, {
      useNotificationService: false,
      notificationServiceConfig: {
        ...UNSET,
        delayConfig: { isEnabled: true, delaySeconds: 60 },
        batchConfig: { document: BATCH, user: { ...BATCH, maxActivities: 50 } },
      },
    })
    assert.deepEqual(await key.call(getNotificationConfig, {}), batched)
  })

  it('needs one of its two fields, in whole numbers within their bounds', async () => {
    const post = (data: object) => key.post(updateNotificationConfig.path, data)
    refusedField(await post({}), 'data')
    const at = 'notificationServiceConfig'
    for (const [field, values] of Object.entries({
      'delayConfig.delaySeconds': [9, 15_552_001, 10.5],
      'batchConfig.document.batchWindowSeconds': [9, 604_801, 10.5],
      'batchConfig.user.maxActivities': [1, 51, 2.5],
    }))
      for (const value of values) {
        const nested = field.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
        refusedField(await post({ [at]: nested }), `${at}.${field}`)
      }
    assert.deepEqual((await key.call(getNotificationConfig, {})).notificationServiceConfig, UNSET)
  })

  it('switches on the standard comment triggers and all huddle triggers when none are stored', async () => {
    const on = await notifications({
      useNotificationService: true,
      notificationServiceConfig: { triggers: { comment: { updated: false, suggestionAccepted: true } } },
    })
    assert.deepEqual(on, {
      useNotificationService: true,
      notificationServiceConfig: {
        ...UNSET,
        triggers: { ...STANDARD, comment: { ...STANDARD.comment, updated: false, suggestionAccepted: true } },
      },
    })
  })

  it('keeps stored triggers when it is switched on', async () => {
    await notifications({ notificationServiceConfig: { triggers: { comment: { added: true } } } })
    const on = await notifications({ useNotificationService: true })
    assert.deepEqual(on.notificationServiceConfig.triggers, { comment: { added: true }, huddle: {} })
    const off = await notifications({ useNotificationService: false })
    assert.deepEqual(off.notificationServiceConfig, on.notificationServiceConfig)
  })

  it('treats the event type and the short word of a trigger as one switch', async () => {
    const comment = async (triggers: object) =>
      (await notifications({ notificationServiceConfig: { triggers: { comment: triggers } } }))
        .notificationServiceConfig.triggers.comment as object
    await comment({ added: true, deleted: true })
    assert.deepEqual(await comment({ 'comment.add': false }), { deleted: true, 'comment.add': false })
    assert.deepEqual(await comment({ added: true }), { deleted: true, added: true })
    const both = { deleted: true, added: true, 'comment_annotation.delete': false }
    assert.deepEqual(await comment({ 'comment_annotation.delete': false }), both)
    assert.deepEqual(await comment({ deleted: false }), { added: true, deleted: false })
    const bad = { notificationServiceConfig: { triggers: { comment: { 'comment.added': true } } } }
    refusedField(
      await key.post(updateNotificationConfig.path, bad),
      'notificationServiceConfig.triggers.comment.comment.added',
    )
  })
})

describe('activity-config', () => {
  it('is off until it is set', async () => {
    assert.deepEqual(await key.call(getActivityConfig, {}), { activityServiceConfig: { isEnabled: false } })
  })

  it('needs activityServiceConfig with one field', async () => {
    refusedField(await key.post(updateActivityConfig.path, {}), 'activityServiceConfig')
    refusedField(await key.post(updateActivityConfig.path, { activityServiceConfig: {} }), 'activityServiceConfig')
  })

  it('when first switched on, has all triggers, is immutable and stores the time; given fields override', async () => {
    const now = async () => {
      const { rows } = await server.db.query(
        'select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now',
      )
      return (rows as { now: number }[])[0]?.now ?? 0
    }
    const before = await now()
    const { enabledTime = 0, ...on } = await activities({ isEnabled: true })
    assert.ok(enabledTime >= before && enabledTime <= (await now()))
    assert.deepEqual(on, { isEnabled: true, immutable: true, triggers: { comment: allOn(ALL) } })
    key = await newKey({})
    const given = { isEnabled: true, immutable: false, enabledTime: 5, triggers: { comment: { added: false } } }
    assert.deepEqual(await activities(given), { ...given, triggers: { comment: { ...allOn(ALL), added: false } } })
  })

  it('merges at every depth: enabledTime stays, and nothing is added if something is stored', async () => {
    assert.deepEqual(await activities({ immutable: false }), { isEnabled: false, immutable: false })
    assert.deepEqual(await activities({ isEnabled: true }), { isEnabled: true, immutable: false })
    await activities({ enabledTime: 7, triggers: { comment: { added: true } } })
    const after = { isEnabled: false, immutable: false, enabledTime: 7, triggers: { comment: { added: true } } }
    assert.deepEqual(await activities({ isEnabled: false }), after)
    const more = { ...after, triggers: { comment: { added: true, 'comment.update': true } } }
    assert.deepEqual(await activities({ triggers: { comment: { 'comment.update': true } } }), more)
    assert.deepEqual((await key.call(getActivityConfig, {})).activityServiceConfig, more)
  })
})

it('changes write api_key.updated with the settings before and after, and an update without effect writes nothing', async () => {
  const events = (work: () => Promise<unknown>) => eventsDuring(server.db, apiKeyOf(key), work)
  const set = () => activities({ isEnabled: false, immutable: true })
  const [event] = await events(set)
  assert.deepEqual(
    [event?.type, event?.before, event?.after],
    ['api_key.updated', {}, { activityServiceConfig: { isEnabled: false, immutable: true } }],
  )
  assert.deepEqual(await events(set), [])
})

describe('the fields of api-keys.create', () => {
  it('switch on notifications with the standard triggers, or with all of them off', async () => {
    const on = await (await newKey({ useNotificationService: true })).call(getNotificationConfig, {})
    assert.deepEqual(on, {
      useNotificationService: true,
      notificationServiceConfig: { ...UNSET, triggers: STANDARD },
    })
    const without = await newKey({ useNotificationService: true, setDefaultNotificationTriggers: false })
    const triggersNow = async () => (await without.call(getNotificationConfig, {})).notificationServiceConfig.triggers
    const OFF = { comment: allOff(ALL), huddle: { created: false, join: false } }
    assert.deepEqual(await triggersNow(), OFF)
    await without.call(updateNotificationConfig, { useNotificationService: false })
    await without.call(updateNotificationConfig, { useNotificationService: true })
    assert.deepEqual(await triggersNow(), OFF, 'switching it on again stores no others')
    const notified = async () => {
      const place = { organizationId: 'acme', documentId: 'd', createOrganization: true, createDocument: true }
      const root = { from: { userId: 'ada' }, commentText: 'Hi', triggerNotification: true }
      const added = await without.call(addThreads, { ...place, commentAnnotations: [{ commentData: [root] }] })
      const [annotationId = ''] = Object.keys(added)
      await without.call(addComments, { ...place, annotationId, commentData: [root] })
      const list = await without.call(getNotifications, { organizationId: 'acme', documentId: 'd' })
      return list.map(({ actionType }) => actionType)
    }
    assert.deepEqual(await notified(), [])
    const added = { notificationServiceConfig: { triggers: { comment: { added: true } } } }
    await without.call(updateNotificationConfig, added)
    assert.deepEqual(await notified(), ['added'], 'the one that is switched on, alone')
    const off = await newKey({ useNotificationService: false, setDefaultNotificationTriggers: true })
    assert.equal((await off.call(getNotificationConfig, {})).useNotificationService, false)
  })

  it('switch on the triggers of mails about comments, beneath the given ones', async () => {
    const triggersOf = async (fields: object) =>
      (await (await newKey(fields)).call(getEmailConfig, {})).emailServiceConfig.triggers
    const seeded = await triggersOf({
      useEmailService: true,
      setDefaultEmailTriggers: true,
      emailServiceConfig: { triggers: { 'permission.added': true, comment: { 'comment.update': false } } },
    })
    const { updated: _, ...others } = STANDARD.comment
    assert.deepEqual(seeded.comment, { ...others, 'comment.update': false })
    assert.deepEqual([seeded.huddle, seeded['permission.added']], [STANDARD.huddle, true])
    assert.equal((await triggersOf({ useEmailService: true })).comment, undefined)
    assert.equal((await triggersOf({ setDefaultEmailTriggers: true })).comment, undefined)
    const emailServiceConfig = { triggers: { comment: { added: true } } }
    await key.call(updateEmailConfig, { emailServiceConfig })
    const more = { triggers: { comment: { updated: true } } }
    const { triggers } = (await key.call(updateEmailConfig, { emailServiceConfig: more })).emailServiceConfig
    assert.deepEqual(triggers.comment, { added: true, updated: true })
  })

  it('allow private threads, which key-config also switches', async () => {
    const isPrivate = async (client: Client) => (await client.call(getKeyConfig, {})).isPrivateCommentsEnabled
    assert.equal(await isPrivate(key), false)
    assert.equal(await isPrivate(await newKey({ enablePrivateComments: true })), true)
    assert.deepEqual(await key.call(updateKeyConfig, { enablePrivateComments: true }), { enablePrivateComments: true })
    assert.equal(await isPrivate(key), true)
  })
})

it('api-keys.copy replaces them', async () => {
  const target = await newKey({ useNotificationService: true })
  await notifications({ notificationServiceConfig: { delayConfig: { isEnabled: true } } })
  await activities({ isEnabled: true })
  await key.call(updateKeyConfig, { enablePrivateComments: true })
  await owner.call(copyKeyConfig, { sourceApiKey: apiKeyOf(key), targetApiKey: apiKeyOf(target) })
  for (const operation of [getNotificationConfig, getActivityConfig] as const)
    assert.deepEqual(await target.call(operation, {}), await key.call(operation, {}))
  assert.equal((await target.call(getKeyConfig, {})).isPrivateCommentsEnabled, true)
})
