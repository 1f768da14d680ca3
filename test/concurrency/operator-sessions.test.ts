/**
 * Calls that end what an operator has, while a call of that operator adds more: one of the two is first, and nothing is
 * left (rules/operators.md#sessions, rules/operators.md#links).
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { inviteOperator } from '#contract/workspace/operators.ts'
import { tokenHash } from '#platform/secrets/tokens.ts'
import type { Answer, Client } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import { patient } from '#testing/run/mode.ts'
import { startServer } from '#testing/server.ts'
import { type Authenticator, createAuthenticator } from '#testing/stand-ins/authenticator.ts'
import { callersFrom } from '../conformance/support/callers.ts'
import { secretOfLink, signIn, signInAs, startSession, whose } from '../conformance/support/console-session.ts'

const RP = { origin: 'https://hold.example.com', rpId: 'hold.example.com' }
const server = await startServer({ PUBLIC_URL: RP.origin })
const { client, home: db } = server

const ask = async (by: Client, name: string, data: object = {}) =>
  (await by.post(`/console/${name}`, data)).body.result.data

async function countWaiting(): Promise<number> {
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  return (await db.query(waiting)).rows.length
}

/** Makes two calls while the rows of `lock` are locked: the second once the first waits, and lets them go when it has ended or has to wait. */
async function bothWhileLocked(lock: string, id: string, first: () => Promise<Answer>, second: () => Promise<Answer>) {
  const calls = await db.transaction(async (session) => {
    await session.query(lock, [id])
    const one = first()
    await until('the first call waits', async () => (await countWaiting()) > 0)
    const other = second()
    await Promise.race([other, sleep(patient(500))])
    return { one, other }
  })
  return Promise.all([calls.one, calls.other])
}

describe('a call that ends a session of an operator', () => {
  it('leaves no command line that the session approves meanwhile', async () => {
    const { workspace } = await callersFrom(client)
    const [owner, mallory] = [await signInAs(workspace, 'owner'), await signInAs(workspace, 'admin', 'Mallory')]
    const { deviceCode, userCode } = await ask(client, 'device/start', { machine: 'laptop' })
    const { sessions } = await ask(owner, 'sessions/list')
    const { id } = sessions.find((one: { operator: { name: string } }) => one.operator.name === 'Mallory')
    const [ended, approved] = await bothWhileLocked(
      'select from console_sessions where session_id = $1::uuid for update',
      id,
      () => owner.post('/console/sessions/end', { sessionId: id }),
      () => mallory.post('/console/device/approve', { userCode }),
    )
    assert.equal(ended.http, 200)
    const polled = await ask(client, 'device/poll', { deviceCode })
    assert.equal(polled.state, 'authorization_pending', approved.text)
  })
})

describe('the sign-in that proves the address of an invited operator', () => {
  it('leaves no passkey that the inviter adds meanwhile', async () => {
    const { operatorId, mailedLink, inviter } = await invitedOperator()
    const passkey = await registered(inviter, createAuthenticator())
    const [signedIn] = await bothWhileLocked(
      'select from operators where operator_id = $1::uuid for no key update',
      operatorId,
      () => startSession(client, { link: mailedLink }),
      () => inviter.post('/console/passkeys/add', { name: 'Laptop', passkey }),
    )
    assert.equal(signedIn.http, 200, signedIn.text)
    assert.equal(await whose(inviter), undefined)
    const { rows } = await db.query('select from passkeys where operator_id = $1::uuid', [operatorId])
    assert.equal(rows.length, 0)
  })

  it('succeeds while the inviter confirms with a passkey, which is refused afterwards', async () => {
    const { operatorId, mailedLink, inviter } = await invitedOperator()
    const authenticator = createAuthenticator()
    const added = { name: 'Laptop', passkey: await registered(inviter, authenticator) }
    assert.equal((await inviter.post('/console/passkeys/add', added)).http, 200)
    const { challenge } = (await ask(inviter, 'session/challenge')).options
    const passkey = authenticator.authenticate({ ...RP, challenge })
    const [signedIn, confirmed] = await bothWhileLocked(
      'select from console_sessions where operator_id = $1::uuid for update',
      operatorId,
      () => startSession(client, { link: mailedLink }),
      () => inviter.post('/console/session/confirm', { passkey }),
    )
    assert.equal(signedIn.http, 200, signedIn.text)
    assert.equal(confirmed.http, 401, confirmed.text)
  })
})

/** An invited operator who has a mailed link, and the session that the inviter has started with the other one. */
async function invitedOperator(): Promise<{ operatorId: string; mailedLink: string; inviter: Client }> {
  const { workspace } = await callersFrom(client)
  const { operator, link } = await workspace.call(inviteOperator, { email: 'kim@example.com', role: 'admin' })
  const mailedLink = `mailed-${operator.id}`
  await db.query(
    `insert into login_links (link_hash, workspace_id, operator_id, is_mailed, created_at, expires_at)
     values ($1, $2, $3::uuid, true, clock_timestamp(), clock_timestamp() + interval '1 hour')`,
    [tokenHash(mailedLink), workspace.headers['x-service-workspace-id'], operator.id],
  )
  return { operatorId: operator.id, mailedLink, inviter: await signIn(client, { link: secretOfLink(link ?? '') }) }
}

/** Returns what an authenticator answers when an operator registers it. */
async function registered(by: Client, authenticator: Authenticator) {
  const { challenge } = (await ask(by, 'passkeys/register')).options
  return authenticator.register({ ...RP, challenge })
}
