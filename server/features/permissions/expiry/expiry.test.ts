/** The sweep of expired grants: one event for each expiry, and the deletion of grants that expired long ago. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { getPermissions } from '#contract/access/decisions.ts'
import { listGrants } from '#contract/access/grants.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import type { ApiKeyId } from '#contract/core/ids.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addUserGroups, deleteUserGroups } from '#contract/users/user-groups.ts'
import { addUsers, deleteUsers } from '#contract/users/users.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { lockOrganization } from '#tenancy/writes/organization.ts'
import type { Client } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import { completeMigration } from '#testing/jobs.ts'
import { ENGINE, startServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../../test/conformance/support/callers.ts'
import { eventsOf, type StoredEvent } from '../../../../test/conformance/support/events.ts'
import { sweepExpired } from './expiry.ts'

/** The server's own sweeps delete nothing. */
const server = await startServer({ EXPIRED_GRANTS_KEPT_DAYS: '0' })
const { db, clock } = server
const organizationId = 'acme'
let key: Client
beforeEach(async () => {
  key = await server.newKey()
})
afterEach(() => clock.set(null))

const DAY = 86_400
const at = (seconds: number) => clock.set(new Date(seconds * 1000))
const document = (id: string, more: object = {}) => ({ type: 'document' as const, id, organizationId, ...more })
const add = (userId: string, ...resources: ReturnType<typeof document>[]) =>
  key.call(addPermissions, { user: { userId }, permissions: { resources } })
const remove = (userId: string, id: string) =>
  key.call(removePermissions, { userId, permissions: { resources: [document(id)] } })

/** Adds documents that only users with a grant can view. */
const restrict = (...ids: string[]) =>
  key.call(addDocuments, {
    organizationId,
    createOrganization: true,
    documents: ids.map((documentId) => ({ documentId, accessType: 'restricted' as const })),
  })

const reasonOf = async (userId: string, id: string) => {
  const answer = await key.call(getPermissions, { organizationId, userIds: [userId], documentIds: [id] })
  return answer[userId]?.documents?.[id]?.reason
}

/** Sweeps until nothing is due: the server also sweeps and may hold the lock of an organization. */
async function sweep(keptDays = 0): Promise<void> {
  for (let due = true; due; ) {
    await sweepExpired({ db, keptDays })
    const { rows } = await db.query(
      `select from grants where expires_at <= coalesce($1, clock_timestamp()) and expiry_event_at is null
       union all select from grants where expiring_at <= coalesce($1, clock_timestamp()) limit 1`,
      [clock.now()],
    )
    due = rows.length > 0
  }
}

/** The events of permissions, as `type user resource`. */
const told = async () => {
  const events = (await eventsOf(db, apiKeyOf(key))).filter(({ type }) => type.startsWith('permission.'))
  return events.map(({ type, userId, resourceId }) => `${type.slice('permission.'.length)} ${userId} ${resourceId}`)
}

describe('permission.expired', () => {
  it('is written once when a grant expires, not earlier, with user, resource, role and expiry', async () => {
    at(1_000)
    await add('ada', document('d', { accessRole: 'viewer', expiresAt: 2_000 }), document('e'))
    clock.set(new Date(1_999_999))
    await sweep()
    assert.deepEqual(await told(), ['added ada d', 'added ada e'])
    at(2_000)
    await sweep()
    await sweep()
    assert.deepEqual(await told(), ['added ada d', 'added ada e', 'expired ada d'])
    const event = (await eventsOf(db, apiKeyOf(key))).at(-1)
    assert.deepEqual(event, {
      type: 'permission.expired',
      organizationId,
      resourceKind: 'document',
      resourceId: 'd',
      userId: 'ada',
      actor: { system: 'expiry' },
      before: { accessRole: 'viewer', expiresAt: 2_000 },
      after: null,
    } satisfies StoredEvent)
  })

  it('is written by the server itself within a few seconds', async () => {
    await add('ada', document('d', { expiresAt: Math.floor(Date.now() / 1000) + 1 }))
    await until('event', async () => (await told()).length > 1, 50)
    assert.deepEqual(await told(), ['added ada d', 'expired ada d'])
  })

  it('is written once for a grant that is already expired when it is added, even if the call is repeated', async () => {
    for (let times = 0; times < 3; times++) {
      await add('ada', document('d', { expiresAt: 1 }))
      await sweep()
    }
    assert.deepEqual(await told(), ['added ada d', 'expired ada d'])
  })

  it('is written again when a renewed grant expires', async () => {
    at(1_000)
    await add('ada', document('d', { expiresAt: 2_000 }))
    at(2_000)
    await sweep()
    await add('ada', document('d', { expiresAt: 3_000 }))
    await sweep()
    at(3_000)
    await sweep()
    await add('ada', document('d'))
    await sweep()
    assert.deepEqual(await told(), ['added ada d', 'expired ada d', 'added ada d', 'expired ada d', 'added ada d'])
  })

  it('precedes the event that changes or revokes the grant, even if no sweep has run', async () => {
    at(1_000)
    await key.call(addUsers, { organizationId, createOrganization: true, users: [{ userId: 'cy' }] })
    for (const userId of ['ada', 'bob', 'cy']) await add(userId, document('d', { expiresAt: 2_000 }))
    at(2_000)
    await add('ada', document('d', { expiresAt: 3_000 }))
    await remove('bob', 'd')
    await key.call(deleteUsers, { organizationId, documentId: 'd', userIds: ['cy'] })
    await sweep()
    const events = (await told()).filter((event) => event.endsWith(' d'))
    for (const userId of ['ada', 'bob', 'cy'])
      assert.deepEqual(
        events.filter((event) => event.includes(` ${userId} `)),
        [`added ${userId} d`, `expired ${userId} d`, `${userId === 'ada' ? 'added' : 'removed'} ${userId} d`],
      )
  })

  it('is not written for a grant that was deleted with others before the sweep, which the event of the deletion counts', async () => {
    at(1_000)
    await key.call(addUserGroups, {
      organizationId,
      createOrganization: true,
      organizationUserGroups: [{ groupId: 'g' }],
    })
    const group = { organizationId, groupId: 'g' }
    const resources = [document('d', { expiresAt: 2_000 }), document('e')]
    /** The server may sweep before the deletion; after it, nothing may be written. */
    const last = async () => {
      await sweep()
      const event = (await eventsOf(db, apiKeyOf(key))).at(-1)
      return [event?.type, event?.before?.permissions]
    }
    await key.call(addPermissions, { group, permissions: { resources } })
    at(2_000)
    await key.call(deleteUserGroups, { organizationId, organizationUserGroupIds: ['g'] })
    assert.deepEqual(await last(), ['user_group.deleted', 2])
    at(1_000)
    await add('ada', ...resources)
    at(2_000)
    await key.call(deleteUsers, { organizationId, userIds: ['ada'] })
    assert.deepEqual(await last(), ['user.removed', 2])
  })

  it('leaves the standing grant beside it, also when the expired one is deleted some days later', async () => {
    at(1_000)
    await add('ada', document('d', { accessRole: 'viewer' }), document('d', { expiresAt: 2_000 }))
    await add('bob', document('d', { expiresAt: 2_000 }))
    const held = async () => {
      const { grants } = await key.call(listGrants, { organizationId })
      return grants.map(({ userId, accessRole, expiresAt = 'standing' }) => `${userId} ${accessRole} ${expiresAt}`)
    }
    at(2_000)
    await sweep()
    assert.deepEqual(await held(), ['ada viewer standing', 'ada editor 2000', 'bob editor 2000'])
    at(2_000 + 31 * 86_400)
    await sweep(30)
    assert.deepEqual(await held(), ['ada viewer standing'])
    assert.deepEqual((await told()).slice(-2).toSorted(), ['expired ada d', 'expired bob d'])
  })

  it('is not written twice for a grant that is revoked afterwards', async () => {
    await add('ada', document('d', { expiresAt: 1 }))
    await sweep()
    await remove('ada', 'd')
    await sweep()
    assert.deepEqual(await told(), ['added ada d', 'expired ada d', 'removed ada d'])
  })

  it('does not affect decisions, which are the same before the sweep', async () => {
    at(1_000)
    await restrict('d')
    await add('ada', document('d', { expiresAt: 2_000 }))
    assert.equal(await reasonOf('ada', 'd'), 'grant')
    at(2_000)
    assert.equal(await reasonOf('ada', 'd'), 'grant_expired')
    await sweep()
    assert.equal(await reasonOf('ada', 'd'), 'grant_expired')
  })

  it('is neither lost nor written twice when a document is migrated onto a declared one', async () => {
    at(1_000)
    await restrict('source')
    const until = { expiresAt: 2_000 }
    await add('told', document('source', until), document('target', until))
    at(2_000)
    await sweep()
    at(1_000)
    await add('ada', document('source', until), document('target', until))
    await add('bob', document('source'), document('target', until))
    await add('cy', document('source', until), document('target'))
    await add('dan', document('target', until))
    at(2_000)
    await completeMigration(key, { organizationId, documentId: 'source', newDocumentId: 'target' })
    await sweep()
    const expired = (await told()).filter((event) => event.startsWith('expired'))
    assert.deepEqual(expired.toSorted(), [
      'expired ada source',
      'expired ada target',
      'expired bob target',
      'expired cy source',
      'expired dan target',
      'expired told source',
      'expired told target',
    ])
    assert.equal(await reasonOf('cy', 'target'), 'grant')
    assert.equal(await reasonOf('told', 'target'), 'grant_expired')
  })

  it('is written for thousands of grants of one organization without delaying other organizations', async () => {
    at(1_000)
    const ids = Array.from({ length: 1_000 }, (_, index) => `d${index}`)
    for (const userId of ['ada', 'bob']) await add(userId, ...ids.map((id) => document(id, { expiresAt: 2_000 })))
    await key.call(addPermissions, {
      user: { userId: 'ada' },
      permissions: { resources: [{ type: 'organization', id: 'small', expiresAt: 2_001 }] },
    })
    at(2_001)
    await sweep()
    const expired = (await eventsOf(db, apiKeyOf(key))).filter(({ type }) => type === 'permission.expired')
    assert.equal(new Set(expired.map(({ userId, resourceId }) => `${userId} ${resourceId}`)).size, 2_001)
    assert.equal(expired.length, 2_001)
    assert.notEqual(expired.at(-1)?.organizationId, 'small', 'it need not wait for all of the large one')
  })

  it('waits for a locked organization without delaying other organizations', {
    skip: ENGINE === 'embedded',
  }, async () => {
    at(1_000)
    const free = { type: 'organization' as const, id: 'free', expiresAt: 2_000 }
    await key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources: [free] } })
    await add('ada', document('d', { expiresAt: 2_000 }))
    const expired = async () => (await told()).filter((event) => event.startsWith('expired'))
    const held = organizationKey({ apiKeyId: apiKeyOf(key) as ApiKeyId }, organizationId)
    const locked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const holder = db.transaction(async (session) => {
      await lockOrganization(session, held)
      locked.resolve()
      await released.promise
    })
    await locked.promise
    at(2_000)
    while ((await expired()).length === 0) await sweepExpired({ db, keptDays: 0 })
    assert.deepEqual(await expired(), ['expired ada free'])
    released.resolve()
    await holder
    await sweep()
    assert.deepEqual(await expired(), ['expired ada free', 'expired ada d'])
  })
})

describe('permission.expiring', () => {
  const notice = (expiringSoonSeconds: number) => key.call(updateKeyConfig, { expiringSoonSeconds })
  const comings = async () => (await told()).filter((event) => !event.startsWith('added'))

  it('is written once, at the lead time before expiry that the API key configures, not earlier', async () => {
    at(1_000)
    await notice(600)
    await add('ada', document('d', { accessRole: 'viewer', expiresAt: 2_000 }), document('e'))
    clock.set(new Date(1_399_999))
    await sweep()
    assert.deepEqual(await comings(), [])
    at(1_400)
    await sweep()
    await sweep()
    assert.deepEqual(await comings(), ['expiring ada d'])
    assert.deepEqual((await eventsOf(db, apiKeyOf(key))).at(-1), {
      type: 'permission.expiring',
      organizationId,
      resourceKind: 'document',
      resourceId: 'd',
      userId: 'ada',
      actor: { system: 'expiry' },
      before: null,
      after: { accessRole: 'viewer', expiresAt: 2_000 },
    } satisfies StoredEvent)
    at(2_000)
    await sweep()
    assert.deepEqual(await comings(), ['expiring ada d', 'expired ada d'])
  })

  it('is not written for keys without the setting, for grants older than the setting, or for grants shorter than the lead time', async () => {
    at(1_000)
    await add('ada', document('before', { expiresAt: 2_000 }))
    await notice(600)
    await add('ada', document('short', { expiresAt: 1_600 }), document('longer', { expiresAt: 1_601 }))
    await notice(0)
    await add('ada', document('after', { expiresAt: 2_000 }))
    at(1_599)
    await sweep()
    assert.deepEqual(await comings(), ['expiring ada longer'])
  })

  it('follows the current expiry of a grant that is changed, revoked or made standing', async () => {
    at(1_000)
    await notice(600)
    const until = { expiresAt: 2_000 }
    await add('ada', ...['changed', 'gone', 'permanent', 'role'].map((id) => document(id, until)))
    await add('ada', document('changed', { expiresAt: 3_000 }), document('permanent', { replaceExisting: true }))
    await remove('ada', 'gone')
    await key.call(addPermissions, {
      user: { userId: 'bob' },
      permissions: { resources: [{ type: 'organization', id: organizationId, ...until }] },
    })
    await key.call(addUsers, { organizationId, users: [{ userId: 'bob' }] })
    at(1_400)
    await sweep()
    assert.deepEqual((await comings()).toSorted(), [
      'expiring ada role',
      'expiring bob acme',
      'removed ada gone',
      'removed ada permanent',
    ])
    await add('ada', document('role', { ...until, accessRole: 'viewer' }))
    at(2_400)
    await sweep()
    await add('ada', document('changed', { expiresAt: 4_000 }))
    at(3_400)
    await sweep()
    const all = (await comings()).filter((event) => event.startsWith('expiring'))
    assert.deepEqual(all.toSorted(), [
      'expiring ada changed',
      'expiring ada changed',
      'expiring ada role',
      'expiring bob acme',
    ])
  })

  it('is replaced by permission.expired if no sweep ran in time', async () => {
    at(1_000)
    await notice(600)
    await add('ada', document('d', { expiresAt: 2_000 }))
    at(2_000)
    await sweep()
    assert.deepEqual(await comings(), ['expired ada d'])
  })

  it('moves with a grant to the document it is migrated to', async () => {
    at(1_000)
    await notice(600)
    await restrict('source')
    await add('ada', document('target', { expiresAt: 2_000 }))
    await add('bob', document('source', { expiresAt: 2_000 }))
    await completeMigration(key, { organizationId, documentId: 'source', newDocumentId: 'target' })
    at(1_400)
    await sweep()
    assert.deepEqual((await comings()).toSorted(), ['expiring ada target', 'expiring bob target'])
  })
})

describe('EXPIRED_GRANTS_KEPT_DAYS', () => {
  it('deletes only grants whose event is older than the setting, without another event', async () => {
    at(1_000)
    await restrict('d', 'e', 'f')
    await add('ada', document('d', { expiresAt: 2_000 }), document('e'), document('f', { expiresAt: 9_000 * DAY }))
    at(2_000)
    await sweep(30)
    at(2_000 + 30 * DAY - 1)
    await sweep(30)
    assert.equal(await reasonOf('ada', 'd'), 'grant_expired')
    at(2_000 + 30 * DAY)
    await sweep(0)
    assert.equal(await reasonOf('ada', 'd'), 'grant_expired')
    await sweep(30)
    assert.deepEqual(await Promise.all(['d', 'e', 'f'].map((id) => reasonOf('ada', id))), [
      'no_grant',
      'grant',
      'grant',
    ])
    assert.deepEqual(
      (await told()).filter((event) => !event.startsWith('added')),
      ['expired ada d'],
    )
  })

  it('is applied by the server', async () => {
    const { clock, newKey } = await startServer({ EXPIRED_GRANTS_KEPT_DAYS: '7' })
    clock.set(new Date(1_000_000))
    const owner = await newKey()
    const resources = [{ type: 'organization' as const, id: organizationId, expiresAt: 1_000 }]
    await owner.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources } })
    const reason = async () =>
      (await owner.call(getPermissions, { organizationId, userIds: ['ada'] })).ada?.organization[organizationId]?.reason
    assert.equal(await reason(), 'grant_expired')
    clock.set(new Date((1_000 + 8 * DAY) * 1000))
    await until('deletion of the grant', async () => {
      clock.set(new Date((clock.now()?.getTime() ?? 0) + DAY * 1000)) // its event may have been written only now
      return (await reason()) === 'no_grant'
    })
  })
})
