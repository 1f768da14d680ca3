/** Signing in the command line with a device code, and attacks on that (rules/operators.md#the-command-line). */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, it } from 'vitest'
import { createApiKey, deleteApiKey } from '#contract/keys/api-keys.ts'
import { getAuthTokens } from '#contract/keys/auth-tokens.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import type { OperatorRole } from '#contract/workspace/operator-roles.ts'
import { removeOperator, updateOperator } from '#contract/workspace/operators.ts'
import { getWorkspace } from '#contract/workspace/workspaces.ts'
import type { Client } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import { apiKeyOf, type Callers, callersFrom } from '../../../../test/conformance/support/callers.ts'
import {
  AGENT,
  asOwner,
  SESSION,
  signIn,
  signInAs,
  signInCommandLineAs,
  whose,
} from '../../../../test/conformance/support/console-session.ts'
import { eventsOfWorkspace } from '../../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../../test/conformance/support/refused.ts'
import { dumpEverything } from '../../../../test/conformance/support/tables.ts'

const server = await startServer()
const { client } = server
const SECONDS = 1_000
const MINUTES = 60 * SECONDS

let mine: Callers
let now: number
beforeEach(async () => {
  now = Date.now()
  server.clock.set(new Date(now))
  mine = await callersFrom(client)
})

/** Lets time pass. */
function pass(ms: number): void {
  now += ms
  server.clock.set(new Date(now))
}

const workspaceIdOf = (by: Client) => by.headers['x-service-workspace-id'] ?? ''

const ask = async (by: Client, name: string, data: object) => (await by.post(`/console/${name}`, data)).body.result.data
const start = (data: object = {}) =>
  ask(client.with({ 'user-agent': AGENT }), 'device/start', { machine: 'ada@laptop', ...data })
const poll = (deviceCode: string) => ask(client, 'device/poll', { deviceCode })
const approve = (by: Client, userCode: string) => ask(by, 'device/approve', { userCode })
const stateOf = async (deviceCode: string): Promise<string> => (await poll(deviceCode)).state

async function login(role: OperatorRole) {
  const { key, ...signedIn } = await signInCommandLineAs(mine.workspace, role)
  assert.match(signedIn.session, /^chs_\w{33}$/)
  return { ...signedIn, key: (apiKey = apiKeyOf(mine.apiKey)) => key(apiKey) }
}

describe('a command line', () => {
  it('gets the session of the operator who approves, once, and its events name that operator', async () => {
    const kim = await signInAs(mine.workspace, 'developer', 'Kim')
    const { deviceCode, userCode, verificationUrl, ...times } = await start()
    assert.match(userCode, /^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/)
    assert.equal(verificationUrl, `${server.url}/console/device`)
    assert.deepEqual(times, { expiresInSeconds: 600, intervalSeconds: 5 })
    assert.deepEqual(await poll(deviceCode), { state: 'authorization_pending', intervalSeconds: 5 })

    const typed = userCode.toLowerCase().replace('-', ' ')
    const request = { machine: 'ada@laptop', userAgent: AGENT, address: '127.0.0.1' }
    assert.deepEqual(await ask(kim, 'device/get', { userCode: typed }), {
      request: { ...request, isSameAddress: true },
    })
    const throughProxy = kim.with({ ...kim.headers, 'x-forwarded-for': '203.0.113.7' })
    assert.equal((await ask(throughProxy, 'device/get', { userCode })).request.isSameAddress, false)
    assert.deepEqual(await approve(kim, typed), { isAnswered: true })
    pass(5 * SECONDS)
    const { state, session, ...signedIn } = await poll(deviceCode)
    assert.equal(state, 'approved')
    assert.partialDeepStrictEqual(signedIn, { machine: 'ada@laptop', workspaceId: workspaceIdOf(mine.workspace) })
    assert.partialDeepStrictEqual(signedIn.operator, { id: kim.operatorId, name: 'Kim', role: 'developer' })
    assert.equal(signedIn.endsAt, now + 12 * 60 * MINUTES)
    pass(5 * SECONDS)
    assert.equal(await stateOf(deviceCode), 'expired_token')

    const apiKey = apiKeyOf(mine.apiKey)
    const key = client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': session })
    await key.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
    const operator = { id: kim.operatorId, name: 'Kim' }
    const events = await eventsOfWorkspace(server.db, workspaceIdOf(mine.workspace))
    assert.partialDeepStrictEqual(events.filter(({ actor }) => actor.operator?.id === kim.operatorId).slice(1), [
      { type: 'operator.signed_in', after: { method: 'device', machine: 'ada@laptop' }, actor: { operator } },
      { type: 'organization.added', actor: { operator, apiKey } },
    ])
  })

  it('has the present role of the operator, also after a demotion or removal', async () => {
    const { person, key, workspace, session } = await login('developer')
    assert.equal((await workspace.call(getWorkspace, {})).authToken, '')
    await mine.workspace.call(updateOperator, { operatorId: person.operatorId, role: 'support' })
    assert.deepEqual(await key().call(getOrganizations, {}), [])
    const answer = await key().post(addOrganizations.path, { organizations: [{ organizationId: 'acme' }] })
    assert.equal(refused(answer, 'PERMISSION_DENIED').reason, 'role_missing')
    await mine.workspace.call(removeOperator, { operatorId: person.operatorId })
    refused(await key().post(getOrganizations.path, {}), 'UNAUTHENTICATED')
    refused(await workspace.post(getWorkspace.path, {}), 'UNAUTHENTICATED')
    refused(
      await client.with({ 'x-service-auth-token': session }).post('/console/command-line/get', {}),
      'UNAUTHENTICATED',
    )
  })

  it('has no access to another workspace, nor to its API keys', async () => {
    const { session, key } = await login('owner')
    const theirs = await callersFrom(client)
    const elsewhere = { 'x-service-workspace-id': workspaceIdOf(theirs.workspace), 'x-service-auth-token': session }
    refused(await client.with(elsewhere).post(getWorkspace.path, {}), 'UNAUTHENTICATED')
    refused(await key(apiKeyOf(theirs.apiKey)).post(getOrganizations.path, {}), 'UNAUTHENTICATED')
  })

  it('shows secrets and deletes keys for ten minutes after the approval, and then says to sign in again', async () => {
    const { workspace } = await login('owner')
    const { apiKey } = await workspace.call(createApiKey, { ...createApiKey.example, apiKeyName: 'Old' })
    await workspace.call(getAuthTokens, { apiKey })
    pass(11 * MINUTES)
    for (const [operation, data] of [
      [getAuthTokens, { apiKey }],
      [deleteApiKey, { apiKey, apiKeyName: 'Old' }],
    ] as const)
      assert.equal(refused(await workspace.post(operation.path, data), 'PERMISSION_DENIED').reason, 'sign_in_again')
  })

  it('is in the list of sessions, ends from there, and by itself when it is not used', async () => {
    const { person, session, key } = await login('admin')
    const signedIn = client.with({ 'x-service-auth-token': session })
    const { sessions } = await ask(person, 'sessions/list', {})
    const own = sessions.find(({ machine }: { machine?: string }) => machine === 'ada@laptop')
    assert.equal(own.userAgent, AGENT)
    await ask(person, 'sessions/end', { sessionId: own.id })
    refused(await key().post(getOrganizations.path, {}), 'UNAUTHENTICATED')
    refused(await signedIn.post('/console/command-line/get', {}), 'UNAUTHENTICATED')
    const another = await login('admin')
    pass(12 * 60 * MINUTES)
    refused(await another.key().post(getOrganizations.path, {}), 'UNAUTHENTICATED')
  })

  it('signs out', async () => {
    const { session, workspace } = await login('support')
    const signedIn = client.with({ 'x-service-auth-token': session })
    assert.equal((await ask(signedIn, 'command-line/get', {})).operator.role, 'support')
    assert.equal((await signedIn.post('/console/command-line/end', {})).http, 200)
    refused(await workspace.post(getWorkspace.path, {}), 'UNAUTHENTICATED')
  })

  it('is signed in no longer than the session that approved', async () => {
    const kim = await signInAs(mine.workspace, 'owner')
    for (let days = 0; days < 13; days++) {
      pass(11 * 60 * MINUTES)
      assert.notEqual(await whose(kim), undefined)
    }
    const { deviceCode, userCode } = await start()
    await ask(kim, 'session/confirm', { token: asOwner(mine).token })
    await approve(kim, userCode)
    const { expiresAt } = await poll(deviceCode)
    assert.equal(expiresAt, now + (7 * 24 - 13 * 11) * 60 * MINUTES)
  })
})

describe('the session of a command line', () => {
  it('is accepted from no cookie and no page, and a browser session is not accepted as a token', async () => {
    const { session, person, workspace, key } = await login('owner')
    const cookie = client.with({ ...SESSION, cookie: `commonhold-console=${session}` })
    assert.equal(await whose(cookie), undefined)
    refused(await cookie.post(getWorkspace.path, {}), 'UNAUTHENTICATED')
    for (const origin of ['https://evil.example.com', server.url]) {
      refused(await workspace.with({ ...workspace.headers, origin }).post(getWorkspace.path, {}), 'UNAUTHENTICATED')
      refused(
        await key()
          .with({ ...key().headers, origin })
          .post(getOrganizations.path, {}),
        'UNAUTHENTICATED',
      )
    }
    const [, secret = ''] = person.headers.cookie?.split('=') ?? []
    refused(
      await workspace.with({ ...workspace.headers, 'x-service-auth-token': secret }).post(getWorkspace.path, {}),
      'UNAUTHENTICATED',
    )
    const forged = client.with({ 'x-service-auth-token': session.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')) })
    refused(await forged.post('/console/command-line/get', {}), 'UNAUTHENTICATED')
  })

  it('cannot approve another command line', async () => {
    const { session } = await login('owner')
    const { userCode } = await start()
    for (const headers of [{ 'x-service-auth-token': session }, { ...SESSION, 'x-service-auth-token': session }])
      assert.notEqual((await client.with(headers).post('/console/device/approve', { userCode })).http, 200)
  })

  it('is stored only as a hash, as is the device code', async () => {
    const { session } = await login('owner')
    const { deviceCode } = await start()
    const stored = JSON.stringify(await dumpEverything(server.db))
    for (const secret of [session, deviceCode]) assert.ok(!stored.includes(secret))
  })
})

describe('a device code', () => {
  it('is refused when it is guessed, expired or used, always alike', async () => {
    const { deviceCode: expired } = await start()
    pass(10 * MINUTES)
    for (const code of ['x', 'x'.repeat(43), expired]) assert.deepEqual(await poll(code), { state: 'expired_token' })
  })

  it('gives one of many polls at the same time the session', async () => {
    const { deviceCode, userCode } = await start()
    await approve(await signInAs(mine.workspace, 'support'), userCode)
    const states = await Promise.all(Array.from({ length: 8 }, () => stateOf(deviceCode)))
    assert.deepEqual(
      [...new Set(states)].sort(),
      ['approved', 'slow_down'].concat(states.includes('expired_token') ? ['expired_token'] : []).sort(),
    )
    assert.equal(states.filter((state) => state === 'approved').length, 1)
  })

  it('counts one of many concurrent polls as in time', async () => {
    const { deviceCode } = await start()
    const polls: Promise<string>[] = []
    await server.db.transaction(async (session) => {
      await session.query('select from device_authorizations for update')
      for (let count = 0; count < 4; count++) polls.push(stateOf(deviceCode))
      await sleep(100) // all of them wait for the row
    })
    const states = await Promise.all(polls)
    assert.deepEqual(states.sort(), ['authorization_pending', 'slow_down', 'slow_down', 'slow_down'])
  })

  it('that is polled too often has to wait longer each time', async () => {
    const { deviceCode } = await start()
    await poll(deviceCode)
    pass(4 * SECONDS)
    assert.deepEqual(await poll(deviceCode), { state: 'slow_down', intervalSeconds: 10 })
    pass(9 * SECONDS)
    assert.deepEqual(await poll(deviceCode), { state: 'slow_down', intervalSeconds: 15 })
    pass(15 * SECONDS)
    assert.deepEqual(await poll(deviceCode), { state: 'authorization_pending', intervalSeconds: 15 })
    pass(-60 * MINUTES)
    assert.deepEqual(await poll(deviceCode), { state: 'authorization_pending', intervalSeconds: 15 })
  })

  it('gets nothing when it is denied, or its approver is removed before the poll', async () => {
    const lee = await signInAs(mine.workspace, 'owner', 'Lee')
    const denied = await start()
    assert.deepEqual(await ask(lee, 'device/deny', { userCode: denied.userCode }), { isAnswered: true })
    assert.deepEqual(await approve(lee, denied.userCode), { isAnswered: false })
    assert.deepEqual(await poll(denied.deviceCode), { state: 'access_denied' })

    const kim = await signInAs(mine.workspace, 'admin', 'Kim')
    const { deviceCode, userCode } = await start()
    await approve(kim, userCode)
    await mine.workspace.call(removeOperator, { operatorId: kim.operatorId })
    assert.equal(await stateOf(deviceCode), 'expired_token')
  })

  it('that was approved gets nothing once a session of its approver is ended in the list', async () => {
    const kim = await signInAs(mine.workspace, 'owner', 'Kim')
    const lee = await signInAs(mine.workspace, 'owner', 'Lee')
    const [ofKim, ofLee] = [await start(), await start()]
    await approve(kim, ofKim.userCode)
    await approve(lee, ofLee.userCode)
    const { sessions } = await ask(kim, 'sessions/list', {})
    const own = sessions.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent)
    await ask(lee, 'sessions/end', { sessionId: own.id })
    assert.equal(await stateOf(ofKim.deviceCode), 'expired_token')
    assert.equal(await stateOf(ofLee.deviceCode), 'approved')
  })

  it('for a workspace can be answered by no operator of another, who learns nothing about it', async () => {
    const workspaceId = workspaceIdOf(mine.workspace)
    const { userCode, deviceCode } = await start({ workspaceId })
    const stranger = await signInAs((await callersFrom(client)).workspace, 'owner')
    assert.deepEqual(await ask(stranger, 'device/get', { userCode }), {})
    for (const verb of ['approve', 'deny'])
      assert.deepEqual(await ask(stranger, `device/${verb}`, { userCode }), { isAnswered: false })
    await approve(await signInAs(mine.workspace, 'support'), userCode)
    assert.equal((await poll(deviceCode)).workspaceId, workspaceId)
  })
})

describe('answering', () => {
  it('does not claim that the address is the same if a proxy gives all callers its own', async () => {
    const kim = await signInAs(mine.workspace, 'owner')
    const { userCode } = await start()
    for (const [origin, isSame] of [
      ['https://hold.example.com', false],
      ['http://localhost.example.com', false],
      ['http://localhost:8080', true],
      ['http://127.0.0.1:8080', true],
      ['null', false],
    ] as const) {
      const { request } = await ask(kim.with({ ...kim.headers, origin }), 'device/get', { userCode })
      assert.deepEqual([request.address, request.isSameAddress], ['127.0.0.1', isSame], origin)
    }
  })

  it('needs the cookie of a person, the header that other sites cannot send, and a sign-in within ten minutes', async () => {
    const kim = await signInAs(mine.workspace, 'owner')
    const { userCode, deviceCode } = await start()
    const { cookie = '' } = kim.headers
    refusedField(await client.with({ cookie }).post('/console/device/approve', { userCode }), 'x-service-session')
    refused(await client.with(SESSION).post('/console/device/approve', { userCode }), 'UNAUTHENTICATED')
    const byToken = await signIn(client, asOwner(mine))
    refused(await byToken.post('/console/device/approve', { userCode }), 'UNAUTHENTICATED')
    pass(9 * MINUTES + 59 * SECONDS)
    assert.equal(await stateOf(deviceCode), 'authorization_pending')
    const later = await start()
    pass(2 * SECONDS)
    const answer = await kim.post('/console/device/approve', { userCode: later.userCode })
    assert.equal(refused(answer, 'PERMISSION_DENIED').reason, 'sign_in_again')
  })

  it('counts once: of an approval and a denial at the same time, one is done', async () => {
    const kim = await signInAs(mine.workspace, 'owner')
    const { userCode } = await start()
    const answers = await Promise.all(
      ['approve', 'deny', 'approve'].map((verb) => ask(kim, `device/${verb}`, { userCode })),
    )
    assert.equal(answers.filter(({ isAnswered }) => isAnswered).length, 1)
  })

  it('is limited for each address, so that codes cannot be guessed', async () => {
    const limited = await startServer({ RATE_LIMIT_PUBLIC: '5' })
    const callers = await callersFrom(limited.client)
    const kim = await signInAs(callers.workspace, 'owner')
    const guess = (verb: string) => kim.post(`/console/device/${verb}`, { userCode: 'BCDF-GHJK' })
    for (const verb of ['get', 'approve', 'deny']) assert.equal((await guess(verb)).http, 200)
    for (const verb of ['get', 'approve', 'deny']) refused(await guess(verb), 'RESOURCE_EXHAUSTED')
    for (const [name, data] of [
      ['start', { machine: 'x' }],
      ['poll', { deviceCode: 'x' }],
    ] as const)
      refused(await limited.client.post(`/console/device/${name}`, data), 'RESOURCE_EXHAUSTED')
  })
})
