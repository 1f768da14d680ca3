/** Mail servers that accept few connections at the same time get all mails over these. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { cleanUp } from '#testing/clean-up.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { createSmtp } from './smtp.ts'

const MAILS = 40
/** What we would open. */
const CONNECTIONS = 20

/** Sends mails at the same time, and returns why some were not sent. */
async function sendTo(url: string): Promise<string[]> {
  const { send, close } = createSmtp({ url, from: 'mail@commonhold.example' }, CONNECTIONS)
  cleanUp(() => close())
  const mail = { fromEmail: '', fromCompany: '', templateId: '', content: { subject: 's', text: 't', html: 'h' } }
  const all = Array.from({ length: MAILS }, (_, nth) =>
    send({ ...mail, id: `<${nth}@commonhold.example>`, to: `${nth}@example.com` }),
  )
  return (await Promise.allSettled(all)).flatMap((one) => (one.status === 'rejected' ? [one.reason.message] : []))
}

describe('a mail server', () => {
  for (const max of [1, 3])
    it(`that accepts ${max} connections at the same time gets each mail once`, async () => {
      const post = await startMailServer({ maxClients: max })
      assert.deepEqual(await sendTo(post.url), [])
      assert.equal(new Set(post.mails.map(({ recipients: [to] }) => to)).size, MAILS)
      assert.equal(post.mails.length, MAILS)
    })

  it('that accepts no connection refuses all mails, and is not asked again and again', async () => {
    let asked = 0
    const refuse = (_session: unknown, done: (error: Error) => void) => {
      asked++
      done(Object.assign(new Error('too many connections'), { responseCode: 421 }))
    }
    const post = await startMailServer({ onConnect: refuse })
    const refusals = await sendTo(post.url)
    assert.equal(refusals.length, MAILS)
    for (const refusal of refusals) assert.match(refusal, /too many connections/)
    assert.ok(asked <= 2 * MAILS, `${asked} connections`)
  })
})
