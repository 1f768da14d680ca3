/** Webhooks about acts on threads and comments, with the bodies of the hosted original (rules/comments.md#webhooks). */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { listCommentData, setCommentData } from '#contract/comments/comment-data.ts'
import { addComments, deleteComments, updateComments } from '#contract/comments/comments.ts'
import { setSubscriptions } from '#contract/comments/subscriptions.ts'
import { addThreads, deleteThreads, updateThreads } from '#contract/comments/threads.ts'
import type { ResultOf } from '#contract/core/operation.ts'
import { updateWebhookConfig } from '#contract/keys/service-configs.ts'
import { setNotificationPreferences } from '#contract/notifications/preferences.ts'
import { updateDocuments } from '#contract/resources/documents.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { replayWebhookMessages, resendWebhookMessage } from '#contract/webhooks/messages.ts'
import { type Acme, newAcme, organizationId } from '#testing/acme.ts'
import { startServer } from '#testing/server.ts'
import { type Received, type Receiver, startReceiver } from '#testing/stand-ins/receiver.ts'
import { asUser } from '#testing/threads.ts'
import { refused } from '../../../../test/conformance/support/refused.ts'

const server = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })
let acme: Acme
let raw: Receiver
let signed: Receiver
let endpointId: string
beforeEach(async () => {
  acme = await newAcme(server)
  await acme.addTree({ plans: 'root' })
  await acme.addDocuments('plans', { documentId: 'd', documentName: 'Plan', accessType: 'restricted', team: 'x' })
  await acme.grant('document', 'd', 'ada', 'bob')
  raw = await startReceiver()
  signed = await startReceiver()
  await webhooks({ rawNotificationUrl: raw.url })
  await acme.key.call(updateAdvancedWebhookConfig, { isEnabled: true })
  endpointId = (await acme.key.call(createWebhookEndpoint, { url: signed.url })).id
})
afterEach(() => {
  raw.close()
  signed.close()
})

const webhooks = (webhookServiceConfig: object) =>
  acme.key.call(updateWebhookConfig, { useWebhookService: true, webhookServiceConfig })
const onD = (data: object) => ({ documentId: 'd', ...data })
const inT = (data: object) => onD({ annotationId: 't', ...data })
const trigger = { triggerNotification: true }
const mention = (userId: string) => ({ userId, contact: { userId } })

/** Ada starts thread `t` with comment 1, which mentions Out, who cannot open the document. */
const start = (thread: object = {}, comment: object = trigger) =>
  acme.call(
    addThreads,
    onD({
      commentAnnotations: [
        {
          annotationId: 't',
          commentData: [
            {
              commentId: 1,
              from: { userId: 'ada', name: 'Ada' },
              commentText: 'Look, {{out}}',
              taggedUserContacts: [mention('out')],
              ...comment,
            },
          ],
          ...thread,
        },
      ],
    }),
  )
const reply = (commentId: number, more: object = trigger) =>
  acme.call(addComments, inT({ commentData: [{ commentId, from: { userId: 'bob' }, commentText: 'Yes', ...more }] }))
const change = (updatedData: object) => acme.call(updateThreads, onD({ annotationIds: ['t'], updatedData }))
const follow = (subscription: string) =>
  acme.call(setSubscriptions, onD({ annotationIds: ['t'], userId: 'bob', subscription }))

const isAct = ({ headers }: Received) => /-act$/.test(String(headers['webhook-id']))
/** Waits for the message of an act, and returns its body. */
async function sent(receiver: Receiver, name: string) {
  const matches = ({ json }: Received) => (json.event ?? json.actionType) === name
  const [message] = await receiver.until(1, (received) => isAct(received) && matches(received))
  assert.equal(message?.json.webhookId, message?.headers['webhook-id'])
  return message?.json
}
/** Sends an event that arrives last everywhere, so that no other message is on its way, and returns the names of the acts before it. */
async function acts(receiver: Receiver): Promise<string[]> {
  const documentName = String(Math.random())
  await acme.call(updateDocuments, { documents: [{ documentId: 'd', documentName }] })
  await receiver.until(1, ({ json, body }) => json.event === 'document.updated' && body.includes(documentName))
  return receiver.received.filter(isAct).map(({ json }) => json.event ?? json.actionType)
}

const DONE = { id: 'DONE', name: 'Done', type: 'terminal' as const }
/** The actions in their order, the name of the act in each of the two bodies, and the additional fields of each body. */
const TABLE: [string, () => Promise<unknown>, string | undefined, object, object?][] = [
  [
    'newlyAdded',
    () => start({ assignedTo: { userId: 'bob' } }),
    'comment_annotation.add',
    { actionUser: { userId: 'ada', name: 'Ada B.' } },
    { assigned: true },
  ],
  ['added', () => reply(2), 'comment.add', { actionUser: { userId: 'bob' } }],
  [
    'updated',
    () => acme.call(updateComments, inT({ commentIds: [2], updatedData: { commentText: 'No' }, ...trigger })),
    'comment.update',
    { actionUser: { userId: 'bob' } },
  ],
  ['assigned', () => change({ assignedTo: { userId: 'ada' } }), 'comment_annotation.assign', {}, { assigned: true }],
  [
    'statusChanged',
    () => change({ status: DONE, statusUpdatedByUserId: 'bob' }),
    'comment_annotation.status_change',
    { actionUser: { userId: 'bob' }, oldStatus: { id: 'OPEN', name: 'Open', type: 'default' }, newStatus: DONE },
  ],
  [
    'priorityChanged',
    () => change({ priority: { id: 'P1', name: 'High' } }),
    'comment_annotation.priority_change',
    { newPriority: { id: 'P1', name: 'High' } },
  ],
  ['unsubscribed', () => follow('unsubscribed'), 'comment_annotation.unsubscribe', { actionUser: { userId: 'bob' } }],
  ['subscribed', () => follow('subscribed'), 'comment_annotation.subscribe', { actionUser: { userId: 'bob' } }],
  [
    'accessModeChanged',
    () => change({ visibility: { type: 'restricted', userIds: ['bob'] } }),
    undefined,
    { visibility: { type: 'restricted', userIds: ['bob', 'ada'] } },
  ],
  [
    'deleted',
    () => acme.call(deleteComments, inT({ commentIds: [2] })),
    'comment.delete',
    { visibility: { type: 'restricted', userIds: ['bob', 'ada'] } },
  ],
]

const COMMENT_OF: Record<string, number> = { newlyAdded: 1, added: 2, updated: 2, deleted: 2 }
const OWN = ['actionUser', 'oldStatus', 'newStatus', 'newPriority', 'visibility', 'assigned']
const own = (body: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => OWN.includes(name)))

describe('the acts on a thread', () => {
  it('are sent in both bodies, under the names of each', async () => {
    await acme.key.call(setProfiles, { users: [{ userId: 'ada', name: 'Ada B.' }] })
    for (const [word, act, type, both, basicOnly] of TABLE) {
      await act()
      const body = await sent(raw, word)
      assert.deepEqual([body.notificationSource, body.platform], ['comment', 'sdk'])
      assert.deepEqual(own(body), { ...both, ...basicOnly }, word)
      assert.deepEqual(body.accessDeniedUsers, ['out'], word)
      assert.equal(body.commentAnnotation.annotationId, 't')
      assert.equal(body.targetComment?.commentId, COMMENT_OF[word], word)
      if (type === undefined) continue
      const { data, ...head } = await sent(signed, type)
      assert.deepEqual([head.actionType, head.source, head.platform], [type.split('.')[1], 'comment', 'sdk'])
      assert.deepEqual(own(data), both, type)
      assert.deepEqual(data.commentAnnotation, body.commentAnnotation)
      assert.deepEqual(data.metadata, body.metadata)
      assert.deepEqual([data.accessDeniedUsers, head.accessDeniedUsers], [undefined, undefined])
    }
    assert.deepEqual(
      await acts(raw),
      TABLE.map(([word]) => word),
    )
    const types = TABLE.flatMap(([, , type]) => type ?? [])
    assert.deepEqual(await acts(signed), types)
    assert.deepEqual(
      raw.received.filter(({ json }) => /^(thread|comment)\./.test(json.event)),
      [],
    )
    assert.ok(signed.received.some(({ json }) => json.event === 'thread.added'))
    assert.deepEqual(
      await acme.key
        .call(replayWebhookMessages, { endpointId, since: 0 })
        .then(({ messages }) => messages > types.length),
      true,
    )
  })

  it('have the thread with its comments, the ids under both names, and the known location', async () => {
    const pageInfo = { url: 'https://app.example.com/plan', title: 'Plan' }
    await start({ pageInfo })
    const { commentAnnotation, targetComment, metadata } = await sent(raw, 'newlyAdded')
    assert.deepEqual([commentAnnotation.comments.length, targetComment.commentText], [1, 'Look, {{out}}'])
    assert.deepEqual([commentAnnotation.from.userId, commentAnnotation.status.id], ['ada', 'OPEN'])
    const { apiKey, documentMetadata, organizationMetadata, document, organization, ...ids } = metadata
    assert.equal(apiKey, commentAnnotation.metadata.apiKey)
    assert.deepEqual(ids, {
      organizationId,
      documentId: 'd',
      clientOrganizationId: organizationId,
      clientDocumentId: 'd',
      documentName: 'Plan',
      folderId: 'plans',
      pageInfo,
    })
    assert.deepEqual(documentMetadata, {
      team: 'x',
      apiKey,
      organizationId,
      documentId: 'd',
      folderId: 'plans',
      documentName: 'Plan',
    })
    assert.deepEqual(
      [document, organization, organizationMetadata],
      [documentMetadata, { organizationId }, { organizationId }],
    )
  })

  it('have one of the two maps of levels, the one of the document if it has any', async () => {
    const set = (config: object, more: object = {}) =>
      acme.call(setNotificationPreferences, { userIds: ['bob'], config, ...more })
    await start({ assignedTo: { userId: 'bob' } })
    const maps = ({
      usersOrganizationNotificationsConfig,
      usersDocumentNotificationsConfig,
    }: Record<string, unknown>) => [usersOrganizationNotificationsConfig, usersDocumentNotificationsConfig]
    const out = { inbox: 'ALL', email: 'MINE' }
    assert.deepEqual(maps(await sent(raw, 'newlyAdded')), [{ bob: out, out }, undefined])
    await set({ email: 'NONE' })
    await set({ inbox: 'MINE', slack: 'ALL' }, { documentIds: ['d'] })
    await change({ priority: { id: 'P1', name: 'High' } })
    const bob = { inbox: 'MINE', email: 'NONE', slack: 'ALL' }
    for (const body of [await sent(raw, 'priorityChanged'), await sent(signed, 'comment_annotation.priority_change')])
      assert.deepEqual(maps(body), [undefined, { ada: out, bob, out }])
  })

  it('are sent about new and changed comments only on request of the call', async () => {
    await start({}, {})
    await reply(2, {})
    await acme.call(updateComments, inT({ updatedData: { commentText: 'No' } }))
    await change({ assignedTo: { userId: 'bob' } })
    await change({ location: { id: 'here' } })
    assert.deepEqual(await acts(raw), ['assigned'])
    assert.deepEqual(await acts(signed), ['comment_annotation.assign'])
  })

  it('are sent about actions of users, and name them as actors', async () => {
    await acme.key.call(addPermissions, {
      user: { userId: 'bob' },
      permissions: { resources: [{ type: 'document', id: 'd', organizationId, accessRole: 'editor' }] },
    })
    await start({}, {})
    const bob = await asUser(acme.key, 'bob')
    const where = { organizationId, documentId: 'd', annotationId: 't' }
    await bob.call(addComments, { ...where, commentData: [{ commentId: 2, commentText: 'Yes' }] })
    await bob.call(updateComments, { ...where, commentIds: [2], updatedData: { commentText: 'No' } })
    await bob.call(updateThreads, { organizationId, documentId: 'd', updatedData: { status: DONE } })
    await bob.call(deleteComments, { ...where, commentIds: [2] })
    const words = ['added', 'updated', 'statusChanged', 'deleted']
    assert.deepEqual(await acts(raw), words)
    for (const word of words) assert.equal((await sent(raw, word)).actionUser.userId, 'bob', word)
  })

  it('are not sent about what an import changes, of which signed endpoints get the events', async () => {
    await start({}, {})
    const { threads = [] }: ResultOf<typeof listCommentData> = await acme.call(listCommentData, { kind: 'threads' })
    const status = { ...DONE, color: '#000', lightColor: '#fff', svg: '<svg/>' }
    const changed = threads.map((thread) => ({
      ...thread,
      status,
      visibility: { type: 'restricted' as const, userIds: ['ada'] },
    }))
    await acme.call(setCommentData, { threads: changed })
    assert.deepEqual([await acts(raw), await acts(signed)], [[], []])
    const events = signed.received.map(({ json }) => json.event)
    assert.ok(events.includes('thread.status_changed') && events.includes('thread.visibility_changed'), events.join())
  })

  it('are not sent in either body while their trigger is off; suggestions until theirs is on', async () => {
    const suggest = async (status: string) => {
      await change({ suggestion: { status: 'pending' } })
      await change({ suggestion: { status } })
    }
    await webhooks({ triggers: { comment: { added: false, 'comment_annotation.status_change': false } } })
    await start({ type: 'suggestion' })
    await reply(2)
    await change({ status: DONE })
    await suggest('accepted')
    assert.deepEqual(await acts(raw), ['newlyAdded'])
    await webhooks({ triggers: { comment: { suggestionRejected: true, statusChanged: true } } })
    await suggest('rejected')
    await change({ status: { ...DONE, id: 'CLOSED' } })
    assert.deepEqual(await acts(raw), ['newlyAdded', 'suggestionRejected', 'statusChanged'])
    const types = ['add', 'suggestion_reject', 'status_change'].map((name) => `comment_annotation.${name}`)
    assert.deepEqual(await acts(signed), types)
  })

  it('are sent to signed endpoints by their types, which are valid', async () => {
    const some = await startReceiver()
    const filterTypes = ['comment.add', 'comment.added']
    const { body } = await acme.key.post(createWebhookEndpoint.path, { url: some.url, filterTypes })
    assert.equal(body.result.warnings, undefined)
    await start()
    await reply(2)
    const got = await some.until(2)
    assert.deepEqual(got.map(({ json }) => json.event).toSorted(), filterTypes)
    assert.equal(new Set(got.map(({ headers }) => headers['webhook-id'])).size, 2)
    some.close()
  })
})

describe('the content of a message', () => {
  const resend = (messageId: string, to = 'raw') => acme.key.call(resendWebhookMessage, { endpointId: to, messageId })
  async function again(name: string, count = 2) {
    const first = await sent(raw, name)
    await resend(first.webhookId)
    const all = await raw.until(count, ({ json }) => json.webhookId === first.webhookId)
    return all.at(-1)?.json
  }

  it('is read when it is sent; a deleted comment or thread has only ids and no text', async () => {
    await start()
    await reply(2)
    await sent(raw, 'added')
    await acme.call(updateComments, inT({ commentIds: [2], updatedData: { commentText: 'No' } }))
    assert.equal((await again('added')).targetComment.commentText, 'No')
    await acme.call(deleteComments, inT({ commentIds: [2] }))
    const later = await again('added', 3)
    assert.deepEqual(
      [later.targetComment, later.commentAnnotation.comments.length],
      [{ commentId: 2, from: { userId: 'bob' } }, 1],
    )
    await acme.call(deleteThreads, onD({ annotationIds: ['t'] }))
    const gone = await again('added', 4)
    assert.deepEqual([gone.commentAnnotation, gone.accessDeniedUsers], [{ annotationId: 't' }, undefined])
    const deleted = await sent(signed, 'comment_annotation.delete')
    assert.deepEqual([deleted.data.commentAnnotation, deleted.data.visibility], [{ annotationId: 't' }, undefined])
    assert.doesNotMatch(JSON.stringify([gone, deleted]), /Look|Yes/)
  })

  it('names the users who may not know of it now: without access, or not among the readers of a private thread', async () => {
    await start({ assignedTo: { userId: 'bob' } })
    assert.deepEqual((await sent(raw, 'newlyAdded')).accessDeniedUsers, ['out'])
    const resources = [{ type: 'document', id: 'd', organizationId }]
    await acme.key.call(removePermissions, { userId: 'bob', permissions: { resources } } as never)
    assert.deepEqual((await again('newlyAdded')).accessDeniedUsers, ['bob', 'out'])
    await acme.grant('document', 'd', 'bob', 'out')
    assert.deepEqual((await again('newlyAdded', 3)).accessDeniedUsers, [])
    await change({ visibility: { type: 'restricted', userIds: ['out'] } })
    assert.deepEqual((await sent(raw, 'accessModeChanged')).accessDeniedUsers, ['bob'])
    await acme.call(deleteThreads, onD({ annotationIds: ['t'] }))
    assert.deepEqual((await sent(raw, 'deleted')).visibility, { type: 'restricted' })
  })

  it('never looks public once its thread is deleted, whatever the act and the earlier visibility', async () => {
    await start({}, trigger)
    await reply(2)
    await acme.call(updateComments, inT({ commentIds: [2], updatedData: { commentText: 'No' }, ...trigger }))
    await change({ status: DONE, statusUpdatedByUserId: 'bob' })
    await follow('unsubscribed')
    await change({ visibility: { type: 'restricted', userIds: ['ada'] } })
    await acme.call(deleteComments, inT({ commentIds: [2] }))
    await sent(raw, 'deleted')
    await acme.call(deleteThreads, onD({ annotationIds: ['t'] }))
    for (const name of [
      'newlyAdded',
      'added',
      'updated',
      'statusChanged',
      'unsubscribed',
      'accessModeChanged',
      'deleted',
    ]) {
      const { commentAnnotation, visibility } = await again(name)
      assert.deepEqual([commentAnnotation, visibility], [{ annotationId: 't' }, { type: 'restricted' }], name)
    }
  })

  it('says of a deleted thread with an access context that it was restricted', async () => {
    await start({ context: { access: { team: 'red' } } })
    await acme.call(deleteThreads, onD({ annotationIds: ['t'] }))
    assert.deepEqual((await sent(raw, 'deleted')).visibility, { type: 'restricted' })
  })

  it('does not confuse a new thread with a deleted one that had the same id', async () => {
    await start({ visibility: { type: 'restricted', userIds: ['ada'] } })
    await reply(1_000)
    await sent(raw, 'added')
    await acme.call(deleteThreads, onD({ annotationIds: ['t'] }))
    const inAYear = Date.now() + 365 * 24 * 60 * 60 * 1_000
    await start({ createdAt: inAYear }, { commentText: 'New' })
    const { commentAnnotation, visibility } = await again('added')
    assert.deepEqual([commentAnnotation, visibility], [{ annotationId: 't' }, { type: 'restricted' }])
    await change({ status: DONE })
    assert.equal((await sent(raw, 'statusChanged')).commentAnnotation.comments[0].commentText, 'New')
  })

  it('names all participants, however many there are', async () => {
    await start({}, {})
    const others = [...Array(1_100).keys()].map((nth) => ({ from: { userId: `user ${nth}` } }))
    for (const commentData of [others.slice(0, 600), others.slice(600)])
      await acme.call(addComments, inT({ commentData }))
    await change({ priority: { id: 'P1', name: 'High' } })
    const { accessDeniedUsers } = await sent(raw, 'priorityChanged')
    assert.equal(new Set(accessDeniedUsers).size, 1_101) // and the mentioned one
  })

  it('is wrapped like any other, and has the recipients worked out at the processed URL', async () => {
    const processed = await startReceiver()
    await webhooks({ processedNotificationUrl: processed.url, encodeData: true })
    await acme.grant('document', 'd', 'eve')
    await start(
      { pageInfo: { url: 'https://app.example.com/plan', title: 'Plan' } },
      { ...trigger, taggedUserContacts: [mention('out'), mention('eve')] },
    )
    const [message] = await processed.until(1, isAct)
    const { from, commentText, toContactsTagged, pageTitle, pageUrl, targetAnnotationId, targetCommentId, actionType } =
      JSON.parse(Buffer.from(message?.json.encodedPayload, 'base64').toString())
    assert.deepEqual(
      { from, commentText, toContactsTagged, pageTitle, pageUrl, targetAnnotationId, targetCommentId, actionType },
      {
        from: { userId: 'ada', name: 'Ada' },
        commentText: 'Look, {{out}}',
        toContactsTagged: [{ userId: 'eve' }],
        pageTitle: 'Plan',
        pageUrl: 'https://app.example.com/plan',
        targetAnnotationId: 't',
        targetCommentId: 1,
        actionType: 'newlyAdded',
      },
    )
    processed.close()
  })

  it('exists only for events that record an act', async () => {
    await start()
    const { webhookId } = await sent(raw, 'newlyAdded')
    const [other] = await signed.until(1, ({ json }) => json.event === 'webhook_endpoint.created')
    const messageId = `${other?.json.webhookId}-act`
    const answer = await acme.key.post(resendWebhookMessage.path, { endpointId, messageId })
    assert.equal(refused(answer, 'NOT_FOUND').reason, 'webhook_message_does_not_exist')
    await resend(webhookId, endpointId)
    await signed.until(2, ({ json }) => json.event === 'comment_annotation.add')
  })

  it('is bounded: it has the first comment of a long thread, the last ones, and the one that it is about', async () => {
    const html = { commentHtml: 'x'.repeat(64 * 1024), from: { userId: 'bob' } }
    await start({}, {})
    for (let first = 2; first < 20; first += 6)
      await acme.call(
        addComments,
        inT({ commentData: [...Array(6).keys()].map((nth) => ({ ...html, commentId: first + nth })) }),
      )
    await acme.call(updateComments, inT({ commentIds: [2], updatedData: { commentText: 'No' }, ...trigger }))
    const { commentAnnotation, targetComment } = await sent(raw, 'updated')
    const ids = commentAnnotation.comments.map(({ commentId }: { commentId: number }) => commentId)
    assert.deepEqual([ids.slice(0, 2), ids.at(-1), targetComment.commentText], [[1, 2], 19, 'No'])
    assert.ok(ids.length < 14, ids)
  })
})
