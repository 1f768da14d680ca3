import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addPermissions, getPermissions } from '#contract/permissions.ts'
import { startServer } from '../../../test/support/server.ts'

const server = await startServer()

describe('permissions.add', () => {
  it('grants a role that permissions.get then shows', async () => {
    const key = await server.newKey()
    await key.call(addPermissions, {
      user: { userId: 'ada' },
      permissions: { resources: [{ type: 'document', id: 'd', organizationId: 'acme', accessRole: 'viewer' }] },
    })
    const answer = await key.call(getPermissions, { organizationId: 'acme', userIds: ['ada'], documentIds: ['d'] })
    assert.equal(answer.ada?.documents?.d?.accessRole, 'viewer')
    assert.equal(answer.ada?.documents?.d?.reason, 'grant')
  })
})
