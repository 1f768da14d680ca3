/** Events are lost in a failover after webhooks and readers have received them: no other event gets their ids. */
import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { addThreads } from '#contract/comments/threads.ts'
import { listEvents } from '#contract/events/events.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { resendWebhookMessage } from '#contract/webhooks/messages.ts'
import { eventually, until } from '#testing/eventually.ts'
import { startProcess } from '#testing/processes/process.ts'
import { startReplicas, urlOf } from '#testing/run/replicas.ts'
import { ENGINE, MASTER_KEY } from '#testing/server.ts'
import { type Received, startReceiver } from '#testing/stand-ins/receiver.ts'

const organizationId = 'acme'
const documentId = 'plan'
const resource = { type: 'document', id: documentId, organizationId } as const

const idOf = ({ headers }: Received) => String(headers['webhook-id'])
const feed = { order: 'oldestFirst' } as const
const ofOrganization = { ...feed, organizationId } as const

describe('events that a failover loses', { skip: ENGINE === 'embedded' }, () => {
  test('leave their ids unused: in webhooks, acts, lists and page tokens, also if two standbys are promoted one after the other', async () => {
    const [first, second, third] = await startReplicas(3)
    const server = await startProcess({
      DATABASE_URL: urlOf([first, second, third]),
      MASTER_KEY: MASTER_KEY.toString('base64'),
      WEBHOOK_ALLOW_PRIVATE: 'true',
    })
    const client = await server.client.newKey()
    const receiver = await startReceiver()
    await client.call(updateAdvancedWebhookConfig, { isEnabled: true })
    const { id: endpointId } = await client.call(createWebhookEndpoint, { url: receiver.url })

    /** Changes an organization and its API key, and waits for the messages: of events, and of an act. */
    async function changeAll(mark: string): Promise<void> {
      const count = receiver.received.length
      await client.call(addPermissions, { user: { userId: mark }, permissions: { resources: [resource] } })
      const commentData = [{ from: { userId: mark }, commentText: mark, triggerNotification: true }]
      await client.call(addThreads, {
        organizationId,
        documentId,
        commentAnnotations: [{ annotationId: mark, commentData }],
      })
      await client.call(updateKeyConfig, { defaultDocumentAccessType: mark === 'lost-too' ? 'public' : 'restricted' })
      const messages = await eventually('messages', async () => {
        const found = receiver.received.slice(count).map(idOf)
        return found.length >= 4 && found.some((id) => id.endsWith('-act')) ? found : undefined
      })
      assert.equal(new Set(messages).size, messages.length)
    }
    const tokensNow = async () => {
      const answers = [await client.post(listEvents.path, feed), await client.post(listEvents.path, ofOrganization)]
      return answers.map(({ body }) => body.result.nextPageToken as string)
    }
    const statuses = async ([ofKey, ofStream]: string[]) => [
      (await client.post(listEvents.path, { ...feed, pageToken: ofKey })).http,
      (await client.post(listEvents.path, { ...ofOrganization, pageToken: ofStream })).http,
    ]
    const works = (mark: string) => async () => {
      const documents = [{ documentId: mark }]
      return (await client.post(addDocuments.path, { organizationId, documents })).http === 200
    }

    await client.call(addDocuments, { organizationId, createOrganization: true, documents: [{ documentId }] })
    const [early] = await receiver.until(1, ({ json }) => json.event === 'document.added')
    assert.ok(early)
    const earlyTokens = await tokensNow()
    await until('both standbys have it', async () => {
      const rows = await Promise.all([second, third].map((one) => one.query("select from resources where id = 'plan'")))
      return rows.every(({ length }) => length === 1)
    })
    await second.leave()
    await third.leave()

    // These events are delivered and lost; then another primary is lost too, with the events that it delivered.
    await changeAll('lost')
    const lostTokens = await tokensNow()
    await first.kill()
    await second.promote()
    await until('work with the second', works('second'))
    await changeAll('lost-too')
    const secondTokens = await tokensNow()
    assert.deepEqual(
      [await statuses(earlyTokens), await statuses(lostTokens)],
      [
        [200, 200],
        [400, 400],
      ],
    )
    await second.kill()
    await third.promote()
    await until('work with the third', works('third'))
    await changeAll('kept')
    const outcomes = [await statuses(earlyTokens), await statuses(lostTokens), await statuses(secondTokens)]

    const contents = new Map<string, string>()
    for (const message of receiver.received) {
      const id = idOf(message)
      assert.equal(contents.get(id) ?? message.body, message.body, `two messages have the id ${id}`)
      contents.set(id, message.body)
    }
    assert.deepEqual(outcomes, [
      [200, 200],
      [400, 400],
      [400, 400],
    ])
    const { events } = await client.call(listEvents, { ...feed, pageSize: 1_000 })
    for (const event of events) {
      const message = receiver.received.find((one) => idOf(one) === `msg_${event.id}`)
      if (message !== undefined) assert.deepEqual(message.json.data, event)
    }
    // The ids in the order of their numbers.
    const { events: own } = await client.call(listEvents, { ...ofOrganization, pageSize: 1_000 })
    const numbers = own.map(({ id }) => Number(id.split('-')[1]))
    assert.deepEqual(
      numbers,
      [...numbers].sort((one, other) => one - other),
    )
    assert.equal(numbers[0], 1)

    // Surviving events keep their ids.
    await client.call(resendWebhookMessage, { endpointId, messageId: idOf(early) })
    const [, again] = await receiver.until(2, (one) => idOf(one) === idOf(early))
    assert.equal(again?.body, early.body)
  })
})
