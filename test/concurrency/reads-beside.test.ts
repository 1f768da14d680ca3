/** Two runs of a read are under way at the same time if many rows wait for it, and never more (ADR 0077). */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { eventually } from '#testing/eventually.ts'
import { ENGINE, startServer } from '#testing/server.ts'

const organizationId = 'acme'
/** More rows than a second run needs, and few enough for one run. */
const MANY = 200

/** The statements that wait for the table of resources. */
const WAITING = `select count(*)::int as count from pg_locks where relation = 'resources'::regclass and not granted`

describe('reads', { skip: ENGINE === 'embedded' }, () => {
  it('begin a second run beside the first when many rows wait, and give the right answers', async () => {
    const { db, newKey } = await startServer()
    const key = await newKey()
    const ids = Array.from({ length: MANY }, (_, nth) => `document ${nth}`)
    const documents = ids.map((documentId) => ({ documentId, accessType: 'restricted' as const }))
    await key.call(addDocuments, { organizationId, createOrganization: true, documents })
    const [open = '', ...closed] = ids
    const resources = [{ type: 'document' as const, id: open, organizationId }]
    await key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources } })

    const ask = async (documentIds: readonly string[]) => {
      const checks = documentIds.map((id) => ({
        userId: 'ada',
        resource: { type: 'document' as const, id, organizationId },
      }))
      return (await key.call(checkPermissions, { checks })).checks.map(({ allowed }) => allowed)
    }
    const waiting = async () => ((await db.query(WAITING)).rows[0] as { count: number }).count
    const isWaiting = (count: number) =>
      eventually(`${count} waiting runs`, async () => (await waiting()) === count || undefined)

    const locked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const holder = db.transaction(async (session) => {
      await session.query('lock table resources in access exclusive mode')
      locked.resolve()
      await released.promise
    })
    await locked.promise
    const answers = [ask([open])]
    try {
      await isWaiting(1)
      answers.push(ask(closed.slice(0, 8)), ask([...closed, open]))
      await isWaiting(2)
      answers.push(ask([...closed, open]), ask([open, ...closed]))
      for (let nth = 0; nth < 20; nth++) assert.equal(await waiting(), 2)
    } finally {
      released.resolve()
      await holder
    }
    const denied = closed.map(() => false)
    assert.deepEqual(await Promise.all(answers), [
      [true],
      denied.slice(0, 8),
      [...denied, true],
      [...denied, true],
      [true, ...denied],
    ])
  })
})
