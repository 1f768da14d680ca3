/** The weekly mail of findings: its recipients, time and content, and how to end it. Sent through a real SMTP server. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { addGrants } from '#contract/access/grants.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import type { OperatorRole } from '#contract/workspace/operator-roles.ts'
import { getOperators, inviteOperator, removeOperator, updateOperator } from '#contract/workspace/operators.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import type { Client } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { signIn, signInAs } from '../../../../test/conformance/support/console-session.ts'
import { refused } from '../../../../test/conformance/support/refused.ts'

const organizationId = 'acme'
const INVITATION = 'You have been invited to a workspace'

/** Runs while a recipient is named, when the complete mail is ready. */
let onRecipient: () => Promise<unknown>
beforeEach(() => {
  onRecipient = async () => {}
})
const post = await startMailServer({
  onRcptTo: (_address, _session, done) =>
    void onRecipient().then((code) =>
      done(typeof code === 'number' ? Object.assign(new Error('not now'), { responseCode: code }) : undefined),
    ),
})
const server = await startServer({ SMTP_URL: post.url, MAIL_FROM: 'mail@commonhold.example' })
let workspaces = 0

/** Invites an operator, and signs in as them with the link of the mail. */
async function enter(owner: Client, data: { email?: string; name?: string; role: OperatorRole }) {
  const email = data.email ?? `operator.${workspaces++}@example.com`
  const { operator } = await owner.call(inviteOperator, { ...data, email })
  const [, link] = /#link=([\w-]{43})/.exec((await post.mailTo(email)).text ?? '') ?? []
  return { operator, session: await signIn(server.client, { link }) }
}

/** A workspace with an API key that has findings on request, and Kim, who may subscribe to them. */
async function newWorkspace() {
  const number = workspaces++
  const ownerEmail = `owner.${number}@example.com`
  const workspace = await server.client.call(createWorkspace, {
    ...{ ownerEmail, workspaceName: 'Acme <b>', defaultDocumentAccessType: 'restricted' as const },
  })
  const { id, authToken } = workspace
  const owner = server.client.with({ 'x-service-workspace-id': id, 'x-service-auth-token': authToken })
  const restricted = { type: 'testing', defaultDocumentAccessType: 'restricted', createAuthToken: true } as const
  const created = await owner.call(createApiKey, { ...restricted, ownerEmail, apiKeyName: 'Staging\r\nBcc: eve' })
  const key = server.client.with({
    'x-service-api-key': created.apiKey,
    'x-service-auth-token': created.authToken ?? '',
  })
  const email = `kim.${number}@example.com`
  const { operator, session: kim } = await enter(owner, { email, name: 'Kim', role: 'admin' })
  const where = [id, operator.id]
  const mails = () =>
    post.mails.filter(({ recipients, subject }) => recipients.includes(email) && subject !== INVITATION)
  const row = async () =>
    (
      await server.db.query(
        `select week::text, claims, claimed_at is null and due_at > now() + interval '1 minute' as waits from findings_mails
          where workspace_id = $1 and operator_id::text = $2`,
        where,
      )
    ).rows[0] as { week: string | null; claims: number; waits: boolean } | undefined
  return {
    owner,
    kim,
    key,
    apiKey: created.apiKey,
    operatorId: operator.id,
    email,
    mails,
    /** Waits for as many mails. The job is done a moment before the mail has arrived. */
    async arrived(count: number) {
      await eventually(`${count} mails`, () => (mails().length >= count ? true : undefined))
      assert.equal(mails().length, count)
    },
    want: (weeklyFindings: boolean) => kim.call(updateOperator, { operatorId: operator.id, weeklyFindings }),
    /** Makes it Monday, and waits until the server has nothing more to do. */
    async monday() {
      await server.db.query(
        'update findings_mails set due_at = now() where workspace_id = $1 and operator_id::text = $2',
        where,
      )
      await eventually('the job is done', async () => {
        return (await row())?.waits ? true : undefined
      })
    },
    nextWeek: () =>
      server.db.query(
        `update findings_mails set week = week - 7 where workspace_id = $1 and operator_id::text = $2`,
        where,
      ),
    /** A document that is public and sounds private, and a grant on what was never added. */
    async worry() {
      const documents = [{ documentId: 'payroll', documentName: 'Payroll <i>', accessType: 'public' as const }]
      await key.call(addDocuments, { organizationId, createOrganization: true, documents })
      await key.call(addGrants, { grants: [{ userId: 'ada', type: 'document', id: 'payrol', organizationId }] })
    },
    row,
  }
}

describe.concurrent('the weekly mail', () => {
  it('lists the findings of the workspace and of each API key, in our own text and HTML', async () => {
    const { worry, want, monday, arrived, mails, apiKey, key } = await newWorkspace()
    await worry()
    const misspelt = { userId: 'bob', type: 'document', id: 'payroll', organizationId: 'Acme' } as const
    await key.call(addGrants, { grants: [misspelt] })
    await want(true)
    await monday()
    await arrived(1)
    const [mail, ...others] = mails()
    assert.equal(others.length, 0)
    assert.match(mail?.subject ?? '', /^\d+ things are worth a look in “Acme <b>”$/)
    const text = mail?.text ?? ''
    assert.match(text, /^Hello Kim,\n\n\d+ things are worth a look in the workspace “Acme <b>”\./)
    assert.match(text, /^The workspace:\n\n- .* has no passkey\.$/m)
    assert.match(text, /^API key “Staging Bcc: eve”:\n\n/m)
    assert.match(text, /^- In acme: The document Payroll <i> is public, and its name sounds private\.$/m)
    assert.match(
      text,
      /^- In acme: ada has a grant on the document payrol, which was never added\. Probably payroll was meant\.$/m,
    )
    assert.match(text, /^- bob has a grant on the document payroll of the organization Acme, which was never added\./m)
    assert.ok(text.includes(`Open in the console: ${server.url}/console/keys/${apiKey}/worth-a-look`), text)
    const html = mail?.html ?? ''
    assert.match(html, /<li dir="auto">In acme: The document Payroll &lt;i&gt; is public/)
    assert.match(html, /<meta name="color-scheme" content="light dark">/)
    assert.doesNotMatch(html, /<i>|Acme <b>/)
  })

  it('is sent only to subscribers, and once for a week', async () => {
    const { worry, want, monday, nextWeek, arrived, owner, row } = await newWorkspace()
    await worry()
    assert.equal(await row(), undefined)
    assert.equal((await owner.call(getOperators, {})).operators[1]?.weeklyFindings, false)
    assert.equal((await want(true)).weeklyFindings, true)
    assert.equal((await owner.call(getOperators, {})).operators[1]?.weeklyFindings, true)
    await monday()
    await monday()
    await want(false)
    await want(true)
    await monday()
    await arrived(1)
    await nextWeek()
    await monday()
    await arrived(2)
    await want(false)
    assert.equal((await owner.call(getOperators, {})).operators[1]?.weeklyFindings, false)
  })

  it('is not sent without findings', async () => {
    const { owner, want, monday, mails, row } = await newWorkspace()
    await want(true)
    // Nobody is an administrator without a second factor.
    for (const { id } of (await owner.call(getOperators, {})).operators)
      await server.db.query(
        `insert into operator_identities (workspace_id, issuer, subject, operator_id, has_role_of_rule)
         select workspace_id, 'https://provider.invalid', operator_id::text, operator_id, false from operators where operator_id::text = $1`,
        [id],
      )
    await monday()
    assert.deepEqual([mails().length, (await row())?.week], [0, null])
  })

  it('is for owners and admins: not for others, and not for former admins', async () => {
    const { owner, kim, worry, want, monday, arrived, mails, operatorId } = await newWorkspace()
    await worry()
    const lower = { operatorId, role: 'developer' } as const
    const wanting = await kim.post(updateOperator.path, { ...lower, weeklyFindings: true })
    assert.equal(refused(wanting, 'INVALID_ARGUMENT').details[0].field, 'weeklyFindings')
    await want(true)
    await owner.call(updateOperator, lower)
    await monday()
    assert.equal(mails().length, 0)
    await owner.call(updateOperator, { operatorId, role: 'admin' })
    await monday()
    await arrived(1)
    const { session: developer } = await enter(owner, { role: 'developer' })
    refused(await developer.post(updateOperator.path, { operatorId, weeklyFindings: false }), 'PERMISSION_DENIED')
  })

  it('is switched on only by operators for themselves; tokens and other operators can only switch it off', async () => {
    const { owner, kim, want, operatorId, row } = await newWorkspace()
    const [{ id: ownerId = '' } = {}] = (await owner.call(getOperators, {})).operators
    const invited = await owner.call(inviteOperator, { email: `not.in.${operatorId}@example.com`, role: 'admin' })
    const { session: other } = await enter(owner, { role: 'owner' })
    const on = { operatorId, weeklyFindings: true }
    const turns: [typeof kim, typeof on][] = [
      [owner, on],
      [other, on],
      [owner, { ...on, operatorId: invited.operator.id }],
      [kim, { ...on, operatorId: invited.operator.id }],
      [owner, { ...on, operatorId: ownerId }],
    ]
    const isRefused = async () => {
      for (const [caller, data] of turns) {
        const refusal = refused(await caller.post(updateOperator.path, data), 'PERMISSION_DENIED')
        assert.equal(refusal.reason, 'other_operator')
        assert.match(refusal.message, /commonhold login/)
      }
    }
    await isRefused()
    assert.equal(await row(), undefined)
    await want(true)
    await isRefused() // also if it is off already
    for (const caller of [owner, other]) {
      await want(true)
      const after = await caller.call(updateOperator, { operatorId, weeklyFindings: false })
      assert.equal(after.weeklyFindings, false)
      await isRefused()
    }
  })

  it('is not sent to an operator who never signed in', async () => {
    const { worry, want, monday, mails, operatorId, row } = await newWorkspace()
    await worry()
    await want(true)
    await server.db.query('update operators set last_seen_at = null where operator_id::text = $1', [operatorId])
    await monday()
    assert.deepEqual([mails().length, (await row())?.week], [0, null])
  })

  it('is turned off by its link, with one click, and can be turned on again', async () => {
    const { worry, want, monday, nextWeek, arrived, mails } = await newWorkspace()
    await worry()
    await want(true)
    await monday()
    await arrived(1)
    const [mail] = mails()
    const header = (name: string) => mail?.headers.find(({ key }) => key === name)?.value
    assert.equal(header('list-unsubscribe-post'), 'List-Unsubscribe=One-Click')
    const link = /^<(.+)>$/.exec(header('list-unsubscribe') ?? '')?.[1] ?? ''
    assert.ok(mail?.text?.includes(link) && link.startsWith(`${server.url}/mail/findings?token=`), link)
    assert.match(await (await fetch(link)).text(), /Unsubscribe\?/)
    const post = (address: string) =>
      fetch(address, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })
    assert.match(await (await post(link)).text(), /You are unsubscribed/)
    await nextWeek()
    assert.match(await (await post(`${link}&again=1`)).text(), /Unsubscribe\?/)
    await monday()
    await arrived(2)
    for (const wrong of [link.slice(0, -8), `${server.url}/mail/findings`, link.replace(/token=.*/, 'token=AAAA')])
      assert.equal((await fetch(wrong)).status, 404)
  })
})

describe('a weekly mail that is being sent', () => {
  it('counts its attempts by the week, and waits for the next week after thirty', async () => {
    const { worry, want, monday, arrived, nextWeek, mails, operatorId, row } = await newWorkspace()
    const attempts = (claims: number) =>
      server.db.query('update findings_mails set claims = $2 where operator_id::text = $1', [operatorId, claims])
    await want(true)
    await attempts(7)
    await monday()
    await worry()
    for (const week of [1, 2]) {
      await attempts(7)
      await monday()
      await arrived(week)
      assert.equal((await row())?.claims, 0)
      await nextWeek()
    }
    await attempts(7)
    await want(false)
    await want(true)
    assert.equal((await row())?.claims, 0)
    onRecipient = async () => 452
    await attempts(28)
    await monday()
    assert.deepEqual([mails().length, (await row())?.claims], [2, 29])
    await monday()
    assert.deepEqual([mails().length, (await row())?.claims], [2, 0])
  })

  it.each([
    ['is removed', (owner, operatorId) => owner.call(removeOperator, { operatorId })],
    ['gets a smaller role', (owner, operatorId) => owner.call(updateOperator, { operatorId, role: 'support' })],
    ['unsubscribes', (owner, operatorId) => owner.call(updateOperator, { operatorId, weeklyFindings: false })],
  ] as [string, (owner: typeof server.client, operatorId: string) => Promise<unknown>][])(
    'does not reach an operator who %s meanwhile',
    async (_, change) => {
      const { owner, worry, want, mails, operatorId, row } = await newWorkspace()
      await worry()
      await want(true)
      let named = 0
      onRecipient = async () => {
        named++
        await change(owner, operatorId)
      }
      await server.db.query('update findings_mails set due_at = now() where operator_id::text = $1', [operatorId])
      await eventually('the recipient is named', () => (named > 0 ? true : undefined))
      await eventually('the mail is dropped', async () => {
        const now = await row()
        return now === undefined || now.waits ? true : undefined
      })
      assert.deepEqual([mails().length, named], [0, 1])
    },
  )
})

describe('without a mail server', () => {
  it('says that no mail is sent', async () => {
    const silent = await startServer()
    const created = await silent.client.call(createWorkspace, { ownerEmail: 'owner@example.com' })
    const owner = silent.client.with({
      'x-service-workspace-id': created.id,
      'x-service-auth-token': created.authToken,
    })
    const admin = await signInAs(owner, 'admin')
    const { body } = await admin.post(updateOperator.path, { operatorId: admin.operatorId, weeklyFindings: true })
    assert.equal(body.result.warnings[0].code, 'no_mail_is_sent')
  })
})
