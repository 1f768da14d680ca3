/** The data of the console's overview, for one API key only. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { addUsers } from '#contract/users/users.ts'
import { sharedServer, startServer } from '#testing/server.ts'
import { refused } from '../../../../test/conformance/support/refused.ts'

const server = await sharedServer()

describe('the overview', () => {
  it('counts the contents of the API key and its pending deliveries', async () => {
    const [key, other] = [await server.newKey(), await server.newKey()]
    for (const client of [key, other, other])
      await client.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
    const resources = ['a', 'b'].map((id) => ({ type: 'document' as const, id, organizationId: 'acme' }))
    await key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources } })
    await key.call(addUsers, { organizationId: 'acme', users: [{ userId: 'grace' }] })
    const { body } = await key.post('/console/overview/get', {})
    const { counts, deliveries, jobs, engine } = body.result.data
    assert.deepEqual(counts, { organizations: 1, folders: 0, documents: 2, users: 1, grants: 3 })
    assert.deepEqual(deliveries, { waiting: 0, overdueSeconds: 0 })
    assert.deepEqual(jobs, { unfinished: 0, overdueSeconds: 0 })
    assert.equal(engine, server.db.engine)
  })

  it('counts towards the limit of the API key', async () => {
    const limited = await startServer({ RATE_LIMIT_PER_KEY: '2' })
    const key = await limited.newKey()
    const answers = await Promise.all(Array.from({ length: 6 }, () => key.post('/console/overview/get', {})))
    assert.equal(answers.filter(({ http }) => http === 200).length, 2)
    for (const answer of answers.filter(({ http }) => http !== 200)) refused(answer, 'RESOURCE_EXHAUSTED')
  })

  it('counts the unfinished jobs of the API key', async () => {
    const [key, other] = [await server.newKey(), await server.newKey()]
    for (const client of [key, other]) {
      await client.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
      // Leased, as by a worker of another server, so that this server does not run it.
      await server.db.query(
        `insert into document_migrations (organization_key, migration_id, document_id, new_document_id, status, actor, due_at, finished_at)
         select organization_key, gen_random_uuid(), 'a', 'b', status, '{}', clock_timestamp() + interval '1 hour', finished_at
           from organizations, (values ('in_progress', null), ('completed', now())) state (status, finished_at)
          where api_key_id = $1`,
        [client.headers['x-service-api-key']],
      )
    }
    const { body } = await key.post('/console/overview/get', {})
    assert.deepEqual(body.result.data.jobs, { unfinished: 1, overdueSeconds: 0 })
  })

  it('requires credentials', async () => {
    refused(await server.client.post('/console/overview/get', {}), 'INVALID_ARGUMENT')
    refused(
      await server.client.with({ 'x-service-session': 'console' }).post('/console/overview/get', {}),
      'UNAUTHENTICATED',
    )
  })
})
