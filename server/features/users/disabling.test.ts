/**
 * Disabling users (rules/access.md#disabled-users). test/matrix compares the decisions with the interpreter,
 * test/concurrency that none is stale.
 */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { listPermittedResources, listPermittedUsers } from '#contract/access/access-lists.ts'
import { AUTHZEN_PATHS } from '#contract/access/authzen.ts'
import { checkPermissions, type Decision, getPermissions } from '#contract/access/decisions.ts'
import { explainPermissions } from '#contract/access/explanations.ts'
import { addPermissions, type ResourceName } from '#contract/access/permissions.ts'
import { simulatePermissions } from '#contract/access/simulations.ts'
import { disableDocuments } from '#contract/resources/documents.ts'
import { disableUsers, listDisabledUsers } from '#contract/users/disabled-users.ts'
import { listProfiles } from '#contract/users/profiles.ts'
import { getUserData } from '#contract/users/user-data.ts'
import { generateToken, verifyToken } from '#contract/users/user-tokens.ts'
import { getUsers } from '#contract/users/users.ts'
import { type Acme, newAcme } from '#testing/acme.ts'
import { createClient } from '#testing/client.ts'
import { completeErasure } from '#testing/jobs.ts'
import { startServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { eventsDuring } from '../../../test/conformance/support/events.ts'
import { refused } from '../../../test/conformance/support/refused.ts'

const server = await startServer()
const organizationId = 'acme'
const organization: ResourceName = { type: 'organization', id: organizationId }
const document: ResourceName = { type: 'document', id: 'd', organizationId }

let acme: Acme
beforeEach(async () => {
  acme = await newAcme(server)
  await acme.addDocuments('root', { documentId: 'd' })
  await acme.key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources: [organization] } })
})
afterEach(() => server.clock.set(null))

const set = (disabled: boolean, ...userIds: string[]) => acme.key.call(disableUsers, { userIds, disabled })
const check = async (userId = 'ada', resource = document) =>
  (await acme.key.call(checkPermissions, { checks: [{ userId, resource }] })).checks[0] as Decision
const reasonOf = async (userId = 'ada', resource = document) => (await check(userId, resource)).reason
const DENIED = { allowed: false, accessType: 'public', reason: 'user_disabled' }

describe('a disabled user', () => {
  beforeEach(() => set(true, 'ada'))

  it('is denied everything, and has the same access as before when enabled again', async () => {
    assert.deepEqual(await check(), DENIED)
    assert.deepEqual(await check('ada', organization), { allowed: false, reason: 'user_disabled' })
    assert.equal(await reasonOf('ada', { ...document, id: 'nope' }), 'does_not_exist')
    assert.equal(await reasonOf('bob'), 'access_type')
    await set(false, 'ada')
    assert.deepEqual([await reasonOf(), await reasonOf('ada', organization)], ['grant', 'grant'])
  })

  it('is denied in permissions.get and by AuthZEN, with the reason', async () => {
    const table = await acme.key.call(getPermissions, { organizationId, userIds: ['ada'], documentIds: ['d'] })
    const shown = { reason: 'user_disabled', error: 'The user is disabled.', errorCode: 'permission_denied' }
    assert.deepEqual(table.ada, {
      organization: { acme: shown },
      documents: { d: { accessType: 'public', ...shown } },
    })
    const { body } = await acme.key.raw(
      AUTHZEN_PATHS.evaluation,
      JSON.stringify({
        subject: { type: 'user', id: 'ada' },
        action: { name: 'view' },
        resource: { type: 'document', id: 'd', properties: { organizationId } },
      }),
    )
    assert.deepEqual(body, { decision: false, context: DENIED })
  })

  it('is explained by rule 2, and enabling the user is the alternative', async () => {
    const explain = () => acme.key.call(explainPermissions, { userId: 'ada', resource: document })
    const { decision, rule, userDisabled, alternatives } = await explain()
    assert.deepEqual([decision, rule.number, userDisabled], [DENIED, 2, true])
    assert.equal(rule.sentence, 'User "ada" has no access to anything: the user is disabled.')
    const enable = { operation: 'users.disable', data: { userIds: ['ada'], disabled: false } }
    assert.deepEqual(alternatives, [{ sentence: 'Enable user "ada".', calls: [enable] }])
    await acme.call(disableDocuments, { documentIds: ['d'], disabled: true })
    const both = await explain()
    assert.equal(both.decision.reason, 'disabled')
    assert.equal(both.alternatives[0]?.sentence, 'Enable document "d" and enable user "ada".')
  })

  it('has an empty list of resources with the reason, and is in no list of users', async () => {
    assert.deepEqual(await acme.key.call(listPermittedResources, { organizationId, userId: 'ada' }), {
      resources: [],
      userDisabled: true,
    })
    assert.deepEqual(await acme.key.call(listPermittedUsers, { resource: organization }), {
      users: [],
      everyone: false,
    })
  })

  it('gains nothing in a simulation', async () => {
    const add = ['ada', 'bob'].map((userId) => ({ userId, resource: document, accessRole: 'viewer' as const }))
    const { changes } = await acme.key.call(simulatePermissions, { organizationId, add })
    assert.deepEqual(
      changes.map(({ userId }) => userId),
      ['bob'],
    )
  })

  it('cannot sign in, and nothing is stored', async () => {
    const { reason } = refused(
      await acme.key.post(generateToken.path, { userId: 'ada', userProperties: { name: 'Ada' } }),
      'PERMISSION_DENIED',
    )
    assert.equal(reason, 'user_disabled')
    assert.deepEqual((await acme.key.call(listProfiles, {})).profiles, [])
  })

  it('is marked in users.get, which can filter by it, and in users/data/get', async () => {
    await acme.key.call(addPermissions, { user: { userId: 'bob' }, permissions: { resources: [organization] } })
    const users = (more?: object) => acme.key.call(getUsers, { organizationId, ...more })
    const ada = { userId: 'ada', disabled: true, accessRole: 'editor' }
    const bob = { userId: 'bob', accessRole: 'editor' }
    assert.deepEqual(await users(), [ada, bob])
    assert.deepEqual(await users({ disabled: true }), [ada])
    assert.deepEqual(await users({ disabled: false }), [bob])
    assert.deepEqual(await users({ disabled: false, userIds: ['ada'] }), [])
    const dataOf = async (userId: string) => (await acme.key.call(getUserData, { organizationId, userId })).disabled
    assert.deepEqual([await dataOf('ada'), await dataOf('bob')], [true, false])
  })

  it('can be granted access, which counts when the user is enabled', async () => {
    await acme.key.call(addPermissions, {
      user: { userId: 'ada' },
      permissions: { resources: [{ ...document, accessRole: 'viewer' }] },
    })
    assert.equal(await reasonOf(), 'user_disabled')
    await set(false, 'ada')
    assert.equal((await check()).accessRole, 'viewer')
  })

  it('is disabled in all organizations of this API key, and in no other key', async () => {
    const elsewhere = { ...organization, id: 'elsewhere' }
    await acme.key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources: [elsewhere] } })
    assert.equal(await reasonOf('ada', elsewhere), 'user_disabled')
    const other = await newAcme(server)
    await other.grant('organization', organizationId, 'ada')
    await other.key.call(disableUsers, { userIds: ['bob'], disabled: true })
    const { checks } = await other.key.call(checkPermissions, { checks: [{ userId: 'ada', resource: organization }] })
    assert.equal(checks[0]?.reason, 'grant')
  })

  it('stays disabled until erased', async () => {
    const erase = (data: object = {}) => completeErasure(acme.key, { userIds: ['ada'], ...data })
    await erase({ organizationIds: [organizationId] })
    assert.equal(await reasonOf(), 'user_disabled')
    const during = await eventsDuring(server.db, apiKeyOf(acme.key), () => erase())
    assert.deepEqual(
      during.map(({ type, before }) => [type, before]),
      [['user.removed', { disabled: true }]],
    )
    assert.equal(await reasonOf(), 'access_type')
    assert.deepEqual(await acme.key.call(listDisabledUsers, {}), { users: [] })
  })
})

describe('the user tokens of a disabled user', () => {
  const use = (token: string) =>
    createClient(server.url, { authorization: `Bearer ${token}` }).post(checkPermissions.path, {
      checks: [{ resource: document }],
    })
  const signIn = async () => (await acme.key.call(generateToken, { userId: 'ada' })).token
  const verify = (token: string) => acme.key.call(verifyToken, { token })

  it('are refused with the reason, and stay invalid when the user is enabled', async () => {
    server.clock.set(new Date(1_800_000_000_000))
    const token = await signIn()
    assert.equal((await use(token)).http, 200)
    await set(true, 'ada')
    assert.equal(refused(await use(token), 'PERMISSION_DENIED').reason, 'user_disabled')
    assert.deepEqual(await verify(token), { active: false, reason: 'user_disabled' })
    await set(false, 'ada')
    refused(await use(token), 'UNAUTHENTICATED')
    assert.deepEqual(await verify(token), { active: false, reason: 'revoked' })
    assert.equal((await use(await signIn())).http, 200)
  })

  it('stay valid when a user who is not disabled is enabled', async () => {
    const token = await signIn()
    await set(true, 'bob')
    await set(false, 'ada', 'bob')
    assert.equal((await use(token)).http, 200)
  })
})

describe('users.disable', () => {
  it('writes an event with its actor for each user whose state changes', async () => {
    const change = async (disabled: boolean, ...userIds: string[]) =>
      (await eventsDuring(server.db, apiKeyOf(acme.key), () => set(disabled, ...userIds))).map((event) => [
        event.type,
        event.userId,
        event.before.disabled,
        event.after.disabled,
        event.actor.apiKey,
      ])
    const actor = apiKeyOf(acme.key)
    assert.deepEqual(await change(true, 'ada', 'ada'), [['user.disabled', 'ada', false, true, actor]])
    assert.deepEqual(await change(true, 'ada', 'bob'), [['user.disabled', 'bob', false, true, actor]])
    assert.deepEqual(await change(false, 'eve', 'ada'), [['user.enabled', 'ada', true, false, actor]])
    assert.deepEqual(await change(false, 'ada'), [])
  })

  it('lets decisions search for disabled users only while there is one', async () => {
    const marked = async () => {
      const { rows } = await server.db.query(
        'select has_disabled_users as marked from api_keys where api_key_id = $1',
        [apiKeyOf(acme.key)],
      )
      return (rows as { marked: boolean }[])[0]?.marked
    }
    assert.equal(await marked(), false)
    await set(true, 'ada', 'bob')
    await set(false, 'ada')
    assert.equal(await marked(), true)
    await set(false, 'bob')
    assert.equal(await marked(), false)
  })

  it('survives concurrent calls about other users', async () => {
    await Promise.all([set(true, 'ada'), set(false, 'bob'), set(true, 'eve'), set(false, 'eve')])
    assert.equal(await reasonOf(), 'user_disabled')
  })
})

describe('disabled-users.list', () => {
  it('lists disabled users in the order of their ids, page by page', async () => {
    server.clock.set(new Date(1_800_000_000_000))
    await set(true, 'bob', 'ada', 'Bob')
    const disabledAt = 1_800_000_000_000
    const first = await acme.key.post(listDisabledUsers.path, { pageSize: 2 })
    assert.deepEqual(first.body.result.data, {
      users: [
        { userId: 'Bob', disabledAt },
        { userId: 'ada', disabledAt },
      ],
    })
    const pageToken = first.body.result.nextPageToken
    assert.deepEqual(await acme.key.call(listDisabledUsers, { pageSize: 2, pageToken }), {
      users: [{ userId: 'bob', disabledAt }],
    })
  })

  it('lists those of the named users who are disabled, page by page', async () => {
    await set(true, 'bob', 'ada', 'eve')
    const named = async (pageSize?: number, pageToken?: string) => {
      const data = { userIds: ['zoe', 'bob', 'ada'], ...(pageSize && { pageSize }), ...(pageToken && { pageToken }) }
      const { result } = (await acme.key.post(listDisabledUsers.path, data)).body
      return { ids: result.data.users.map(({ userId }: { userId: string }) => userId), next: result.nextPageToken }
    }
    assert.deepEqual(await named(), { ids: ['ada', 'bob'], next: undefined })
    const { ids, next } = await named(1)
    assert.deepEqual([ids, (await named(1, next)).ids], [['ada'], ['bob']])
  })
})
