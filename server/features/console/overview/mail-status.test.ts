/** The mail status of an API key in the console: whether mail can be sent, and the result of the last mails. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { updateEmailConfig } from '#contract/keys/service-configs.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer, startServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../../test/conformance/support/callers.ts'

const without = await sharedServer()
const server = await startServer({ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'mail@example.com' })
const statusOf = async (key: Client) => (await key.post('/console/mail/get', {})).body.result.data

describe('the state of mail', () => {
  it('says why nothing can be sent, whether e-mail is on or off', async () => {
    const key = await without.newKey()
    const off = await statusOf(key)
    assert.deepEqual(off, { isOn: false, reportsInvitations: true, missing: ['server'] })
    await key.call(updateEmailConfig, {
      useEmailService: true,
      emailServiceConfig: { type: 'sendgrid', fromEmail: 'a@example.com', triggers: { 'invitation.added': false } },
    })
    assert.deepEqual(await statusOf(key), {
      ...{ isOn: true, reportsInvitations: false, missing: ['apiKey'] },
    })
    await key.call(updateEmailConfig, { emailServiceConfig: { apiKey: 'SG.a-key-of-the-provider' } })
    assert.deepEqual(await statusOf(key), { isOn: true, reportsInvitations: false, missing: [] })
  })

  it('has the last sent mail, the last failed one, and one that is tried again', async () => {
    const [key, other] = [await server.newKey(), await server.newKey()]
    const insert = (state: string, error: string | null, finishedAt: Date | null) =>
      server.db.query(
        `insert into mails (api_key_id, kind, carrier, recipient, stream, sequences, state, error, finished_at, due_at, claims)
         values ($1, 'api_key.created', 'smtp', 'ada@example.com', gen_random_uuid(), '{1}', $2, $3, $4, clock_timestamp() + interval '1 hour', 1)`,
        [apiKeyOf(key), state, error, finishedAt],
      )
    const at = (minutesAgo: number) => new Date(Math.floor(Date.now() / 1000) * 1000 - minutesAgo * 60_000)
    assert.deepEqual(await statusOf(key), { isOn: false, reportsInvitations: true, missing: [] })
    for (const minutesAgo of [3, 9]) await insert('sent', null, at(minutesAgo))
    const lastSentAt = at(3).getTime()
    assert.deepEqual(await statusOf(key), { isOn: false, reportsInvitations: true, missing: [], lastSentAt })
    await insert('failed', '550 no such mailbox', at(5))
    await insert('pending', null, null)
    const lastFailure = { at: at(5).getTime(), kind: 'api_key.created' }
    assert.deepEqual(await statusOf(key), {
      isOn: false,
      reportsInvitations: true,
      missing: [],
      lastSentAt,
      lastFailure,
    })
    await insert('pending', 'connect ECONNREFUSED mail.internal:25', null)
    const { body } = await key.post('/console/mail/get', {})
    assert.equal(body.result.data.retriedKind, 'api_key.created')
    // Texts of mail servers name machines, and are only for the operator.
    assert.doesNotMatch(JSON.stringify(body), /mailbox|internal/)
    assert.deepEqual(await statusOf(other), { isOn: false, reportsInvitations: true, missing: [] })
  })
})
