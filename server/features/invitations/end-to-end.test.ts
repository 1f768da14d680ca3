/** Invitations from the mail to the access: the mail arrives, the person accepts, reads and edits, and signed webhooks report it. */
import assert from 'node:assert/strict'
import { Webhook } from 'standardwebhooks'
import { afterAll, describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { updateEmailConfig } from '#contract/keys/service-configs.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addInvitation, respondToInvitation } from '#contract/resources/invitations.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { getWebhookSecret } from '#contract/webhooks/secrets.ts'
import type { Client } from '#testing/client.ts'
import { createClient } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { completeErasure } from '#testing/jobs.ts'
import { startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { startReceiver } from '#testing/stand-ins/receiver.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'

const post = await startMailServer()
const server = await startServer({
  SMTP_URL: post.url,
  MAIL_FROM: 'mail@commonhold.example',
  WEBHOOK_ALLOW_PRIVATE: 'true',
})
const receiver = await startReceiver()
afterAll(() => receiver.close())

const organizationId = 'acme'
const document = { organizationId, type: 'doc_user', documentId: 'roadmap' } as const
let count = 0

/** A key that sends mail, with an organization and a document, and an address of its own. */
async function newWorld(emailServiceConfig: object = {}): Promise<{ key: Client; email: string }> {
  const key = await server.client.newKey({ useEmailService: true, emailServiceConfig })
  await key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
  await key.call(addOrganizations, { organizations: [{ organizationId, organizationName: 'Acme' }] })
  await key.call(addDocuments, { organizationId, documents: [{ documentId: 'roadmap', documentName: 'Roadmap' }] })
  return { key, email: `grace.${count++}@example.com` }
}

const mailsTo = (email: string) => post.mails.filter(({ recipients }) => recipients.includes(email))

/** The mails of a key that are stored, when all of its events have been read and all mails are finished. */
async function settled(key: Client): Promise<{ state: string; recipient: string; error: string | null }[]> {
  return eventually('quiet outbox', async () => {
    const { rows: unread } = await server.db.query(
      `select from event_followers f
        where f.consumer = 'mail' and f.api_key_id = $1
          and (f.until is not null or exists (select from events e where e.api_key_id = f.api_key_id
                                                 and not pg_visible_in_snapshot(e.written_by, f.seen)))`,
      [apiKeyOf(key)],
    )
    const { rows } = await server.db.query(
      `select state, recipient, error from mails where api_key_id = $1 and kind = 'invitation.added'`,
      [apiKeyOf(key)],
    )
    const mails = rows as { state: string; recipient: string; error: string | null }[]
    return unread.length > 0 || mails.some(({ state }) => state === 'pending') ? undefined : mails
  })
}

describe.concurrent('an invitation', () => {
  it('arrives by mail, is accepted, gives access, and is reported by signed webhooks', async () => {
    const { key, email } = await newWorld({ fromCompany: 'Acme' })
    await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
    const { id: endpointId } = await key.call(createWebhookEndpoint, {
      url: receiver.url,
      filterTypes: ['invitation.added', 'invitation.accepted', 'permission.added'],
    })
    const { secret } = await key.call(getWebhookSecret, { endpointId })
    await key.call(setProfiles, { users: [{ userId: 'ada', name: 'Ada' }] })
    await key.call(addInvitation, { ...document, email, accessRole: 'editor', invitedBy: { userId: 'ada' } })

    const mail = await post.mailTo(email)
    assert.equal(mail.subject, 'Ada invites you to document “Roadmap”')
    assert.match(mail.text ?? '', /Ada invites you to work together in “Acme”:\s+- document “Roadmap” as editor/)
    assert.match(mail.text ?? '', /To accept, sign in to Acme with this e-mail address\./)
    assert.match(mail.html ?? '', /<li>document “Roadmap” as editor<\/li>/)

    const { token: authToken } = await key.call(generateToken, { userId: 'grace' })
    const grace = createClient(server.url, { authorization: `Bearer ${authToken}` })
    const resource = { type: 'document', id: 'roadmap', organizationId } as const
    const edits = async () => {
      const { checks } = await grace.call(checkPermissions, {
        checks: [{ userId: 'grace', resource, atLeast: 'editor' }],
      })
      return checks[0]?.allowed
    }
    assert.equal(await edits(), false)
    const user = { userId: 'grace', name: 'Grace' }
    await key.call(respondToInvitation, { ...document, email, status: 'ACCEPTED', user, authToken })
    assert.equal(await edits(), true)

    const messages = await receiver.until(3)
    for (const { body, headers } of messages) new Webhook(secret).verify(body, headers as Record<string, string>)
    const told = messages.map(({ json }) => [json.event, json.data.userId, json.data.resource.id])
    assert.deepEqual(told, [
      ['invitation.added', undefined, 'roadmap'],
      ['invitation.accepted', 'grace', 'roadmap'],
      ['permission.added', 'grace', 'roadmap'],
    ])
    assert.equal(messages[0]?.json.data.after.email, email)
  })

  it('sends one mail for several within a few seconds, and another when it is renewed later', async () => {
    const { key, email } = await newWorld()
    await key.call(addInvitation, { ...document, email })
    await key.call(addInvitation, { ...document, email, documentName: 'The plan' })
    await key.call(addInvitation, { organizationId, type: 'org_user', email, accessRole: 'viewer' })
    const mail = await post.mailTo(email)
    assert.equal(mail.subject, 'You are invited to 2 resources in “Acme”')
    assert.match(mail.text ?? '', /- document “The plan”\s+- organization “Acme” as viewer\s/)
    await key.call(addInvitation, { ...document, email })
    await eventually('second mail', () => mailsTo(email)[1])
  })

  it('turns no text of a tenant into a header, an element or a link', async () => {
    const { key, email } = await newWorld({ fromCompany: 'https://evil.example/company' })
    const name = 'Grace\r\nBcc: victim@example.com <a href="https://evil.example">win</a>'
    await key.call(addInvitation, { ...document, email, documentName: 'www.evil.example', invitedBy: { name } })
    const mail = await post.mailTo(email)
    assert.deepEqual(mail.recipients, [email])
    assert.ok(!mail.headers.some(({ key: header }) => header === 'bcc'))
    for (const part of [mail.text ?? '', mail.html ?? '']) {
      assert.doesNotMatch(part, /https?:\/\/|www\.\w|evil\.example/)
      assert.match(part, /evil/)
    }
    assert.doesNotMatch(mail.html ?? '', /<a /)
  })

  it('sends no mail when it was withdrawn, when the person was erased, or when the key has mail off', async () => {
    const { key, email } = await newWorld()
    await key.call(addInvitation, { ...document, email })
    await key.call(respondToInvitation, { ...document, email, status: 'WITHDRAWN' })
    assert.ok((await settled(key)).every(({ state }) => state === 'failed'))
    await key.call(setProfiles, { users: [{ userId: 'grace', email }] })
    await key.call(addInvitation, { ...document, email })
    await completeErasure(key, { userIds: ['grace'] })
    await key.call(updateEmailConfig, { emailServiceConfig: { triggers: { 'invitation.added': false } } })
    await key.call(addInvitation, { ...document, email })
    assert.deepEqual(await settled(key), [])
    assert.deepEqual(mailsTo(email), [])
  })
})
