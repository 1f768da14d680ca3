/** Page tokens belong to one caller: an API key, or one of its users (rules/contract.md#pages). */
import assert from 'node:assert/strict'
import { beforeAll, describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { addActivities } from '#contract/activities/activities.ts'
import { updateActivityConfig } from '#contract/keys/activity-config.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addNotification } from '#contract/notifications/notifications.ts'
import { OPERATIONS } from '#contract/operations.ts'
import type { SchemaNode } from '#contract/validation/schema.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, asUser, comment, newKeyWithDocuments, ON_ROADMAP, organizationId } from '#testing/threads.ts'
import { refused } from '../../../../test/conformance/support/refused.ts'

const server = await sharedServer()

/** A query of each paged operation for user tokens, with the fields that only an auth token must send. */
const QUERIES: Record<string, { data: object; asKey?: object }> = {
  'threads.get': { data: ON_ROADMAP },
  'mentionable-users.list': { data: ON_ROADMAP },
  'notifications.get': { data: { organizationId, userId: 'ada' } },
  'activities.get': { data: ON_ROADMAP },
  'search.find': { data: { query: 'by', kinds: ['thread'], userId: 'ada' } },
  'sharing.get': { data: { ...ON_ROADMAP, userId: 'ada' } },
  'sharing-targets.list': { data: { ...ON_ROADMAP, userId: 'ada' } },
}

const isPaged = (data: SchemaNode): boolean => data.properties?.pageToken !== undefined

const paged = OPERATIONS.filter(({ userToken, data }) => userToken && isPaged(data as SchemaNode))

describe('a page token', () => {
  let key: Client
  let ada: Client
  let bob: Client

  beforeAll(async () => {
    key = await newKeyWithDocuments(server)
    await key.call(updateKeyConfig, { userSharing: 'editors' })
    await key.call(updateActivityConfig, { activityServiceConfig: { isEnabled: true } })
    const resources = [
      { type: 'organization' as const, id: organizationId },
      { type: 'document' as const, id: 'roadmap', organizationId },
    ]
    for (const userId of ['ada', 'bob', 'cleo', 'dan'])
      await key.call(addPermissions, { user: { userId }, permissions: { resources } })
    const activity = {
      featureType: 'custom' as const,
      actionType: 'x',
      actionUser: { userId: 'cleo' },
      targetEntityId: 'y',
    }
    for (let times = 0; times < 3; times += 1) {
      await addThread(key, { commentData: [comment('cleo')] })
      await key.call(addActivities, { ...ON_ROADMAP, activities: [activity] })
      await key.call(addNotification, {
        ...ON_ROADMAP,
        actionUser: { userId: 'cleo' },
        displayHeadlineMessageTemplate: 'x',
        displayBodyMessage: 'y',
      })
    }
    ;[ada, bob] = await Promise.all([asUser(key, 'ada'), asUser(key, 'bob')])
  })

  it('is tested for every paged operation that takes user tokens', () => {
    assert.deepEqual(paged.map(({ name }) => name).sort(), Object.keys(QUERIES).sort())
  })

  for (const { name, path } of paged)
    it(`of ${name} continues the list of its caller alone`, async () => {
      const { data } = QUERIES[name] ?? { data: {} }
      const withoutUser = Object.fromEntries(Object.entries(data).filter(([field]) => field !== 'userId'))
      const pageAs = async (client: Client, query: object, pageToken?: string) =>
        client.post(path, { ...query, pageSize: 1, ...(pageToken && { pageToken }) })
      const callers = [
        { client: key, query: data },
        { client: ada, query: withoutUser },
        { client: bob, query: withoutUser },
      ]
      for (const from of callers) {
        const { body } = await pageAs(from.client, from.query)
        const token = body.result.nextPageToken
        assert.ok(token)
        for (const to of callers) {
          const answer = await pageAs(to.client, to.query, token)
          if (to === from) assert.equal(answer.http, 200)
          else assert.equal(refused(answer, 'INVALID_ARGUMENT').reason, 'page_token_invalid')
        }
      }
    })
})
