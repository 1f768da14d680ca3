/** Who gets the link of an operator's invitation, and what an inviter who has used it can still access (rules/operators.md#links). */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { listAccountEvents } from '#contract/events/events.ts'
import { getOperators, inviteOperator, updateOperator } from '#contract/workspace/operators.ts'
import { createLoginLink } from '#contract/workspace/owner-email.ts'
import { createWorkspace, getWorkspace } from '#contract/workspace/workspaces.ts'
import { createLog } from '#platform/log.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { createInProcessClient } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { MASTER_KEY, startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { secretOfLink, signIn, startSession, whose } from '../../../test/conformance/support/console-session.ts'
import { refused } from '../../../test/conformance/support/refused.ts'
import { buildApp } from '../../app.ts'
import { readConfig } from '../../config.ts'

const inbox = await startMailServer()
/** A server with mail, and one without on the same store, like the installation before it got a mail server. */
const server = await startServer({ SMTP_URL: inbox.url, MAIL_FROM: 'mail@commonhold.example' })
const before = (await startOnSameStore({})).client

async function startOnSameStore(settings: Record<string, string>) {
  const config = readConfig({ PORT: '0', SIGNUP: 'open', ...settings })
  const app = await buildApp({ config, masterKey: MASTER_KEY, db: server.home, log: createLog('silent') })
  cleanUp(() => app.stop())
  return { client: createInProcessClient(app.http), stop: app.stop }
}

let count = 0

/** Mallory's workspace on both servers, and the address of Kim, who has a workspace of her own. */
async function world() {
  const number = ++count
  const kim = `kim.${number}@example.com`
  const created = await server.client.call(createWorkspace, { ownerEmail: `mallory.${number}@example.com` })
  const headers = { 'x-service-workspace-id': created.id, 'x-service-auth-token': created.authToken }
  const own = await server.client.call(createWorkspace, { ownerEmail: kim })
  return {
    ...{ kim, workspaceId: created.id, ownWorkspaceId: own.id },
    mallory: server.client.with(headers),
    malloryBefore: before.with(headers),
  }
}

describe('the link of an invitation, with a mail server', () => {
  it('is sent only to the address: neither the response nor an event nor a list shows it to the inviter', async () => {
    const { kim, mallory, workspaceId } = await world()
    const answer = await mallory.post(inviteOperator.path, { email: kim, role: 'admin' })
    await linkTo(kim, workspaceId)
    const again = await mallory.post(inviteOperator.path, { email: kim, role: 'support' })
    const secret = await linkTo(kim, workspaceId, 2)
    for (const { http, body, text } of [answer, again]) {
      assert.equal(http, 200, text)
      assert.deepEqual(Object.keys(body.result.data).sort(), ['isMailed', 'operator'])
      assert.equal(body.result.data.isMailed, true)
    }
    const seen = [
      answer,
      again,
      await mallory.post(getOperators.path, {}),
      await mallory.post(listAccountEvents.path, {}),
    ]
    for (const { text } of seen) assert.ok(!text.includes(secret) && !text.includes('#link='))
    const { events } = await mallory.call(listAccountEvents, {})
    assert.equal((events[0]?.after as { isMailed?: boolean } | undefined)?.isMailed, true)
    assert.equal((await whose(await signIn(server.client, { link: secret }))).workspaceId, workspaceId)
  })

  it('is not given to an owner, either, whose address somebody else has named', async () => {
    const { kim, ownWorkspaceId } = await world()
    const { id, authToken } = await server.client.call(createWorkspace, { ownerEmail: kim })
    const stranger = server.client.with({ 'x-service-workspace-id': id, 'x-service-auth-token': authToken })
    assert.equal((await stranger.call(inviteOperator, { email: kim, role: 'owner' })).link, undefined)
    assert.notEqual(id, ownWorkspaceId)
  })

  it('is refused with rate_limited above the limits of mails, and the earlier link stays', async () => {
    const { kim, mallory, workspaceId } = await world()
    let secret = ''
    for (let number = 1; number <= 5; number++) {
      await mallory.call(inviteOperator, { email: kim, role: 'support' })
      secret = await linkTo(kim, workspaceId, number)
    }
    const answer = await mallory.post(inviteOperator.path, { email: kim.toUpperCase(), role: 'admin' })
    assert.equal(refused(answer, 'RESOURCE_EXHAUSTED').reason, 'rate_limited')
    assert.ok(Number(answer.headers.get('retry-after')) > 3_000)
    assert.ok(!answer.text.includes('#link='))
    const session = await signIn(server.client, { link: secret })
    assert.equal((await whose(session)).operator.role, 'support')
  })

  it('that was refused for its address does not count as a mail of the workspace', async () => {
    const { kim, mallory } = await world()
    for (let number = 1; number <= 35; number++) {
      const answer = await mallory.post(inviteOperator.path, { email: kim, role: 'support' })
      assert.equal(answer.http, number <= 5 ? 200 : 429)
    }
    assert.equal((await mallory.post(inviteOperator.path, { email: `other.${kim}`, role: 'support' })).http, 200)
  })

  it('does not lock out the owner of a new workspace whose address strangers have invited', async () => {
    const { kim, mallory, malloryBefore } = await world()
    await malloryBefore.call(inviteOperator, { email: kim, role: 'support' })
    for (let number = 1; number <= 5; number++) await mallory.call(inviteOperator, { email: kim, role: 'support' })
    refused(await mallory.post(inviteOperator.path, { email: kim, role: 'admin' }), 'RESOURCE_EXHAUSTED')
    const { id, authToken } = await server.client.call(createWorkspace, { ownerEmail: kim })
    const own = server.client.with({ 'x-service-workspace-id': id, 'x-service-auth-token': authToken })
    assert.equal((await own.call(inviteOperator, { email: kim, role: 'owner' })).isMailed, true)
    await linkTo(kim, id)
    refused(await own.post(inviteOperator.path, { email: kim, role: 'owner' }), 'RESOURCE_EXHAUSTED')
  })

  it('is mailed by another process if the one that invited ends before it could', async () => {
    const { kim, mallory, workspaceId } = await world()
    const ending = await startOnSameStore({ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'mail@commonhold.example' })
    const inviter = ending.client.with(mallory.headers)
    assert.equal((await inviter.call(inviteOperator, { email: kim, role: 'support' })).isMailed, true)
    await ending.stop()
    const session = await signIn(server.client, { link: await linkTo(kim, workspaceId) })
    assert.equal((await whose(session)).operator.role, 'support')
    const { rows } = await server.db.query(
      'select from invitation_mails where workspace_id = $1 and finished_at is not null and link_sealed is null',
      [workspaceId],
    )
    assert.equal(rows.length, 1)
  })

  it('is mailed however long the transaction takes', async () => {
    const { kim, mallory, workspaceId } = await world()
    await server.db.transaction(async (session) => {
      await session.query('lock table events in share mode')
      const invited = mallory.call(inviteOperator, { email: kim, role: 'support' })
      await sleep(3_000)
      return { invited }
    })
    await linkTo(kim, workspaceId)
  })

  it('counts once when its transaction is retried, and not when that fails', async () => {
    const { kim, mallory, workspaceId } = await world()
    await server.db.script(`
      create sequence races;
      create function lose_race() returns trigger language plpgsql as
        $$ begin if nextval('races') % 2 = 1 then raise exception using errcode = '40001'; end if; return new; end $$;
      create trigger lose_race before insert on login_links for each row execute function lose_race()`)
    for (let number = 1; number <= 5; number++) await mallory.call(inviteOperator, { email: kim, role: 'support' })
    await server.db.script('drop trigger lose_race on login_links; drop function lose_race; drop sequence races')
    await linkTo(kim, workspaceId)
    refused(await mallory.post(inviteOperator.path, { email: kim, role: 'support' }), 'RESOURCE_EXHAUSTED')
  })

  it('waits for the confirmation of the address with MAIL_CONFIRM_OWNERS, and the inviter does not get it meanwhile', async () => {
    const asking = await startServer({
      ...{ SMTP_URL: inbox.url, MAIL_FROM: 'mail@commonhold.example', MAIL_CONFIRM_OWNERS: 'true' },
    })
    const { id, authToken } = await asking.client.call(createWorkspace, { ownerEmail: 'asking@example.com' })
    const owner = asking.client.with({ 'x-service-workspace-id': id, 'x-service-auth-token': authToken })
    const email = 'unconfirmed@example.com'
    const { link, isMailed } = await owner.call(inviteOperator, { email, role: 'support' })
    assert.deepEqual([link, isMailed], [undefined, true])
    assert.equal((await inbox.mailTo(email)).subject, 'Confirm your address')
  })
})

describe('an inviter who has used the link, without a mail server', () => {
  it('gets into their own workspace only, and not into other workspaces of the address', async () => {
    const { kim, malloryBefore, workspaceId, ownWorkspaceId } = await world()
    const { link = '' } = await malloryBefore.call(inviteOperator, { email: kim, role: 'admin' })
    const thief = await signIn(before, { link: secretOfLink(link) })
    assert.equal((await whose(thief)).workspaceId, workspaceId)
    const aimed = thief.with({ ...thief.headers, 'x-service-workspace-id': ownWorkspaceId })
    assert.equal((await aimed.call(getWorkspace, {})).id, workspaceId)
    assert.ok(!(await aimed.post(listAccountEvents.path, {})).text.includes(ownWorkspaceId))
  })

  it('keeps no session, passkey, command line or link once the person has signed in by mail', async () => {
    const { kim, mallory, malloryBefore, workspaceId } = await world()
    const { operator, link = '' } = await malloryBefore.call(inviteOperator, { email: kim, role: 'admin' })
    const thief = await signIn(before, { link: secretOfLink(link) })
    await leavePasskey(workspaceId, operator.id)
    const { deviceCode, userCode } = (await before.post('/console/device/start', { machine: 'laptop' })).body.result
      .data
    await thief.post('/console/device/approve', { userCode })

    await server.client.call(createLoginLink, { email: kim })
    const kims = await signIn(server.client, { link: await linkTo(kim, workspaceId) })
    await mallory.call(updateOperator, { operatorId: operator.id, role: 'owner' })
    assert.equal(await whose(thief), undefined)
    assert.equal(await passkeysOf(operator.id), 0)
    const polled = await before.post('/console/device/poll', { deviceCode })
    assert.equal(polled.body.result?.data?.session, undefined, polled.text)
    assert.equal((await whose(kims)).operator.role, 'owner')
    const { events } = await mallory.call(listAccountEvents, {})
    const signedIn = events.find(
      ({ type, after }) => type === 'operator.signed_in' && 'addressConfirmed' in (after ?? {}),
    )
    const told = {
      operatorId: operator.id,
      method: 'link',
      addressConfirmed: true,
      endedSessions: 1,
      removedPasskeys: 1,
    }
    assert.deepEqual(signedIn?.after, told)

    await leavePasskey(workspaceId, operator.id)
    await server.client.call(createLoginLink, { email: kim })
    await signIn(server.client, { link: await linkTo(kim, workspaceId, 2) })
    assert.equal(await passkeysOf(operator.id), 1)
    assert.notEqual(await whose(kims), undefined)
  })

  it('keeps no link that was not used yet', async () => {
    const { kim, malloryBefore, workspaceId } = await world()
    const { link = '' } = await malloryBefore.call(inviteOperator, { email: kim, role: 'admin' })
    await server.client.call(createLoginLink, { email: kim })
    await signIn(server.client, { link: await linkTo(kim, workspaceId) })
    refused(await startSession(before, { link: secretOfLink(link) }), 'UNAUTHENTICATED')
  })
})

/** Waits for the mail with this number to an address about a workspace, and returns the secret of its link to a workspace. */
const linkTo = (address: string, workspaceId: string, number = 1): Promise<string> =>
  eventually(`mail ${number} to ${address}`, () => {
    const lines = inbox.mails
      .filter(({ recipients }) => recipients.includes(address))
      .flatMap(({ text = '' }) => text.split('\n').find((each) => each.includes(workspaceId)) ?? [])
    const line = lines[number - 1]
    return /#link=([\w-]{43})$/.exec(line?.trim() ?? '')?.[1]
  })

const leavePasskey = (workspaceId: string, operatorId: string) =>
  server.db.query(
    `insert into passkeys (credential_id, workspace_id, operator_id, name, public_key, sign_count, transports)
     values (gen_random_uuid()::text::bytea, $1, $2, 'Laptop', 'key', 1, '{}')`,
    [workspaceId, operatorId],
  )

async function passkeysOf(operatorId: string): Promise<number> {
  return (await server.db.query('select from passkeys where operator_id = $1', [operatorId])).rows.length
}
