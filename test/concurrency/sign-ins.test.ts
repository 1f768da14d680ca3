/** Concurrent sign-ins, the most frequent call, of the same users, organizations and key do not block each other. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { generateToken } from '#contract/users/user-tokens.ts'
import { addUsers } from '#contract/users/users.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'

const server = await sharedServer()

describe('concurrent sign-ins', () => {
  it('all succeed, with new, changed or unchanged profiles, and sooner than sequentially', async () => {
    const resources = [{ type: 'organization' as const, id: 'acme' }]
    const signIn = (key: Client, userId: string, round: number) => {
      const userProperties = userId.startsWith('changed') ? { name: `Name ${round}` } : { name: 'Name' }
      return key.call(generateToken, { userId, userProperties, permissions: { resources } })
    }
    const rounds = async (each: (key: Client, users: string[], round: number) => Promise<unknown>): Promise<number> => {
      const key = await server.newKey()
      const began = performance.now()
      for (let round = 0; round < 20; round++)
        await each(key, ['ada', 'bob', `new-${round}`, 'cy', `changed-${round % 2}`, 'dan'], round)
      return performance.now() - began
    }
    const inTurn = await rounds(async (key, users, round) => {
      for (const userId of users) await signIn(key, userId, round)
    })
    const atOnce = await rounds((key, users, round) => Promise.all(users.map((userId) => signIn(key, userId, round))))
    assert.ok(atOnce < 3 * inTurn, 'no deadlock had to be waited out')
  })

  it('add a user once, whichever is first', async () => {
    const key = await server.newKey()
    const users = Array.from({ length: 10 }, (_, index) => ({ userId: `user-${index}`, name: 'Name' }))
    await Promise.all(['a', 'b', 'c', 'd'].map((organizationId) => key.call(addUsers, { organizationId, users })))
    const apiKey = key.headers['x-service-api-key']
    const { rows } = await server.db.query(
      `select user_id, count(*)::int as events from events where api_key_id = $1 and type = 'user.added' group by user_id`,
      [apiKey],
    )
    assert.deepEqual(
      (rows as { events: number }[]).map(({ events }) => events),
      users.map(() => 1),
    )
  })
})
