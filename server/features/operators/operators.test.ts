/** Listing, inviting, updating and removing the operators of a workspace (rules/operators.md#operators). */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, it } from 'vitest'
import { LIMITS } from '#contract/core/limits.ts'
import { listAccountEvents } from '#contract/events/events.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { createAuthToken, getAuthTokens } from '#contract/keys/auth-tokens.ts'
import {
  getOperators,
  inviteOperator,
  type Operator,
  removeOperator,
  updateOperator,
} from '#contract/workspace/operators.ts'
import { getWorkspaceTokens, resetWorkspaceToken } from '#contract/workspace/workspace-tokens.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import type { Client } from '#testing/client.ts'
import { assertRecent } from '#testing/recent.ts'
import { ENGINE, startServer } from '#testing/server.ts'
import {
  secretOfLink,
  signIn,
  signInAs,
  startSession,
  whose,
} from '../../../test/conformance/support/console-session.ts'
import { eventsOfWorkspace } from '../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await startServer()
/** With the single connection of the embedded engine, no call reaches the lock while it is held. */
const needsConnections = { skip: ENGINE === 'embedded' }

let workspaceId: string
let token: Client
let signups = 0
beforeEach(async () => {
  token = await newWorkspace()
  workspaceId = token.headers['x-service-workspace-id'] ?? ''
})

async function newWorkspace(): Promise<Client> {
  const ownerEmail = `owner${++signups}@example.com`
  const { id, authToken } = await server.client.call(createWorkspace, { ownerEmail, name: 'Ada' })
  return server.client.with({ 'x-service-workspace-id': id, 'x-service-auth-token': authToken })
}

const list = async (client = token): Promise<Operator[]> => (await client.call(getOperators, {})).operators
const owner = async (): Promise<Operator> => (await list()).find(({ role }) => role === 'owner') ?? assert.fail()
const kim = { email: 'Kim@example.com', name: 'Kim', role: 'developer' } as const
const events = async () =>
  (await eventsOfWorkspace(server.db, workspaceId)).filter(({ type }) => /^operator/.test(type))

describe('a new workspace', () => {
  it('has its owner as the only operator', async () => {
    const [{ id, createdAt, ...ada } = assert.fail(), ...others] = await list()
    assert.deepEqual(
      [ada, others],
      [{ email: `owner${signups}@example.com`, name: 'Ada', role: 'owner', weeklyFindings: false }, []],
    )
    assert.match(id, /^[0-9a-f-]{36}$/)
    assertRecent(createdAt)
  })
})

describe('operators.invite', () => {
  it('adds an operator and returns a link of 256 random bits, valid for seven days', async () => {
    const { operator, link = '', isMailed } = await token.call(inviteOperator, kim)
    assert.equal(isMailed, false) // the server has no mail server
    const { id: _, createdAt: __, linkExpiresAt = 0, ...rest } = operator
    assert.deepEqual(rest, { ...kim, invitedBy: 'workspace', weeklyFindings: false })
    assertRecent((linkExpiresAt - 7 * 86_400) * 1_000)
    assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/console\/#link=[\w-]{43}$/)
    assert.deepEqual((await list()).at(-1), operator)
  })

  it('replaces name, role and link of an operator who has not signed in yet, whatever the case of the address', async () => {
    const first = await token.call(inviteOperator, kim)
    const again = await token.call(inviteOperator, { email: 'kim@EXAMPLE.com', role: 'support' })
    assert.deepEqual([again.operator.id, again.operator.name], [first.operator.id, 'Kim'])
    assert.equal(again.operator.role, 'support')
    refused(await startSession(server.client, { link: secretOfLink(first.link ?? '') }), 'UNAUTHENTICATED')
    assert.equal((await startSession(server.client, { link: secretOfLink(again.link ?? '') })).http, 200)
  })

  it('is refused with operator_exists for an operator who has signed in', async () => {
    const { link = '' } = await token.call(inviteOperator, kim)
    await signIn(server.client, { link: secretOfLink(link) })
    assert.equal(refused(await token.post(inviteOperator.path, kim), 'ALREADY_EXISTS').reason, 'operator_exists')
  })

  it('invites an address once in two concurrent calls', async () => {
    await Promise.all([token.call(inviteOperator, kim), token.call(inviteOperator, kim)])
    assert.equal((await list()).length, 2)
  })

  it('keeps the role of the last owner: last_owner', async () => {
    const { email } = await owner()
    const answer = await token.post(inviteOperator.path, { email, role: 'admin' })
    assert.equal(refused(answer, 'FAILED_PRECONDITION').reason, 'last_owner')
    assert.equal((await owner()).email, email)
  })

  it('refuses an invalid address or role', async () => {
    refusedField(await token.post(inviteOperator.path, { ...kim, email: 'kim' }), 'email')
    refusedField(await token.post(inviteOperator.path, { ...kim, role: 'root' }), 'role')
  })

  it('is refused with too_many_operators above the limit', async () => {
    await server.db.query(
      `insert into operators (workspace_id, email, name, role)
       select $1, g || '@example.com', 'copy', 'support' from generate_series(2, ${LIMITS.operatorsPerWorkspaceMax}) g`,
      [workspaceId],
    )
    assert.equal(refused(await token.post(inviteOperator.path, kim), 'RESOURCE_EXHAUSTED').reason, 'too_many_operators')
  })

  it('is refused when the token of the caller was revoked while the call waited', needsConnections, async () => {
    const [reset, invited] = await whileLocked(async () => {
      const reset = token.post(resetWorkspaceToken.path, {})
      await sleep(QUEUED_MS)
      const invited = token.post(inviteOperator.path, { ...kim, role: 'owner' })
      await sleep(QUEUED_MS)
      return [reset, invited]
    })
    assert.equal(reset?.http, 200)
    refused(invited ?? assert.fail(), 'UNAUTHENTICATED')
    const { rows } = await server.db.query('select from operators where workspace_id = $1', [workspaceId])
    assert.equal(rows.length, 1)
  })
})

describe('operators.update', () => {
  it('changes name and role, and reports both', async () => {
    const { operator } = await token.call(inviteOperator, kim)
    const changed = await token.call(updateOperator, { operatorId: operator.id, name: 'Kim B.', role: 'admin' })
    assert.deepEqual([changed.name, changed.role], ['Kim B.', 'admin'])
    const about = { operatorId: operator.id, email: kim.email }
    const { before, after } = (await events()).at(-1) ?? assert.fail()
    assert.deepEqual(
      [before, after],
      [
        { ...about, name: 'Kim', role: 'developer' },
        { ...about, name: 'Kim B.', role: 'admin' },
      ],
    )
  })

  it('takes effect in the next call of an open session', async () => {
    const session = await signInAs(token, 'admin')
    assert.equal((await session.post(getOperators.path, {})).http, 200)
    await token.call(updateOperator, { operatorId: session.operatorId, role: 'support' })
    const invited = await session.post(inviteOperator.path, kim)
    assert.equal(refused(invited, 'PERMISSION_DENIED').reason, 'role_missing')
    assert.equal((await whose(session)).operator.role, 'support')
  })

  it('keeps the role of the last owner, also when two owners are demoted at the same time: last_owner', async () => {
    const { id } = await owner()
    const demote = (operatorId: string) => token.post(updateOperator.path, { operatorId, role: 'admin' })
    assert.equal(refused(await demote(id), 'FAILED_PRECONDITION').reason, 'last_owner')
    const { operator } = await token.call(inviteOperator, { ...kim, role: 'owner' })
    const answers = await Promise.all([demote(id), demote(operator.id)])
    assert.deepEqual(answers.map(({ http }) => http).sort(), [200, 400])
    assert.equal((await list()).filter(({ role }) => role === 'owner').length, 1)
  })
})

describe('operators.remove', () => {
  it('ends the sessions and the links of the operator at once, and keeps their name in events', async () => {
    const session = await signInAs(token, 'admin', 'Kim')
    const { operator, link = '' } = await session.call(inviteOperator, { ...kim, name: 'Lee' })
    await token.call(removeOperator, { operatorId: session.operatorId })
    await token.call(removeOperator, { operatorId: operator.id })
    refused(await session.post(getWorkspaceTokens.path, {}), 'UNAUTHENTICATED')
    assert.equal(await whose(session), undefined)
    refused(await startSession(server.client, { link: secretOfLink(link) }), 'UNAUTHENTICATED')
    const { events: caused } = await token.call(listAccountEvents, { actor: { operatorId: session.operatorId } })
    assert.deepEqual(
      caused.map(({ type, actor }) => [type, actor.operator?.name]),
      [
        ['operator.invited', 'Kim'],
        ['operator.signed_in', 'Kim'],
      ],
    )
    assert.deepEqual(
      (await list()).map(({ role }) => role),
      ['owner'],
    )
  })

  it('refuses to remove the last owner: last_owner', async () => {
    const { id } = await owner()
    const answer = await token.post(removeOperator.path, { operatorId: id })
    assert.equal(refused(answer, 'FAILED_PRECONDITION').reason, 'last_owner')
  })

  it('refuses an operator of another workspace like an unknown one, and changes nothing', async () => {
    const other = await newWorkspace()
    const { operator } = await other.call(inviteOperator, kim)
    for (const operatorId of [operator.id, crypto.randomUUID(), 'unknown'])
      for (const { path } of [removeOperator, updateOperator])
        assert.equal(refused(await token.post(path, { operatorId }), 'NOT_FOUND').reason, 'operator_does_not_exist')
    assert.deepEqual((await list(other)).at(-1), operator)
  })
})

describe('an admin', () => {
  it('cannot invite, change or remove owners, or become one', async () => {
    const admin = await signInAs(token, 'admin')
    const { id, email } = await owner()
    const calls: [path: string, data: object][] = [
      [inviteOperator.path, { ...kim, role: 'owner' }],
      [inviteOperator.path, { email, role: 'admin' }],
      [updateOperator.path, { operatorId: id, name: 'Eve' }],
      [updateOperator.path, { operatorId: admin.operatorId, role: 'owner' }],
      [removeOperator.path, { operatorId: id }],
    ]
    const before = await list()
    for (const [path, data] of calls)
      assert.equal(refused(await admin.post(path, data), 'PERMISSION_DENIED').reason, 'role_missing', path)
    assert.deepEqual((await list()).map(withoutTimes), before.map(withoutTimes))
  })

  it('is refused when demoted while the call waited', needsConnections, async () => {
    const admin = await signInAs(token, 'admin')
    const [demoted, invited] = await whileLocked(async () => {
      const demoted = token.post(updateOperator.path, { operatorId: admin.operatorId, role: 'developer' })
      await sleep(QUEUED_MS)
      const invited = admin.post(inviteOperator.path, kim)
      await sleep(QUEUED_MS)
      return [demoted, invited]
    })
    assert.equal(demoted?.http, 200)
    assert.equal(refused(invited ?? assert.fail(), 'PERMISSION_DENIED').reason, 'role_missing')
    assert.equal((await list()).length, 2)
  })

  it('adds no secret of a production key when demoted while the call waited', needsConnections, async () => {
    const production = { ownerEmail: 'owner@example.com', type: 'production', customPlanInfo: true } as const
    const { apiKey } = await token.call(createApiKey, production)
    const admin = await signInAs(token, 'admin')
    const calls: [path: string, data: object][] = [
      [createAuthToken.path, { apiKey, name: 'late' }],
      [createApiKey.path, { ...production, createAuthToken: true }],
    ]
    const [demoted, ...late] = await whileLocked(async () => {
      const demoted = token.post(updateOperator.path, { operatorId: admin.operatorId, role: 'developer' })
      await sleep(QUEUED_MS)
      const late = calls.map(([path, data]) => admin.post(path, data))
      await sleep(QUEUED_MS)
      return [demoted, ...late]
    })
    assert.equal(demoted?.http, 200)
    for (const answer of late) assert.equal(refused(answer, 'PERMISSION_DENIED').reason, 'role_missing')
    assert.deepEqual((await token.call(getAuthTokens, { apiKey })).authTokens, [])
  })
})

/** After this time a call waits for the lock of the workspace. */
const QUEUED_MS = 100

const withoutTimes = ({ lastSeenAt: _, ...rest }: Operator) => rest

/** Starts calls while the row of the workspace is locked, and returns their answers. */
async function whileLocked<Call>(start: () => Promise<Promise<Call>[]>): Promise<Call[]> {
  const calls = await server.db.transaction(async (session) => {
    await session.query('select from workspaces where workspace_id = $1 for update', [workspaceId])
    return { started: await start() }
  })
  return Promise.all(calls.started)
}
