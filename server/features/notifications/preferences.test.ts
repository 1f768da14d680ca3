/** The levels of users for each channel: defaults, the organization, and documents over it (rules/comments.md#preferences). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { getNotificationPreferences, setNotificationPreferences } from '#contract/notifications/preferences.ts'
import { deleteDocuments } from '#contract/resources/documents.ts'
import { getUserData } from '#contract/users/user-data.ts'
import { type Acme, newAcme, organizationId } from '#testing/acme.ts'
import { completeMigration } from '#testing/jobs.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let acme: Acme
beforeEach(async () => {
  acme = await newAcme(server)
  await acme.addDocuments('root', { documentId: 'd' }, { documentId: 'e' })
})

const set = (config: object, more: object = {}) =>
  acme.call(setNotificationPreferences, { userIds: ['ada'], config, ...more })
const get = async (more: object = {}) =>
  (await acme.call(getNotificationPreferences, { userId: 'ada', ...more })).map(
    ({ config, metadata }: { config: object; metadata: { documentId?: string } }) => [metadata.documentId, config],
  )
const DEFAULTS = { inbox: 'ALL', email: 'MINE' }

describe('notification-preferences.set and .get', () => {
  it('return the defaults of a user who never set any', async () => {
    assert.deepEqual(await acme.call(getNotificationPreferences, { userId: 'ada' }), [
      { config: DEFAULTS, metadata: { organizationId, apiKey: apiKeyOf(acme.key), userId: 'ada' } },
    ])
    assert.deepEqual(await get({ documentIds: ['d'] }), [['d', DEFAULTS]])
  })

  it('return levels for each user, with the document if one is named', async () => {
    const message = 'Notification preferences set successfully.'
    assert.deepEqual(await set({ inbox: 'NONE' }, { userIds: ['ada', 'bob'], documentIds: ['d'] }), {
      ada: { success: true, userId: 'ada', documentId: 'd', message },
      bob: { success: true, userId: 'bob', documentId: 'd', message },
    })
    assert.deepEqual(await set({ inbox: 'NONE' }), { ada: { success: true, userId: 'ada', message } })
  })

  it('let the level of a document override that of the organization, for each channel', async () => {
    await set({ inbox: 'MINE', slack: 'ALL', pager: 'NONE' })
    await set({ email: 'NONE', pager: 'ALL' }, { documentIds: ['d'] })
    const ofOrganization = { inbox: 'MINE', email: 'MINE', slack: 'ALL', pager: 'NONE' }
    const ofDocument = { ...ofOrganization, email: 'NONE', pager: 'ALL' }
    assert.deepEqual(await get(), [
      [undefined, ofOrganization],
      ['d', ofDocument],
    ])
    assert.deepEqual(await get({ documentIds: ['e', 'd'] }), [
      ['e', ofOrganization],
      ['d', ofDocument],
    ])
    assert.deepEqual(await get({ getOrganizationConfig: true }), [[undefined, ofOrganization]])
    assert.deepEqual(await get({ userId: 'bob' }), [[undefined, DEFAULTS]])
  })

  it('keep the channels that are not given', async () => {
    await set({ inbox: 'NONE', email: 'ALL' })
    await set({ email: 'NONE' })
    assert.deepEqual(await get(), [[undefined, { inbox: 'NONE', email: 'NONE' }]])
  })

  it('clear a level with null, so that the one of the organization or the default holds again', async () => {
    await set({ inbox: 'NONE', pager: 'ALL' })
    await set({ inbox: 'MINE', email: 'NONE' }, { documentIds: ['d'] })
    await set({ inbox: null, pager: null }, { documentIds: ['d'] })
    assert.deepEqual(await get({ documentIds: ['d'] }), [['d', { inbox: 'NONE', email: 'NONE', pager: 'ALL' }]])
    await set({ email: null }, { documentIds: ['d', 'e'] })
    await set({ inbox: null, pager: 'MINE' })
    assert.deepEqual(await get(), [[undefined, { ...DEFAULTS, pager: 'MINE' }]])
    await set({ pager: null })
    const { notificationPreferences } = await acme.call(getUserData, { userId: 'ada' })
    assert.deepEqual(notificationPreferences, [])
  })

  it('refuse other levels, no channel, too many documents, unknown documents and a missing user', async () => {
    const bad = (data: object) =>
      acme.post(setNotificationPreferences, { userIds: ['ada'], config: { inbox: 'ALL' }, ...data })
    refusedField(await bad({ config: { inbox: 'MENTIONS_ONLY' } }), 'config.inbox')
    refusedField(await bad({ config: { pager: true } }), 'config.pager')
    refusedField(await bad({ config: {} }), 'config')
    refusedField(await bad({ documentIds: Array.from({ length: 31 }, (_, index) => `d${index}`) }), 'documentIds')
    assert.equal(refused(await bad({ documentIds: ['d', 'nope'] }), 'NOT_FOUND').reason, 'document_does_not_exist')
    assert.deepEqual(await get({ documentIds: ['d'] }), [['d', DEFAULTS]])
    refusedField(await acme.post(getNotificationPreferences, { getOrganizationConfig: true }), 'userId')
  })

  it('follow a document to another id, where its own levels stay, and are deleted with it', async () => {
    await acme.grant('document', 'new', 'ada')
    await set({ inbox: 'NONE' }, { documentIds: ['d'] })
    await set({ inbox: 'ALL', email: 'ALL' }, { documentIds: ['new'] })
    await completeMigration(acme.key, { organizationId, documentId: 'd', newDocumentId: 'new' })
    assert.deepEqual(await get({ documentIds: ['new'] }), [['new', { inbox: 'NONE', email: 'ALL' }]])
    await acme.call(deleteDocuments, { documentIds: ['new'] })
    assert.deepEqual(await get(), [[undefined, DEFAULTS]])
  })
})
