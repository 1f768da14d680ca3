/**
 * Calls give the role `commenter` while the API key drops it: no key without the role has a commenter in the end
 * (rules/access.md#commenters).
 */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { addGrants } from '#contract/access/grants.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { getKeyConfig, updateKeyConfig } from '#contract/keys/key-config.ts'
import { addInvitation, respondToInvitation } from '#contract/resources/invitations.ts'
import { addUserGroups } from '#contract/users/user-groups.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { addUsers, updateUsers } from '#contract/users/users.ts'
import type { Answer, Client } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'
import { refused } from '../conformance/support/refused.ts'

const server = await sharedServer()
const { db } = server
const organizationId = 'acme'
const ACME = { type: 'organization', id: organizationId } as const
const ROADMAP = { type: 'document', id: 'roadmap', organizationId, accessRole: 'commenter' } as const
const invitation = { email: 'grace@example.com', organizationId, type: 'org_user' } as const

let key: Client
beforeEach(async () => {
  key = await server.newKey()
  await key.call(updateKeyConfig, { accessRoles: ['viewer', 'commenter', 'editor'] })
  await key.call(addUsers, { organizationId, users: [{ userId: 'ada', accessRole: 'viewer' }] })
  await key.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'design' }] })
})

const drop = () => key.post(updateKeyConfig.path, { accessRoles: ['viewer', 'editor'] })

/** Returns how many grants and pending invitations have the role, and whether the key has it. */
async function state(): Promise<{ commenters: number; hasRole: boolean }> {
  const { rows } = await db.query(
    `select (select count(*)::int from grants g join organizations o using (organization_key)
              where o.api_key_id = $1 and 'commenter' in (g.standing_role, g.temporary_role))
          + (select count(*)::int from invitations i join organizations o using (organization_key)
              where o.api_key_id = $1 and i.status = 'PENDING' and i.access_role = 'commenter') as commenters`,
    [apiKeyOf(key)],
  )
  const { accessRoles } = await key.call(getKeyConfig, {})
  return { commenters: (rows[0] as { commenters: number }).commenters, hasRole: accessRoles.includes('commenter') }
}

/** Every call that gives a role, by the way in which it gives it. */
const WAYS: Record<string, () => Promise<Answer>> = {
  'a grant': () => key.post(addPermissions.path, { user: { userId: 'ada' }, permissions: { resources: [ROADMAP] } }),
  'a grant of a group': () => {
    const group = { organizationId, groupId: 'design' }
    return key.post(addPermissions.path, { group, permissions: { resources: [ROADMAP] } })
  },
  'many grants': () => key.post(addGrants.path, { grants: [{ userId: 'ada', ...ROADMAP }] }),
  'many grants of groups': () => key.post(addGrants.path, { grants: [{ groupId: 'design', ...ROADMAP }] }),
  'a membership': () =>
    key.post(addUsers.path, { organizationId, users: [{ userId: 'bob', accessRole: 'commenter' }] }),
  'another role of a member': () =>
    key.post(updateUsers.path, { organizationId, users: [{ userId: 'ada', accessRole: 'commenter' }] }),
  'a sign-in': () =>
    key.post(generateToken.path, {
      userId: 'ada',
      permissions: { resources: [{ ...ACME, accessRole: 'commenter' }] },
    }),
  'an invitation': () => key.post(addInvitation.path, { ...invitation, accessRole: 'commenter' }),
}

/**
 * Makes calls while another transaction locks a row, each when the previous one waits for a lock. Returns their answers
 * after that transaction has ended.
 */
async function whileHeld(holding: string, ...calls: (() => Promise<Answer>)[]): Promise<Answer[]> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: held, resolve: hold } = Promise.withResolvers<void>()
  const transaction = db.transaction(async (session) => {
    await session.query(holding, [apiKeyOf(key)])
    hold()
    await released
  })
  const answers: Promise<Answer>[] = []
  try {
    await Promise.race([held, transaction])
    for (const call of calls) {
      answers.push(call())
      await waitingForLocks(answers.length)
    }
  } finally {
    release()
    await transaction
  }
  return Promise.all(answers)
}

/** Waits until this many statements have waited for locks for longer than writes that give up after a brief wait and are then repeated. */
async function waitingForLocks(count: number): Promise<void> {
  const text = `select count(*)::int as waiting from pg_stat_activity
                 where datname = current_database() and wait_event_type = 'Lock' and clock_timestamp() - query_start > interval '200 ms'`
  const isWaiting = async () => ((await db.query(text)).rows[0] as { waiting: number }).waiting >= count
  await until(`wait of ${count} statements for locks`, isWaiting, 5)
}

describe('the role is dropped', () => {
  for (const [way, give] of Object.entries(WAYS)) {
    it(`after ${way} that began before, and so is refused`, async () => {
      const lock = 'select from organizations where api_key_id = $1 for no key update'
      const [given, dropped] = (await whileHeld(lock, give, drop)) as [Answer, Answer]
      assert.equal(given.http, 200, given.text)
      assert.equal(refused(dropped, 'FAILED_PRECONDITION').reason, 'access_role_in_use')
      assert.deepEqual(await state(), { commenters: 1, hasRole: true })
    })

    it(`before ${way} is written, which is refused`, async () => {
      const text = 'update api_keys set has_commenter = false where api_key_id = $1'
      const [given] = (await whileHeld(text, give)) as [Answer]
      const { message, reason } = refused(given, 'INVALID_ARGUMENT')
      assert.deepEqual([message, reason], ['accessRole must be one of "viewer", "editor"', 'invalid_argument'])
      assert.deepEqual(await state(), { commenters: 0, hasRole: false })
    })
  }

  it('before an invitation is accepted with the role, which is refused', async () => {
    await key.call(addInvitation, invitation)
    const { token: authToken } = await key.call(generateToken, { userId: 'grace' })
    const user = { userId: 'grace', accessRole: 'commenter' }
    const accepting = { ...invitation, status: 'ACCEPTED', authToken, user }
    const accept = () => key.post(respondToInvitation.path, accepting)
    const text = 'update api_keys set has_commenter = false where api_key_id = $1'
    const [accepted] = (await whileHeld(text, accept)) as [Answer]
    refused(accepted, 'INVALID_ARGUMENT')
    assert.deepEqual(await state(), { commenters: 0, hasRole: false })
  })

  it('before a sign-in makes a member with the default role, which is refused', async () => {
    await key.call(updateKeyConfig, { requireAutoOrgUser: true, defaultAccessRole: 'commenter' })
    const text = `update api_keys set has_commenter = false, default_access_role = 'viewer' where api_key_id = $1`
    const signIn = () => key.post(generateToken.path, { userId: 'bob', userProperties: { organizationId } })
    const [signedIn] = (await whileHeld(text, signIn)) as [Answer]
    refused(signedIn, 'INVALID_ARGUMENT')
    assert.deepEqual(await state(), { commenters: 0, hasRole: false })
  })

  it('by one of many concurrent calls, and either the role or its grants remain', async () => {
    for (let round = 0; round < 15; round++) {
      await key.call(updateKeyConfig, { accessRoles: ['viewer', 'commenter', 'editor'] })
      const calls = [WAYS['a grant'], drop, WAYS['many grants'], drop, WAYS['another role of a member']]
      const rotated = [...calls.slice(round % 5), ...calls.slice(0, round % 5)]
      await Promise.all(rotated.map((call) => call?.()))
      const { commenters, hasRole } = await state()
      assert.ok(hasRole || commenters === 0, `${commenters} commenters of a key without the role`)
      await key.call(removePermissions, {
        userId: 'ada',
        permissions: { resources: [ACME, { type: 'document', id: 'roadmap', organizationId }] },
      })
      await key.call(addUsers, { organizationId, users: [{ userId: 'ada', accessRole: 'viewer' }] })
    }
  })
})
