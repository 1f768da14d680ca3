/** Links to sign in to the console: who gets them, what they do, and attacks on them (rules/operators.md#links). */
import assert from 'node:assert/strict'
import { afterAll, describe, it } from 'vitest'
import { LIMITS } from '#contract/core/limits.ts'
import { listAccountEvents } from '#contract/events/events.ts'
import { inviteOperator, removeOperator } from '#contract/workspace/operators.ts'
import { createLoginLink, getOwnerEmail } from '#contract/workspace/owner-email.ts'
import { resetWorkspaceToken } from '#contract/workspace/workspace-tokens.ts'
import { createWorkspace, getWorkspace } from '#contract/workspace/workspaces.ts'
import { createLog } from '#platform/log.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { type Answer, type Client, createClient, createInProcessClient } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { createStore, MASTER_KEY, startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { cookieOf, SESSION, whose } from '../../../test/conformance/support/console-session.ts'
import { refused, refusedField, withoutRequestId } from '../../../test/conformance/support/refused.ts'
import { buildApp } from '../../app.ts'
import { readConfig } from '../../config.ts'
import { DELETE_OLD_LOGIN_LINKS } from './statements.ts'

const inbox = await startMailServer()
const MAIL = { SMTP_URL: inbox.url, MAIL_FROM: 'mail@commonhold.example' }
const server = await startServer(MAIL)
const { client } = server
afterAll(() => server.clock.set(null))

const MINUTE_MS = 60_000
let owners = 0

/** Creates a workspace with an owner of its own. */
async function newOwner(ownerEmail = `owner${++owners}@example.com`, by: Client = client) {
  const { id, authToken } = await by.call(createWorkspace, { ownerEmail })
  const owner = by.with({ 'x-service-workspace-id': id, 'x-service-auth-token': authToken })
  return { email: ownerEmail, workspaceId: id, owner }
}

const request = (email: string, more: object = {}, by: Client = client) =>
  by.post(createLoginLink.path, { email, ...more })
const mailsTo = (address: string) => inbox.mails.filter(({ recipients }) => recipients.includes(address))
const secretsIn = (text = ''): string[] =>
  [...text.matchAll(/#link=([\w-]{43})(?![\w-])/g)].map(([, link = '']) => link)

/** Waits for the mail with number `count` to an address, and returns the secrets of its links. */
const linksTo = (address: string, count = 1): Promise<string[]> =>
  eventually(`mail ${count} to ${address}`, () => {
    const mail = mailsTo(address)[count - 1]
    return mail === undefined ? undefined : secretsIn(mail.text)
  })

async function newLink() {
  const somebody = await newOwner()
  await request(somebody.email)
  const [link = ''] = await linksTo(somebody.email)
  return { ...somebody, link }
}

const use = (link: string, headers: Record<string, string> = SESSION, by: Client = client): Promise<Answer> =>
  by.with(headers).post('/console/session/start', { link })

function sessionOf(answer: Answer): Client {
  assert.equal(answer.http, 200, answer.text)
  return client.with({ ...SESSION, cookie: cookieOf(answer).split(';')[0] ?? '' })
}

describe('login-links.create', () => {
  it('sends a link that signs in to the workspace, once', async () => {
    const { email, workspaceId, link, owner } = await newLink()
    const [mail] = mailsTo(email)
    assert.equal(mail?.subject, 'Sign in to the console')
    assert.match(
      mail.text ?? '',
      new RegExp(`Workspace ${workspaceId}, created on 20\\d\\d-\\d\\d-\\d\\d: ${server.url}/console/#link=`),
    )
    assert.deepEqual(secretsIn(mail.html), [link])
    const answer = await use(link)
    assert.match(cookieOf(answer), /^commonhold-console=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/)
    const session = sessionOf(answer)
    const { operator, ...account } = await whose(session)
    assert.deepEqual(account, { workspaceId, workspaceName: `${email} workspace` })
    assert.deepEqual({ ...operator, id: '' }, { id: '', name: email, email, role: 'owner' })
    assert.equal((await session.call(getWorkspace, {})).id, workspaceId)
    const [event] = (await owner.call(listAccountEvents, {})).events
    assert.equal(event?.type, 'operator.signed_in')
    assert.equal(event?.actor.operator?.name, email)
  })

  it('sends a link to every operator with the address, in all workspaces, and to no removed operator', async () => {
    const email = `kim${++owners}@example.com`
    const [one, other] = [await newOwner(), await newOwner()]
    const { operator } = await one.owner.call(inviteOperator, { email, role: 'support' })
    assert.equal((await other.owner.call(inviteOperator, { email, role: 'admin' })).isMailed, true)
    await linksTo(email, 2) // the invitations
    await one.owner.call(removeOperator, { operatorId: operator.id })
    await request(email)
    const [link = '', ...none] = await linksTo(email, 3)
    assert.deepEqual(none, [])
    assert.equal((await whose(sessionOf(await use(link)))).workspaceId, other.workspaceId)
  })

  it('names each workspace of an owner with several, and each link signs in to its own', async () => {
    const [email, other] = ['several@example.com', 'Several@example.com']
    const ids = [(await newOwner(email)).workspaceId, (await newOwner(other)).workspaceId]
    await request(email)
    const [lower = ''] = await linksTo(email)
    const [upper = ''] = await linksTo(other)
    for (const [index, link] of [lower, upper].entries())
      assert.equal((await use(link)).body.result.data.workspaceId, ids[index])
    const third = await newOwner(email)
    await request(email)
    const links = await linksTo(email, 2)
    const signedIn = await Promise.all(links.map(async (link) => (await use(link)).body.result.data.workspaceId))
    assert.deepEqual(signedIn, [third.workspaceId, ids[0]])
  })

  for (const [what, operator] of [
    ['have invited to many others', `($1, $2, $2, 'support', 'stranger', null)`],
    ['have let sign in to many others by providers of their own', `($1, $2, $2, 'support', null, now())`],
    ['have invited to many others and let sign in there', `($1, $2, $2, 'support', 'stranger', now())`],
  ] as const)
    it(`reaches the owner of a workspace whose address strangers ${what}`, async () => {
      const { email, workspaceId } = await newOwner()
      const strangers = await Promise.all(Array.from({ length: 20 }, () => newOwner()))
      for (const { workspaceId } of strangers)
        await server.db.query(
          `with added as (
             insert into operators (workspace_id, email, name, role, invited_by, last_seen_at) values ${operator}
             returning workspace_id, operator_id, last_seen_at
           )
           insert into operator_identities (workspace_id, issuer, subject, operator_id, has_role_of_rule)
           select workspace_id, 'https://stranger.example', $2, operator_id, true
             from added where last_seen_at is not null`,
          [workspaceId, email],
        )
      await request(email)
      const mail = await eventually('the mail with the links', () =>
        mailsTo(email).find(({ subject }) => subject === 'Sign in to the console'),
      )
      assert.match(mail.text ?? '', new RegExp(`Workspace ${workspaceId},`))
    })

  it('reaches an address although the mail to another spelling of it is refused', async () => {
    const email = `ada${++owners}@example.com`
    const other = email.replace('a', 'A')
    const picky = await startMailServer({
      onRcptTo: ({ address }, _session, done) => done(address === other ? new Error('nobody here') : null),
    })
    const { client } = await startServer({ ...MAIL, SMTP_URL: picky.url })
    await newOwner(email, client)
    await newOwner(other, client)
    await request(email, {}, client)
    assert.equal(secretsIn((await picky.mailTo(email)).text).length, 1)
  })

  it('responds the same whether the address has a workspace or not, and sends nothing to others', async () => {
    const { email } = await newOwner()
    const answers = [await request('nobody@example.com'), await request(email), await request('nobody@example.com')]
    await linksTo(email)
    const [first, ...others] = answers.map(withoutRequestId)
    for (const other of others) assert.equal(other, first)
    assert.equal(answers[0]?.http, 200)
    assert.deepEqual(mailsTo('nobody@example.com'), [])
  })

  it('responds before the mail is handed over, so that the time does not reveal who has a workspace', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow = await startMailServer({ onConnect: (_session, done) => void released.then(() => done()) })
    const { client } = await startServer({ ...MAIL, SMTP_URL: slow.url })
    const { email } = await newOwner(undefined, client)
    assert.equal((await request(email, {}, client)).http, 200)
    assert.deepEqual(slow.mails, [])
    release()
    await slow.mailTo(email)
  })

  it('finds the stored address in any case of A to Z, and no operator by an address that only looks like it', async () => {
    const { email } = await newOwner(`kim${++owners}@example.com`)
    const lookalike = email.replace('k', '\u212a') // the Kelvin sign, whose lower case is k
    assert.equal(lookalike.toLowerCase(), email)
    await request(lookalike)
    await request(email.toUpperCase())
    await linksTo(email)
    assert.deepEqual([mailsTo(email).length, mailsTo(lookalike), mailsTo(email.toUpperCase())], [1, [], []])
  })

  it('uses the public URL, whatever host the caller names', async () => {
    const { email } = await newOwner()
    const response = await fetch(server.url + createLoginLink.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-host': 'evil.example', host: 'evil.example' },
      body: JSON.stringify({ data: { email } }),
    })
    assert.equal(response.status, 200)
    await linksTo(email)
    assert.ok(!mailsTo(email)[0]?.raw.includes('evil.example'))
  })

  it('accepts a continueUrl of this server, and no other', async () => {
    for (const continueUrl of [`${server.url}/console/`, 'http://localhost:3000/done', ''])
      assert.equal((await request('nobody@example.com', { continueUrl })).http, 200)
    for (const continueUrl of ['https://evil.example/', `https://evil.example/?${server.url}`, 'javascript:alert(1)'])
      refusedField(await request('nobody@example.com', { continueUrl }), 'continueUrl')
  })

  it(`sends an operator at most ${LIMITS.loginLinksPerHourMax} links in an hour, also if they are requested concurrently`, async () => {
    const { email, workspaceId } = await newOwner()
    for (const answer of await Promise.all(Array.from({ length: 8 }, () => request(email))))
      assert.equal(answer.http, 200)
    const count = async () => {
      const { rows } = await server.db.query('select from login_links where workspace_id = $1', [workspaceId])
      return rows.length
    }
    await linksTo(email, LIMITS.loginLinksPerHourMax)
    const other = await newLink() // was processed after these
    assert.equal(mailsTo(email).length, LIMITS.loginLinksPerHourMax)
    assert.equal(await count(), LIMITS.loginLinksPerHourMax)
    server.clock.set(new Date(Date.now() + 76 * MINUTE_MS))
    assert.ok(((await server.db.run(DELETE_OLD_LOGIN_LINKS))[0]?.count ?? 0) > 0)
    assert.equal(await count(), 0)
    await request(email)
    await linksTo(email, LIMITS.loginLinksPerHourMax + 1)
    server.clock.set(null)
    refused(await use(other.link), 'UNAUTHENTICATED')
  })

  it('sends another link when none of these is valid any more, so that strangers who ask lock nobody out', async () => {
    const { email } = await newOwner()
    for (let nth = 1; nth <= LIMITS.loginLinksPerHourMax; nth++) {
      await request(email)
      await linksTo(email, nth)
    }
    for (const minutes of [16, 32]) {
      server.clock.set(new Date(Date.now() + minutes * MINUTE_MS))
      const sent = mailsTo(email).length
      await request(email)
      const [link = ''] = await linksTo(email, sent + 1)
      await request(email)
      await newLink() // was processed after that
      assert.equal(mailsTo(email).length, sent + 1)
      assert.equal((await use(link)).http, 200)
    }
    server.clock.set(null)
  })

  it('sends links also if the operator had too many by a clock that was set back', async () => {
    const { email } = await newOwner()
    server.clock.set(new Date(Date.now() + 24 * 60 * MINUTE_MS))
    for (let nth = 1; nth <= LIMITS.loginLinksPerHourMax; nth++) {
      await request(email)
      await linksTo(email, nth)
    }
    server.clock.set(null)
    await request(email)
    const [link = ''] = await linksTo(email, LIMITS.loginLinksPerHourMax + 1)
    assert.equal((await use(link)).http, 200)
  })

  it('sends only the confirmation to an owner who has not confirmed the address, with MAIL_CONFIRM_OWNERS', async () => {
    const { client, url } = await startServer({ ...MAIL, MAIL_CONFIRM_OWNERS: 'true' })
    const { email } = await newOwner(undefined, client)
    const verified = async (ownerEmail: string) => (await client.call(getOwnerEmail, { ownerEmail })).verified
    await request(email, {}, client)
    const question = await inbox.mailTo(email)
    assert.equal(question.subject, 'Confirm your address')
    assert.deepEqual(await Promise.all([email, 'nobody@example.com'].map(verified)), [false, false])
    const [, path = ''] = /^http:\/\/[^/]+(\/mail\/confirm\?token=\S+)$/m.exec(question.text ?? '') ?? []
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    assert.equal((await fetch(url + path, { method: 'POST', headers: form, body: '' })).status, 200)
    assert.equal(await verified(email.toUpperCase()), true)
    await request(email, {}, client)
    assert.equal((await linksTo(email, 2)).length, 1)
  })

  for (const [why, settings, says] of [
    ['without a mail server', {}, /no mail server/],
    ['with LOGIN_LINKS=false', { ...MAIL, LOGIN_LINKS: 'false' }, /LOGIN_LINKS is false/],
  ] as const)
    it(`responds the same ${why}, and writes that to the log`, async () => {
      const lines: string[] = []
      const store = await createStore()
      const app = await buildApp({
        ...{ config: readConfig({ PORT: '0', SIGNUP: 'open', ...settings }), masterKey: MASTER_KEY, db: store.db },
        log: createLog('warn', { write: (line) => lines.push(line) }),
      })
      cleanUp(async () => {
        await app.stop()
        await store.db.close()
        await store.remove()
      })
      const by = createInProcessClient(app.http)
      const { email } = await newOwner(undefined, by)
      const answer = await request(email, {}, by)
      assert.equal(withoutRequestId(answer), withoutRequestId(await request('nobody@example.com')))
      assert.match(lines.join(''), says)
      assert.deepEqual(mailsTo(email), [])
    })
})

describe('a link', () => {
  it('is refused again, byte for byte like an unknown one', async () => {
    const { link } = await newLink()
    assert.equal((await use(link)).http, 200)
    const again = await use(link)
    refused(again, 'UNAUTHENTICATED')
    assert.equal(cookieOf(again), '')
    for (const guessed of ['A'.repeat(43), link.slice(0, -1), `${link}A`, link.toLowerCase(), "' or 1=1 --"])
      assert.equal(withoutRequestId(await use(guessed)), withoutRequestId(again))
  })

  it('signs in one of two that use it at the same moment', async () => {
    const { link } = await newLink()
    const answers = await Promise.all(Array.from({ length: 6 }, () => use(link)))
    assert.deepEqual(answers.map(({ http }) => http).sort(), [200, 401, 401, 401, 401, 401])
  })

  it('expires after 15 minutes', async () => {
    const { link } = await newLink()
    server.clock.set(new Date(Date.now() + 15 * MINUTE_MS + 5_000))
    refused(await use(link), 'UNAUTHENTICATED')
    server.clock.set(new Date(Date.now() + 14 * MINUTE_MS))
    assert.equal((await use(link)).http, 200)
    server.clock.set(null)
  })

  it('cannot be used by a form of another site, nor by opening it', async () => {
    const { link } = await newLink()
    refusedField(await use(link, {}), 'x-service-session')
    const form = { 'content-type': 'application/x-www-form-urlencoded', ...SESSION }
    assert.equal((await client.raw('/console/session/start', `link=${link}`, form)).http, 400)
    const opened = await fetch(`${server.url}/console/?link=${link}`)
    assert.equal(opened.headers.get('set-cookie'), null)
    assert.equal((await fetch(`${server.url}/console/session/start`)).headers.get('set-cookie'), null)
    assert.equal((await use(link)).http, 200)
  })

  it('replaces the session of the browser that uses it, which ends', async () => {
    const [mine, theirs] = [await newLink(), await newLink()]
    const before = sessionOf(await use(theirs.link))
    const after = sessionOf(await use(mine.link, before.headers))
    assert.equal(await whose(before), undefined)
    assert.equal((await whose(after)).workspaceId, mine.workspaceId)
  })

  it('is refused once all tokens of the workspace were replaced', async () => {
    const { link, owner } = await newLink()
    await owner.call(resetWorkspaceToken, { gracePeriodSeconds: 60 })
    refused(await use(link), 'UNAUTHENTICATED')
  })

  it('is refused then also if the clock is set back', async () => {
    const { link, owner } = await newLink()
    server.clock.set(new Date(Date.now() + 5 * MINUTE_MS))
    await owner.call(resetWorkspaceToken, { gracePeriodSeconds: 60 })
    server.clock.set(null)
    refused(await use(link), 'UNAUTHENTICATED')
  })

  it('is stored only as a hash', async () => {
    const { link } = await newLink()
    const { rows } = await server.db.query('select * from login_links')
    assert.ok(rows.length > 0 && !JSON.stringify(rows).includes(link))
  })

  it('counts towards the limit of the address, as its request does', async () => {
    const limited = await startServer({ ...MAIL, RATE_LIMIT_PUBLIC: '3' })
    const by = createClient(limited.url)
    for (const _ of [1, 2]) assert.equal((await request('nobody@example.com', {}, by)).http, 200)
    refused(await use('guess', SESSION, by), 'UNAUTHENTICATED')
    assert.equal(refused(await use('guess', SESSION, by), 'RESOURCE_EXHAUSTED').reason, 'rate_limited')
    assert.equal(refused(await request('nobody@example.com', {}, by), 'RESOURCE_EXHAUSTED').reason, 'rate_limited')
  })
})
