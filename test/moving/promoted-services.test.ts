/** A promotion gives the target all settings of notifications, activities and mails about comments, and then finds nothing to do. */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { createAuthToken } from '#contract/keys/auth-tokens.ts'
import type { Client } from '#sdk/index.ts'
import { compare, openedBy, PARTS } from '#sdk/shared/promotion.ts'
import { apiKeyClient } from '#testing/clients.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf, newCallers } from '../conformance/support/callers.ts'

const server = await sharedServer()
const newClient = async (): Promise<Client> => apiKeyClient(server.url, await server.newKey())

const settingsOf = async (client: Client) => ({
  notifications: await client.notificationConfig.get(),
  ...(({ enabledTime = 0, ...activities }) => ({ enabledTime, activities }))(
    (await client.activityConfig.get()).activityServiceConfig,
  ),
})

it('a promotion shows beforehand how many documents it opens, if the caller may know', async () => {
  const { workspace, apiKey: key } = await newCallers(server.url)
  const source = await newClient()
  const target = apiKeyClient(server.url, key)
  await target.keyConfig.update({ defaultDocumentAccessType: 'restricted' })
  const documents = ['plans', 'notes'].map((documentId) => ({ documentId }))
  await target.documents.add({ organizationId: 'acme', createOrganization: true, documents })
  const opensOf = async (client: Client) =>
    (await compare(source, client, ['settings'], false)).differences.map(({ what, opens }) => [what, opens])
  const sentence =
    'Opens 2 documents without an access type of their own to everyone, and every document that is added later without one.'
  assert.deepEqual(await opensOf(target), [['defaultDocumentAccessType', sentence]])
  assert.equal((await target.keyConfig.get()).defaultDocumentAccessType, 'restricted')
  const { authToken } = await workspace.call(createAuthToken, {
    apiKey: apiKeyOf(key),
    name: 'reader',
    scopes: ['read'],
  })
  const reader = apiKeyClient(server.url, key.with({ ...key.headers, 'x-service-auth-token': authToken.token ?? '' }))
  assert.deepEqual(await opensOf(reader), [['defaultDocumentAccessType', undefined]])
  // A stronger role of a public default opens more documents, counted once, and none if the default is narrowed too.
  await source.keyConfig.update({ accessRoles: ['viewer', 'commenter', 'editor'], defaultAccessRole: 'commenter' })
  const together = async () => openedBy((await compare(source, target, ['settings'], false)).differences)
  await target.keyConfig.update({ defaultDocumentAccessType: 'public', defaultAccessRole: 'viewer' })
  assert.deepEqual(await opensOf(target), [
    ['defaultAccessRole', sentence],
    ['accessRoles', sentence],
  ])
  assert.equal(await together(), sentence)
  await source.keyConfig.update({ defaultDocumentAccessType: 'organizationPrivate' })
  assert.equal(await together(), undefined)
  await source.keyConfig.update({ defaultDocumentAccessType: 'public' })
  await target.keyConfig.update({ defaultAccessRole: 'editor' })
  assert.equal(await together(), undefined)
})

it('a promotion gives the target each of several endpoints with one URL, and then finds nothing to do', async () => {
  const [source, target] = [await newClient(), await newClient()]
  const url = 'https://one.example.com/hook'
  await source.advancedWebhookConfig.update({ isEnabled: true })
  const endpoints = [
    { url, filterTypes: ['permission.added'] },
    { url, filterTypes: ['permission.removed'], description: 'Removals' },
    { url: 'https://other.example.com/hook', uid: url },
  ]
  for (const endpoint of endpoints) await source.webhookEndpoints.create(endpoint)
  const promote = async (deletes = false) => {
    const { differences, onlyInTarget } = await compare(source, target, [...PARTS], deletes)
    for (const { make } of differences) await make(target)
    return [differences.map(({ what }) => what), onlyInTarget]
  }
  const fields = async (client: Client) =>
    (await client.webhookEndpoints.get()).endpoints
      .map((one) => [one.url, one.uid, one.filterTypes, one.description].map(String).join(' '))
      .sort()
  await promote()
  assert.deepEqual(await fields(target), await fields(source))
  assert.deepEqual(await promote(), [[], []])
  await source.webhookEndpoints.update({
    endpointId: (await source.webhookEndpoints.get()).endpoints.find(({ description }) => description)?.id ?? '',
    rateLimit: 3,
  })
  assert.deepEqual(await promote(), [[`${url} rateLimit`], []])
  await target.webhookEndpoints.create({ url, description: 'A third one' })
  assert.deepEqual(await promote(), [[], [`endpoints ${url}`]])
  assert.deepEqual(await promote(true), [[url], []])
  assert.deepEqual(await fields(target), await fields(source))
})

it('a promotion gives the target the settings of comments, whatever it had before, and removes them again', async () => {
  const [source, target] = [await newClient(), await newClient()]
  const triggers = { comment: { newlyAdded: true, 'comment.update': false, suggestionAccepted: true }, huddle: {} }
  const notificationServiceConfig = {
    triggers,
    delayConfig: { isEnabled: true, delaySeconds: 60 },
    batchConfig: { document: { isEnabled: true, batchWindowSeconds: 600, maxActivities: 7 } },
  }
  for (const useNotificationService of [true, false]) {
    await source.notificationConfig.update({ useNotificationService, notificationServiceConfig })
    await source.activityConfig.update({
      activityServiceConfig: { isEnabled: useNotificationService, immutable: !useNotificationService },
    })
    const { differences } = await compare(source, target, [...PARTS], false)
    for (const { make } of differences) await make(target)
    const again = await compare(source, target, [...PARTS], false)
    assert.deepEqual(
      again.differences.map(({ what }) => what),
      [],
    )
    const [expected, there] = [await settingsOf(source), await settingsOf(target)]
    assert.deepEqual(
      there.notifications.notificationServiceConfig.delayConfig,
      expected.notifications.notificationServiceConfig.delayConfig,
    )
    assert.deepEqual(
      there.notifications.notificationServiceConfig.batchConfig,
      expected.notifications.notificationServiceConfig.batchConfig,
    )
    assert.equal(there.notifications.useNotificationService, useNotificationService)
    assert.ok(there.enabledTime >= expected.enabledTime, 'the target was switched on later')
    assert.deepEqual(
      [there.activities.isEnabled, there.activities.immutable],
      [expected.activities.isEnabled, expected.activities.immutable],
    )
  }
})

it('a promotion sends no secret of the target to a server of the source: such a URL is set by hand', async () => {
  const [source, target] = [await newClient(), await newClient()]
  const rawNotificationUrl = 'https://staging.example.com/hook'
  const webhookServiceConfig = { authToken: 'of-staging', rawNotificationUrl }
  await source.webhookConfig.update({ useWebhookService: true, webhookServiceConfig })
  await source.permissionProviderConfig.update({
    permissionProviderConfig: { permissionProviderUrl: 'https://staging.example.com/access' },
  })
  const promote = async () => {
    const { differences, byHand } = await compare(source, target, ['webhooks', 'provider'], false)
    for (const { make } of differences) await make(target)
    return [differences.map(({ what }) => what), byHand.filter((line) => line.includes('another server'))]
  }
  const own = 'https://production.example.com/hook'
  await target.webhookConfig.update({ webhookServiceConfig: { authToken: 'of-production', rawNotificationUrl: own } })
  await target.permissionProviderConfig.update({ permissionProviderConfig: { authToken: 'of-production' } })
  const [copied, byHand = []] = await promote()
  assert.deepEqual([copied, byHand.length], [[], 2])
  assert.match(byHand[0] ?? '', /https:\/\/staging\.example\.com\/hook is on another server, which would get the/)
  assert.equal((await target.webhookConfig.get()).webhookServiceConfig.rawNotificationUrl, own)
  // On a server that the target knows, and without a secret there, a URL is copied.
  await target.permissionProviderConfig.update({ permissionProviderConfig: { authToken: '' } })
  await source.webhookConfig.update({ webhookServiceConfig: { rawNotificationUrl: `${own}/2` } })
  assert.deepEqual(await promote(), [['rawNotificationUrl', 'useWebhookService', 'permissionProviderUrl'], []])
})
