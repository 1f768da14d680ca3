/** Every operation of the contract is a method of the client, which accepts its example and returns the result of the server. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { type Operation, writes } from '#contract/core/operation.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { createUserClient } from '#sdk/index.ts'
import { apiKeyClient, publicClient, workspaceClient } from '#testing/clients.ts'
import { startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import type { newCallers } from '../conformance/support/callers.ts'
import { exampleWorld } from '../conformance/support/example-world.ts'

const post = await startMailServer()
const server = await startServer({ SMTP_URL: post.url, MAIL_FROM: 'mail@example.com' })

type Method = ((data?: object) => Promise<unknown>) & { pages?: (data?: object) => AsyncGenerator<{ data: unknown }> }

const camelCase = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

function methodOf(client: object, { name }: Operation): Method | undefined {
  const [group = '', verb = ''] = name.split('.').map(camelCase)
  return (client as Record<string, Record<string, Method> | undefined>)[group]?.[verb]
}

const clientsOf = (callers: Awaited<ReturnType<typeof newCallers>>) => ({
  none: publicClient(server.url),
  workspace: workspaceClient(server.url, callers.workspace),
  apiKey: apiKeyClient(server.url, callers.apiKey),
})

for (const operation of OPERATIONS)
  describe(`the method of ${operation.name}`, () => {
    const { properties = {} } = operation.data as { properties?: object }
    const isPaged = 'pageToken' in properties || 'iterator' in properties

    it(`accepts the example and returns the data of the result${isPaged ? ', and all pages of it' : ''}`, async () => {
      const { callers, exampleOf } = await exampleWorld(server.client, operation)
      const clients = clientsOf(callers)
      const method = methodOf(clients[operation.credentials], operation)
      const answer = await method?.(exampleOf(operation))
      assert.equal(answer === undefined, operation.result === undefined)
      if (writes(operation)) assert.doesNotMatch(JSON.stringify(answer ?? {}), /"success":false/)
      assert.equal(method?.pages !== undefined, isPaged)
      const [first] = await Array.fromAsync(method?.pages?.(exampleOf(operation)) ?? [])
      if (isPaged) assert.equal(Array.isArray(first?.data), Array.isArray(answer))

      const having = Object.entries(clients).filter(([, client]) => methodOf(client, operation) !== undefined)
      assert.deepEqual(
        Object.keys(Object.fromEntries(having)),
        [operation.credentials],
        'for its own credentials alone',
      )
    })
  })

describe('a client with a user token', () => {
  it('has the operations that user tokens may call, and no others', async () => {
    const key = await server.newKey()
    const { token } = await key.call(generateToken, { userId: 'ada' })
    const client = createUserClient({ url: server.url, userToken: token })
    const having = OPERATIONS.filter((operation) => methodOf(client, operation) !== undefined)
    assert.deepEqual(
      having,
      OPERATIONS.filter(({ userToken }) => userToken),
    )
    const { checks } = await client.permissions.check({ checks: [{ resource: { type: 'organization', id: 'acme' } }] })
    assert.equal(checks[0]?.allowed, false)
  })

  it('gets the token before each attempt', async () => {
    const key = await server.newKey()
    const tokens = [(await key.call(generateToken, { userId: 'ada' })).token, 'ended']
    const client = createUserClient({ url: server.url, userToken: async () => tokens.shift() ?? '' })
    const question = { resource: { type: 'organization' as const, id: 'acme' } }
    await client.check(question)
    await assert.rejects(client.check(question), { reason: 'credentials_invalid' })
    await assert.rejects(client.check(question), { name: 'TypeError', message: 'userToken is missing' })
  })
})
