/** Sign-ins at the same moment: the most frequent call, over the same users, organizations and key, never in each other's way. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { generateToken } from '#contract/user-tokens.ts'
import { addUsers } from '#contract/users.ts'
import { startServer } from '../support/server.ts'

const server = await startServer()

describe('sign-ins at the same moment', () => {
  it('are all answered, whether profiles are new, changed or as before', async () => {
    const key = await server.newKey()
    const resources = [{ type: 'organization' as const, id: 'acme' }]
    const began = Date.now()
    for (let round = 0; round < 20; round++) {
      const users = ['ada', 'bob', `new-${round}`, 'cy', `changed-${round % 2}`, 'dan']
      const answers = await Promise.all(
        users.map((userId) => {
          const userProperties = userId.startsWith('changed') ? { name: `Name ${round}` } : { name: 'Name' }
          return key.post(generateToken.path, { userId, userProperties, permissions: { resources } })
        }),
      )
      assert.deepEqual(
        answers.map(({ http }) => http),
        users.map(() => 200),
      )
    }
    assert.ok(Date.now() - began < 15_000, 'no deadlock had to be waited out')
  })

  it('add a user once, whoever is first', async () => {
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
