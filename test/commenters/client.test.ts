/** The role `commenter` through the client, whose types know it (rules/access.md#commenters). */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import type { AccessRole } from '#sdk/generated/operations.ts'
import { CommonholdError } from '#sdk/index.ts'
import { apiKeyClient } from '#testing/clients.ts'
import { sharedServer } from '#testing/server.ts'

const server = await sharedServer()

describe('the client', () => {
  it('gives the role, checks it, and reports the reason why it cannot be dropped', async () => {
    const client = apiKeyClient(server.url, await server.newKey())
    const resource = { type: 'document', id: 'roadmap', organizationId: 'acme' } as const
    const accessRole: AccessRole = 'commenter'
    await client.keyConfig.update({ accessRoles: ['viewer', 'commenter', 'editor'] })
    await client.grant({ userId: 'ada', resource, accessRole })
    const check = (atLeast: AccessRole) => client.check({ userId: 'ada', resource, atLeast })
    assert.deepEqual([(await check('commenter')).allowed, (await check('editor')).allowed], [true, false])
    await assert.rejects(client.keyConfig.update({ accessRoles: ['viewer', 'editor'] }), (error) => {
      assert.ok(error instanceof CommonholdError)
      return error.reason === 'access_role_in_use'
    })
  })
})
