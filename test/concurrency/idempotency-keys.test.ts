/** One Idempotency-Key at two processes of one database: the change is made once, and no call waits for the other's response. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import type { ApiKeyId } from '#contract/core/ids.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import type { Db } from '#platform/db/db.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { lockOrganization } from '#tenancy/writes/organization.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { type Client, createClient } from '#testing/client.ts'
import { createLastingStore, startProcess } from '#testing/processes/process.ts'
import { ENGINE } from '#testing/server.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'
import { eventsOf } from '../conformance/support/events.ts'
import { refused } from '../conformance/support/refused.ts'

/** The embedded engine belongs to one process. */

const skip = ENGINE === 'embedded'

describe('one Idempotency-Key at two processes', { skip }, () => {
  /** Returns a client of each process, with the same API key and Idempotency-Key. */
  async function start(): Promise<{ db: Db; key: Client; both: (idempotencyKey: string) => [Client, Client] }> {
    const store = await createLastingStore()
    const [one, other] = [await startProcess(store.settings), await startProcess(store.settings)]
    const db = await store.open()
    cleanUp(() => db.close())
    const key = await one.client.newKey()
    const both = (idempotencyKey: string): [Client, Client] => {
      const headers = { ...key.headers, 'idempotency-key': idempotencyKey }
      return [createClient(one.url, headers), createClient(other.url, headers)]
    }
    return { db, key, both }
  }

  it('makes one change, and both calls get its response or the refusal that it is under way', async () => {
    const { db, key, both } = await start()
    for (let round = 0; round < 20; round++) {
      const data = { userId: `user${round}` }
      const answers = await Promise.all(both(`round ${round}`).map((client) => client.post(generateToken.path, data)))
      const done = answers.filter(({ http }) => http === 200)
      assert.ok(done.length > 0)
      assert.equal(new Set(done.map(({ text }) => text)).size, 1)
      for (const answer of answers.filter((each) => !done.includes(each)))
        assert.equal(refused(answer, 'ABORTED').reason, 'idempotency_key_in_use')
    }
    const generated = (await eventsOf(db, apiKeyOf(key))).filter(({ type }) => type === 'user_token.generated')
    assert.equal(generated.length, 20)
  })

  it('is refused immediately as in use while the first call waits', async () => {
    const { db, key, both } = await start()
    const organizations = [{ organizationId: 'acme' }]
    await key.call(addOrganizations, { organizations })
    const [one, other] = both('waits')
    const locked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const holder = db.transaction(async (session) => {
      await lockOrganization(session, organizationKey({ apiKeyId: apiKeyOf(key) as ApiKeyId }, 'acme'))
      locked.resolve()
      await released.promise
    })
    await locked.promise
    const post = (client: Client) =>
      client.post(addOrganizations.path, { organizations: [{ ...organizations[0], a: 1 }] })
    const calls = [post(one), post(other)]
    refused(await Promise.race(calls), 'ABORTED')
    released.resolve()
    await holder
    const answers = await Promise.all(calls)
    assert.deepEqual(answers.map(({ http }) => http).sort(), [200, 409])
    const reason = answers.find(({ http }) => http === 409)?.body.error.reason
    assert.equal(reason, 'idempotency_key_in_use')
    assert.equal((await post(other)).headers.get('idempotent-replayed'), 'true')
  })
})
