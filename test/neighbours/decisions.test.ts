/** However many questions one tenant asks, and with however many API keys, questions of another tenant are not refused. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { checkPermissions, getPermissions } from '#contract/access/decisions.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import type { Client } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { sharedServer } from '#testing/server.ts'
import { callersFrom } from '../conformance/support/callers.ts'

const server = await sharedServer()

const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`)

/** Returns callers with different API keys of one workspace. */
async function newKeys(count: number): Promise<Client[]> {
  const { workspace } = await callersFrom(server.client)
  const key = { ownerEmail: 'ada@example.com', type: 'testing' as const, createAuthToken: true }
  const keys = await Promise.all(Array.from({ length: count }, () => workspace.call(createApiKey, key)))
  return keys.map(({ apiKey, authToken = '' }) =>
    server.client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken }),
  )
}

const FLOOD = 14

for (const keys of [1, FLOOD])
  describe(`a workspace that asks 140,000 questions at once with ${keys} API keys`, () => {
    it('is refused the excess, while every call of another workspace is answered', async () => {
      const busy = await newKeys(keys)
      const quiet = await server.newKey()
      const cells = {
        ...{ organizationId: 'acme', userIds: ids('u', 10), documentIds: ids('d', 999) },
        skipResourceExistenceValidation: true,
      }
      const flood = () =>
        Promise.all(Array.from({ length: FLOOD }, (_, nth) => busy[nth % keys]?.post(getPermissions.path, cells)))
      const first = flood()
      const checks = ids('d', 300).map((id) => ({
        ...{ userId: 'ada', resource: { type: 'document' as const, id, organizationId: 'acme' } },
      }))
      const answers: number[] = []
      for (const size of [300, 1, 300, 1, 300])
        answers.push((await quiet.post(checkPermissions.path, { checks: checks.slice(0, size) })).http)
      assert.deepEqual(answers, [200, 200, 200, 200, 200])
      let statuses = (await first).map((answer) => answer?.http)
      // On a busy machine the calls may arrive so slowly that none waits.
      await eventually('a full queue', async () => {
        if (statuses.every((status) => status === 200)) statuses = (await flood()).map((answer) => answer?.http)
        return statuses.includes(429) || undefined
      })
      assert.deepEqual(new Set(statuses), new Set([200, 429]))
    })
  })
