/** Tenants share the connections of the database, however many statements of one of them wait. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { Lifetime } from '#platform/lifetime.ts'
import { ENGINE, startServer } from '#testing/server.ts'

const server = await startServer()
const of = (tenant: string) => new Lifetime({ name: '', tenant, timeoutMs: 60_000, charge: () => {} })
const sleepy = (tenant: string) => of(tenant).run(() => server.db.query('select pg_sleep(50)'))

describe('a tenant with a hundred slow statements', { skip: ENGINE === 'embedded' }, () => {
  it('leaves connections to every other tenant, and to shared statements', async () => {
    const quiet = await server.newKey()
    await quiet.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
    let ended = 0
    const slow = ['a', 'b'].flatMap((tenant) =>
      Array.from({ length: 100 }, () =>
        sleepy(tenant)
          .catch(() => {})
          .finally(() => ended++),
      ),
    )
    await of('c').run(() => server.db.query('select 1'))
    const resource = { type: 'organization' as const, id: 'acme' }
    await quiet.call(checkPermissions, { checks: [{ userId: 'ada', resource }] })
    await quiet.call(addOrganizations, { organizations: [{ organizationId: 'other' }] })
    assert.equal(ended, 0, 'the others did not wait for any of the slow statements')
    for (; ended < slow.length; await sleep(20))
      await server.db.query(`select pg_cancel_backend(pid) from pg_stat_activity
                              where datname = current_database() and query like 'select pg_sleep%'`)
  })
})
