/** `grant` and `revoke` of a client, which have the same form as `check`. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { type Client, CommonholdError } from '#sdk/index.ts'
import { apiKeyClient } from '#testing/clients.ts'
import { sharedServer } from '#testing/server.ts'

const server = await sharedServer()
const organizationId = 'acme'
const resource = { type: 'document', id: 'plan', organizationId } as const

let client: Client
beforeEach(async () => {
  client = apiKeyClient(server.url, await server.newKey())
  const documents = [{ documentId: 'plan', accessType: 'restricted' as const }]
  await client.documents.add({ organizationId, createOrganization: true, documents })
})

const grantsOf = async (userId: string) =>
  (await client.permissions.explain({ userId, resource })).chain.flatMap(({ grants = [] }) => grants)

describe('grant and revoke', () => {
  it('give a role on a resource, and take it away', async () => {
    const question = { userId: 'ada', resource }
    await client.grant({ ...question, accessRole: 'viewer' })
    assert.partialDeepStrictEqual(await client.check(question), { allowed: true, accessRole: 'viewer' })
    await client.revoke(question)
    assert.equal((await client.check(question)).allowed, false)
    await client.revoke(question)
  })

  it('give a temporary grant beside a standing one, and revoke it alone', async () => {
    const expiresAt = 4_000_000_000
    await client.grant({ userId: 'ada', resource, accessRole: 'viewer' })
    await client.grant({ userId: 'ada', resource, accessRole: 'editor', expiresAt })
    assert.partialDeepStrictEqual(await client.check({ userId: 'ada', resource }), { accessRole: 'editor', expiresAt })
    await client.revoke({ userId: 'ada', resource, temporaryOnly: true })
    assert.equal((await client.check({ userId: 'ada', resource })).accessRole, 'viewer')
    await client.grant({ userId: 'ada', resource, accessRole: 'editor', expiresAt, replaceExisting: true })
    assert.equal((await grantsOf('ada')).length, 1)
  })

  it('accept a user group of the organization instead of a user', async () => {
    await client.userGroups.add({ organizationId, organizationUserGroups: [{ groupId: 'design' }] })
    await client.users.add({ organizationId, users: [{ userId: 'ada', accessRole: 'viewer' }] })
    await client.userGroupUsers.add({ organizationId, organizationUserGroupId: 'design', userIds: ['ada'] })
    await client.grant({ groupId: 'design', resource, accessRole: 'viewer' })
    assert.equal((await client.check({ userId: 'ada', resource })).allowed, true)
    await client.revoke({ groupId: 'design', resource })
    assert.equal((await client.check({ userId: 'ada', resource })).allowed, false)
    await client.grant({
      groupId: 'design',
      resource: { type: 'organization', id: organizationId },
      accessRole: 'editor',
    })
    const { grants } = await client.grants.list({ organizationId })
    assert.ok(grants.some(({ groupId, type }) => groupId === 'design' && type === 'organization'))
  })

  it('fail with an error that names the fields as the caller wrote them', async () => {
    const wrong: [Promise<void>, string, string[]][] = [
      [client.grant({ userId: ' ', resource, accessRole: 'viewer' }), 'grant', ['userId']],
      [
        client.grant({ userId: 'ada', resource: { ...resource, id: '' }, accessRole: 'viewer' }),
        'grant',
        ['resource.id'],
      ],
      [client.grant({ userId: 'ada', resource, accessRole: 'owner' as 'editor' }), 'grant', ['accessRole']],
      [client.grant({ userId: 'ada', resource, accessRole: 'editor', expiresAt: Date.now() }), 'grant', ['expiresAt']],
      [
        client.revoke({ userId: 'ada', resource: { type: 'document', id: 'plan' } }),
        'revoke',
        ['resource.organizationId'],
      ],
    ]
    for (const [call, operation, fields] of wrong)
      await assert.rejects(call, (error) => {
        assert.ok(error instanceof CommonholdError)
        assert.equal(error.operation, operation)
        assert.deepEqual(
          error.faults.map(({ field }) => field),
          fields,
        )
        assert.ok(error.explanation.startsWith(fields[0] ?? ''), error.explanation)
        assert.equal(error.message, `${operation}: ${error.explanation}`)
        assert.match(error.requestId ?? '', /./)
        return true
      })
  })

  it('are safe to repeat with an Idempotency-Key of their own', async () => {
    const { length } = (await client.events.list({ types: ['permission.added'] })).events
    for (const accessRole of ['viewer', 'viewer'] as const)
      await client.grant({ userId: 'ada', resource, accessRole }, { idempotencyKey: 'once' })
    assert.equal((await client.events.list({ types: ['permission.added'] })).events.length, length + 1)
    await assert.rejects(client.grant({ userId: 'ada', resource, accessRole: 'editor' }, { idempotencyKey: 'once' }), {
      reason: 'idempotency_key_reused',
    })
  })
})
