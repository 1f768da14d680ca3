/**
 * Concurrent calls share their requests, and a slow permission provider delays only its own workspace
 * (rules/access.md#permission-providers).
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { listGrants } from '#contract/access/grants.ts'
import { revokeTokens } from '#contract/users/user-tokens.ts'
import { createLog } from '#platform/log.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { type Client, createInProcessClient } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { MASTER_KEY, startServer } from '#testing/server.ts'
import {
  ACME,
  entriesFor,
  ROADMAP,
  responseWith,
  startAskingUser,
  userOf,
} from '#testing/stand-ins/permission-provider.ts'
import { refused } from '../../../test/conformance/support/refused.ts'
import { buildApp } from '../../app.ts'

const server = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'true', PUBLIC_URL: 'https://api.example.com' })

const ask = (user: Client, resources: object[] = [ROADMAP]) =>
  user.post(checkPermissions.path, { checks: resources.map((resource) => ({ resource })) })

const allowed = async (user: Client) => (await ask(user)).body.result?.data.checks[0].allowed

/** A second server on the same database. */
async function startSecond(): Promise<Client> {
  const { config, db } = server
  const app = await buildApp({ config, masterKey: MASTER_KEY, db, log: createLog('error') })
  cleanUp(() => app.stop())
  return createInProcessClient(app.http)
}

describe('concurrent calls', () => {
  it('with the same question share one request', async () => {
    const { ada, key, provider, asked } = await startAskingUser(server)
    const { answer } = provider
    provider.answer = (received) => ({ ...(answer(received) as object), status: 200, afterMs: 1_000 })
    const answers = await Promise.all(Array.from({ length: 50 }, () => allowed(ada)))
    assert.deepEqual(new Set(answers), new Set([true]))
    assert.deepEqual(asked(), [['document roadmap']])
    assert.equal((await key.call(listGrants, { organizationId: 'acme' })).grants.length, 1)
  })

  it('of many users, on two servers, that overlap, are all allowed, and store each grant once', async () => {
    const { key, ada } = await startAskingUser(server)
    const second = await startSecond()
    const users = [ada, await userOf(key, 'bob'), await userOf(key, 'eve')]
    const answers = await Promise.all(
      users.flatMap((user) =>
        [user, second.with(user.headers)].flatMap((client) => [
          ask(client),
          ask(client, [ROADMAP, ACME]),
          ask(client, [ACME, ROADMAP]),
        ]),
      ),
    )
    for (const { body, text } of answers)
      assert.ok(
        body.result?.data.checks.every(({ allowed }: { allowed: boolean }) => allowed),
        text,
      )
    const { grants } = await key.call(listGrants, { organizationId: 'acme' })
    assert.equal(grants.length, 2 * users.length)
    assert.ok(grants.every(({ source }) => source === 'permission_provider'))
  })

  it('and simultaneous sign-outs leave no grant behind', async () => {
    const { key, ada } = await startAskingUser(server)
    const second = (await startSecond()).with(ada.headers)
    const resources = Array.from({ length: 40 }, (_, index) => ({ ...ROADMAP, id: `d${index}` }))
    const asking = resources.map((resource, index) => ask(index % 2 === 0 ? ada : second, [resource]))
    await new Promise((resolve) => setTimeout(resolve, 20))
    await key.call(revokeTokens, { userId: 'ada' })
    for (const answer of await Promise.all(asking)) if (answer.http !== 200) refused(answer, 'UNAUTHENTICATED')
    assert.deepEqual((await key.call(listGrants, { organizationId: 'acme' })).grants, [])
  })
})

describe('a provider that does not answer', () => {
  it('holds no connection to the database, and delays neither other keys nor stored decisions', async () => {
    const slow = await startAskingUser(server)
    slow.provider.answer = () => 'hang'
    const quick = await startAskingUser(server)
    const waiting = Array.from({ length: 200 }, (_, index) => ask(slow.ada, [{ ...ROADMAP, id: `d${index}` }]))
    await slow.provider.until(15)
    await eventually('idle pool', () => (server.db.pool.inUse === 0 ? true : undefined))
    assert.equal(await allowed(quick.ada), true)
    assert.equal((await ask(await slow.key.with(quick.key.headers), [])).http, 400)
    // 15 are under way, each tried twice: the quick key has waited for none of those that follow.
    assert.ok(slow.provider.received.length <= 30)
    slow.provider.answer = (received) => responseWith(entriesFor(received, () => ({ hasAccess: true })))
    const causes = (await Promise.all(waiting)).map(({ body }) => body.error?.details.cause ?? 'none')
    for (const cause of causes) assert.ok(['none', 'busy', 'timeout'].includes(cause), cause)
  })
})
