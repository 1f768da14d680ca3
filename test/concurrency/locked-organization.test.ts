/** Organizations that stay locked for long do not delay other tenants, however many calls wait for them. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { getPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import type { ApiKeyId } from '#contract/core/ids.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { addUsers, updateUsers } from '#contract/users/users.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { lockOrganization } from '#tenancy/writes/organization.ts'
import { patient } from '#testing/run/mode.ts'
import { ENGINE, sharedServer } from '#testing/server.ts'

const CALLS = 30
/** Ends the lock, so that a call that waits for it does not hang. */
const RELEASED_AFTER_MS = patient(30_000)
/** More than the connections of the server. */
const ORGANIZATIONS = Array.from({ length: 12 }, (_, index) => `locked${index}`)

const { db, newKey } = await sharedServer()
const tenant = await newKey()
const neighbour = await newKey()
await tenant.call(addOrganizations, { organizations: ORGANIZATIONS.map((organizationId) => ({ organizationId })) })
const owner = { apiKeyId: tenant.headers['x-service-api-key'] as ApiKeyId }
/** In the order of their keys, which is the lock order: a call that waits for one of these has not locked the last yet. */
const inOrder = ORGANIZATIONS.toSorted((a, b) => (organizationKey(owner, a) < organizationKey(owner, b) ? -1 : 1))
const free = inOrder.pop() ?? ''
const [organizationId = ''] = inOrder

const neighbourResource = { type: 'organization', id: 'theirs' } as const
await neighbour.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources: [neighbourResource] } })

const neighbourAsks = () => neighbour.call(getPermissions, { organizationId: 'theirs', userIds: ['ada'] })

/** Starts calls with `call` while the organizations are locked, and then `ask`, which must get its response while they wait. */
async function askWhileLocked(
  call: (nth: number) => Promise<unknown>,
  ask: () => Promise<unknown> = neighbourAsks,
): Promise<void> {
  const locked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const holder = db.transaction(async (session) => {
    for (const id of inOrder) await lockOrganization(session, organizationKey(owner, id))
    locked.resolve()
    await released.promise
  })
  await locked.promise
  const calls = Promise.all(Array.from({ length: CALLS }, (_, nth) => call(nth)))
  try {
    await sleep(300) // until all calls wait
    const late = sleep(RELEASED_AFTER_MS, 'late' as const)
    assert.notEqual(await Promise.race([ask(), late]), 'late')
  } finally {
    released.resolve()
    await Promise.all([holder, calls])
  }
}

/** The embedded engine has one connection, so nothing waits for a lock. */

const skip = ENGINE === 'embedded'
const some = (nth: number) => inOrder[nth % inOrder.length] ?? ''
const keyed = (key: string) => tenant.with({ ...tenant.headers, 'idempotency-key': key })
const grant = (...ids: string[]) => ({ resources: ids.map((id) => ({ type: 'organization' as const, id })) })

describe('permissions.get of another API key responds', { skip }, () => {
  it('while 30 folders.add wait for one organization', () =>
    askWhileLocked((nth) => tenant.call(addFolders, { organizationId, folders: [{ folderId: `f${nth}` }] })))

  it('while 30 organizations.add wait for one', () =>
    askWhileLocked(() => tenant.call(addOrganizations, { organizations: [{ organizationId }] })))

  it('while 30 users.add and users.update wait for one', async () => {
    await tenant.call(addUsers, { organizationId, users: [{ userId: 'known' }] })
    await askWhileLocked((nth) =>
      nth % 2 === 0
        ? tenant.call(addUsers, { organizationId, users: [{ userId: `u${nth}` }] })
        : tenant.call(updateUsers, { organizationId, users: [{ userId: 'known', name: `name ${nth}` }] }),
    )
  })

  it('while 30 generate_token wait for one', () =>
    askWhileLocked((nth) =>
      tenant.call(generateToken, {
        userId: `t${nth}`,
        userProperties: {},
        permissions: grant(organizationId),
      }),
    ))

  it('while 30 folders.add, each with its Idempotency-Key, wait for one', () =>
    askWhileLocked((nth) => keyed(`f${nth}`).call(addFolders, { organizationId, folders: [{ folderId: `k${nth}` }] })))

  it('while 30 permissions.add, each with its Idempotency-Key, wait for more organizations than there are connections', () =>
    askWhileLocked((nth) =>
      keyed(`p${nth}`).call(addPermissions, { user: { userId: 'kim' }, permissions: grant(some(nth)) }),
    ))

  it('while 30 calls of each kind wait for more organizations than there are connections', () =>
    askWhileLocked((nth) =>
      Promise.all([
        tenant.call(addFolders, { organizationId: some(nth), folders: [{ folderId: `g${nth}` }] }),
        tenant.call(addPermissions, { user: { userId: 'eve' }, permissions: grant(some(nth)) }),
      ]),
    ))
})

describe('a call with an Idempotency-Key to an unlocked organization responds', {
  skip,
}, () => {
  it('while 30 such calls wait for a locked one', () =>
    askWhileLocked(
      (nth) => keyed(`w${nth}`).call(addFolders, { organizationId, folders: [{ folderId: `w${nth}` }] }),
      () => keyed('free').call(addFolders, { organizationId: free, folders: [{ folderId: 'free' }] }),
    ))
})

describe('permissions.add to an unlocked organization responds', { skip }, () => {
  it('while calls that name it together with a locked one wait', () =>
    askWhileLocked(
      (nth) => tenant.call(addPermissions, { user: { userId: `u${nth}` }, permissions: grant(free, organizationId) }),
      () => tenant.call(addPermissions, { user: { userId: 'ada' }, permissions: grant(free) }),
    ))

  it('while many writes wait for locked ones', () =>
    askWhileLocked(
      (nth) => tenant.call(addPermissions, { user: { userId: `v${nth}` }, permissions: grant(some(nth)) }),
      () => tenant.call(addPermissions, { user: { userId: 'bob' }, permissions: grant(free) }),
    ))
})
