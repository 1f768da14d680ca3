/**
 * Nobody is flooded with mails through the server of the installation, even by many tenants together
 * (rules/events.md#mail). Each test waits some seconds for mails to addresses of its own, so all run at the same time.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { testEmailConfig } from '#contract/keys/service-configs.ts'
import type { Client } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { newCallers } from '../../../test/conformance/support/callers.ts'
import { refused } from '../../../test/conformance/support/refused.ts'

const post = await startMailServer()
const server = await startServer({
  SMTP_URL: post.url,
  MAIL_FROM: 'mail@commonhold.example',
  MAILS_PER_RECIPIENT: '2',
})

/** Creates an API key of an owner, who gets a mail about it. */
async function newKey(workspace: Client, ownerEmail: string, more: object = {}): Promise<Client> {
  const { apiKey, authToken = '' } = await workspace.call(createApiKey, {
    ...{ ownerEmail, type: 'testing', createAuthToken: true, useEmailService: true },
    ...more,
  })
  return server.client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })
}

/** The address in any case. */
const sentTo = (address: string) =>
  post.mails.filter(({ recipients }) => recipients.some((recipient) => recipient.toLowerCase() === address)).length

const rowsOf = async (address: string) =>
  (await server.db.query('select state, error from mails where lower(recipient) = $1', [address])).rows as {
    state: string
    error: string | null
  }[]

const untilSent = (address: string, count: number) =>
  eventually(`${count} mails that are recorded as sent`, async () =>
    (await rowsOf(address)).filter(({ state }) => state === 'sent').length === count ? true : undefined,
  )

const TOO_MANY = 'The recipient has had too many mails in an hour; it is sent later.'

describe.concurrent('an address', () => {
  it('gets MAILS_PER_RECIPIENT mails in an hour, from all tenants, and the others later', async () => {
    for (const [nth, ownerEmail] of ['ada@example.com', 'Ada@example.com', 'ada@EXAMPLE.com'].entries()) {
      await newKey((await newCallers(server.url)).workspace, ownerEmail)
      if (nth < 2) await untilSent('ada@example.com', nth + 1)
    }
    await eventually('a mail that waits', async () =>
      (await rowsOf('ada@example.com')).some(({ state, error }) => state === 'pending' && error === TOO_MANY)
        ? true
        : undefined,
    )
    assert.equal(sentTo('ada@example.com'), 2)
    await server.db.query(
      `update mails set finished_at = finished_at - interval '1 hour' where lower(recipient) = 'ada@example.com'`,
    )
    await eventually('the third mail', () => (sentTo('ada@example.com') === 3 ? true : undefined))
  })

  it('gets mails also after many by a clock that was set back', async () => {
    const { workspace } = await newCallers(server.url)
    for (const count of [1, 2]) {
      await newKey(workspace, 'una@example.com')
      await untilSent('una@example.com', count)
    }
    await server.db.query(
      `update mails set finished_at = finished_at + interval '1 day' where recipient = 'una@example.com'`,
    )
    await newKey(workspace, 'una@example.com')
    await untilSent('una@example.com', 3)
  })

  it('gets no more of many mails that are due at the same time', async () => {
    const { workspace } = await newCallers(server.url)
    for (let nth = 0; nth < 8; nth++) await newKey(workspace, nth % 2 ? 'eva@example.com' : 'Eva@EXAMPLE.com')
    await eventually('eight mails', async () => ((await rowsOf('eva@example.com')).length === 8 ? true : undefined))
    // Not those that are already being sent: they would be claimed a second time.
    await server.db.query(`update mails set due_at = now() where lower(recipient) = 'eva@example.com' and claims = 0`)
    await eventually('two were sent, and the others wait', async () => {
      const sent = ({ state }: { state: string }) => state === 'sent'
      const rows = await rowsOf('eva@example.com')
      // A mail that counts twice for a moment lets the second one wait a little longer.
      const isOver = rows.filter(sent).length >= 2 && rows.every((row) => sent(row) || row.error === TOO_MANY)
      return isOver ? true : undefined
    })
    assert.equal(sentTo('eva@example.com'), 2)
  })

  it('gets ten test mails in an hour, and a workspace sends no more than ten', async () => {
    const quiet = { emailServiceConfig: { triggers: { 'api_key.created': false } } }
    const [one, other] = [(await newCallers(server.url)).workspace, (await newCallers(server.url)).workspace]
    const test = async (workspace: Client, ownerEmail: string) =>
      (await newKey(workspace, ownerEmail, quiet)).post(testEmailConfig.path, {})
    const key = await newKey(one, 'bob@example.com', quiet)
    for (let sent = 1; sent <= 10; sent++) assert.equal((await key.post(testEmailConfig.path, {})).http, 200)
    for (const answer of [await test(one, 'eve@example.com'), await test(other, 'Bob@example.com')]) {
      assert.equal(refused(answer, 'RESOURCE_EXHAUSTED').reason, 'rate_limited')
      assert.ok(Number(answer.headers.get('retry-after')) > 3_000)
    }
    assert.equal(sentTo('bob@example.com'), 10)
    assert.equal((await test(other, 'kim@example.com')).http, 200)
  })
})

describe.concurrent('an owner with MAIL_CONFIRM_OWNERS', () => {
  it('is asked to confirm once, and gets mail only after pressing the button of the link', async () => {
    const inbox = await startMailServer()
    const { url, client } = await startServer({
      ...{ SMTP_URL: inbox.url, MAIL_FROM: 'mail@commonhold.example', MAIL_CONFIRM_OWNERS: 'true' },
    })
    const { workspace } = await newCallers(url)
    const owner = {
      ownerEmail: 'Ida@example.com',
      type: 'testing',
      createAuthToken: true,
      useEmailService: true,
    } as const
    const { apiKey, authToken = '' } = await workspace.call(createApiKey, owner)
    const key = client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })

    const question = await inbox.mailTo('Ida@example.com')
    assert.equal(question.subject, 'Confirm your address')
    const link = /^http\S+\/mail\/confirm\?token=\S+$/m.exec(question.text ?? '')?.[0] ?? ''
    const answer = await key.call(testEmailConfig, {})
    assert.equal(answer.accepted, false)
    assert.match(answer.answer, /has not confirmed the address/)

    const here = link.replace(/^http:\/\/[^/]+/, url)
    const page = await fetch(here)
    assert.match(await page.text(), /Do you want mail about your API keys at Ida@example\.com\?/)
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/)
    assert.equal((await key.call(testEmailConfig, {})).accepted, false, 'opening the link confirms nothing')
    assert.equal((await fetch(`${here.slice(0, -2)}AA`)).status, 404)

    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    assert.match(await (await fetch(here, { method: 'POST', headers: form, body: '' })).text(), /is confirmed/)
    assert.equal((await key.call(testEmailConfig, {})).accepted, true)
    await eventually('the mail about the key', () => inbox.mails.find(({ subject }) => /key/i.test(subject ?? '')))
    assert.equal(inbox.mails.filter(({ subject }) => subject === 'Confirm your address').length, 1)
  })
})
