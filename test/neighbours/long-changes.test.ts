/** Long changes of one tenant, however many, hold up neither the sign-ins nor the changes of another. */
import { describe, it } from 'vitest'
import { addOrganizations, deleteOrganizations } from '#contract/resources/organizations.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { addUsers } from '#contract/users/users.ts'
import { ENGINE, sharedServer } from '#testing/server.ts'

const server = await sharedServer()

describe('a tenant whose deletions all wait', { skip: ENGINE === 'embedded' }, () => {
  it('delays nobody else: neither sign-ins, nor members, nor calls with an Idempotency-Key, nor deletions', async () => {
    const [busy, quiet] = [await server.newKey(), await server.newKey()]
    const ids = Array.from({ length: 12 }, (_, index) => `o${index}`)
    await busy.call(addOrganizations, { organizations: ids.map((organizationId) => ({ organizationId })) })
    await quiet.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
    let deleting: Promise<unknown> = Promise.resolve()
    await server.db.transaction(async (session) => {
      const apiKeyId = busy.headers['x-service-api-key']
      await session.query('select from organizations where api_key_id = $1 for update', [apiKeyId])
      deleting = Promise.all(ids.map((id) => busy.call(deleteOrganizations, { organizationIds: [id] })))
      const keyed = quiet.with({ ...quiet.headers, 'idempotency-key': 'once' })
      await quiet.call(generateToken, { userId: 'ada', userProperties: { name: 'Ada' } })
      await quiet.call(addUsers, { organizationId: 'acme', users: [{ userId: 'ada' }] })
      await keyed.call(addOrganizations, { organizations: [{ organizationId: 'other' }] })
      await quiet.call(deleteOrganizations, { organizationIds: ['other'] })
    })
    await deleting
  })
})
