/**
 * Mails through SendGrid: the requests to it, and the effects of its responses. Each test waits some seconds for mails
 * of its own keys, so all run at the same time.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { testEmailConfig, updateEmailConfig } from '#contract/keys/service-configs.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { addUsers } from '#contract/users/users.ts'
import { eventually } from '#testing/eventually.ts'
import { startServer } from '#testing/server.ts'
import { type SendGridRequest, startSendGrid } from '#testing/stand-ins/mail-server.ts'
import { newCallers } from '../../../../test/conformance/support/callers.ts'

const SECRET = 'SG.a-provider-key-that-nobody-may-see'

/** The responses of the provider to mails for an owner, in order; the last one is repeated. */
const answers = new Map<string, { status: number; body: string }[]>()
const recipientOf = ({ body }: SendGridRequest): string => body.personalizations[0].to[0].email

const provider = await startSendGrid((request) => {
  const mine = answers.get(recipientOf(request)) ?? []
  return (mine.length > 1 ? mine.shift() : mine[0]) ?? { status: 202, body: '' }
})
const server = await startServer({ SENDGRID_URL: provider.url })

/** The variables that templates get, as docs/guides/send-mail.md lists them. */
function templateDataOfTheGuide(): TemplateData {
  const page = readFileSync(path.join(import.meta.dirname, '../../../../docs/guides/send-mail.md'), 'utf8')
  const [, block = ''] = /^```jsonc\n(.*?)^```$/ms.exec(page) ?? []
  return JSON.parse(block.replaceAll(/ *\/\/.*$/gm, ''))
}

interface TemplateData {
  items: object[]
}
const namesIn = ({ items: [item = {}], ...facts }: TemplateData) =>
  [Object.keys(facts), Object.keys(item)].map((names) => names.sort())

let count = 0

/** A key whose owner gets a mail about it through SendGrid. */
async function newKey(config: object = {}, said: { status: number; body: string }[] = []) {
  const owner = `owner.${count++}@example.com`
  answers.set(owner, said)
  const { workspace } = await newCallers(server.url)
  const { apiKey, authToken = '' } = await workspace.call(createApiKey, {
    ownerEmail: owner,
    apiKeyName: 'Mine',
    type: 'testing',
    createAuthToken: true,
    useEmailService: true,
    emailServiceConfig: {
      type: 'sendgrid',
      apiKey: SECRET,
      fromEmail: 'mail@acme.example',
      fromCompany: 'Acme',
      ...config,
    },
  })
  const key = server.client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })
  const row = async () => {
    const { rows } = await server.db.query('select state, error from mails where api_key_id = $1', [apiKey])
    return (rows as { state: string; error: string | null }[])[0]
  }
  const requests = () => provider.requests.filter((request) => recipientOf(request) === owner)
  /** The finished row, and the requests to the provider until then. */
  const ended = async () => {
    const { state, error } = await eventually('end of the mail', async () => {
      const found = await row()
      return found === undefined || found.state === 'pending' ? undefined : found
    })
    return { state, error, requests: requests() }
  }
  return { key, owner, row, requests, ended }
}

describe.concurrent('SendGrid', () => {
  it('gets our text, with the SendGrid key of the API key', async () => {
    const { owner, ended } = await newKey()
    const { state, requests } = await ended()
    assert.equal(state, 'sent')
    const [request, ...more] = requests
    assert.equal(more.length, 0)
    assert.equal(request?.path, '/v3/mail/send')
    assert.equal(request?.authorization, `Bearer ${SECRET}`)
    const { content, headers, ...rest } = request?.body ?? {}
    assert.deepEqual(rest, {
      personalizations: [{ to: [{ email: owner }] }],
      from: { email: 'mail@acme.example', name: 'Acme' },
      subject: 'API key “Mine” was created',
    })
    assert.match(headers['Message-ID'], /^<[0-9a-f-]{36}@commonhold\.invalid>$/)
    assert.deepEqual(
      content.map(({ type }: { type: string }) => type),
      ['text/plain', 'text/html'],
    )
    assert.match(content[0].value, /^Hello,\n\nAn API key that names you as its owner was created\./)
    assert.match(content[1].value, /^<!doctype html>/)
  })

  it('gets the template of the kind of mail and its variables', async () => {
    const { key } = await newKey({
      triggers: { 'api_key.created': false, 'permission.added': true },
      templateIds: { 'permission.added': 'd-123' },
    })
    const email = `ada.${count++}@example.com`
    await key.call(addOrganizations, { organizations: [{ organizationId: 'acme', organizationName: 'Acme <Inc>' }] })
    await key.call(addPermissions, {
      user: { userId: 'ada' },
      permissions: {
        resources: [
          { type: 'document', id: 'plans', organizationId: 'acme', accessRole: 'viewer', expiresAt: 2_000_000_000 },
        ],
      },
    })
    await key.call(addUsers, { organizationId: 'acme', users: [{ userId: 'ada', name: 'Ada', email }] })
    const request = await eventually('mail to ada', () => provider.requests.find((each) => recipientOf(each) === email))
    const { template_id, personalizations, subject, content } = request.body
    assert.equal(template_id, 'd-123')
    assert.deepEqual([subject, content], [undefined, undefined])
    assert.deepEqual(namesIn(personalizations[0].dynamic_template_data), namesIn(templateDataOfTheGuide()))
    const { items, ...facts } = personalizations[0].dynamic_template_data
    assert.deepEqual(facts, {
      kind: 'permission.added',
      apiKeyName: 'Mine',
      company: 'Acme',
      userName: 'Ada',
      organization: { id: 'acme', name: 'Acme <Inc>' },
      more: 0,
    })
    assert.deepEqual(
      items.map(({ at, ...item }: { at: string }) => item),
      [
        {
          resource: { type: 'document', id: 'plans', name: 'plans' },
          accessRole: 'viewer',
          expiresAt: '2033-05-18 03:33 UTC',
        },
        { resource: { type: 'organization', id: 'acme', name: 'Acme <Inc>' }, accessRole: 'editor', expiresAt: '' },
      ].slice(-items.length),
    )
  })

  it('gets one request when it refuses permanently, and the row has the reason, without the key', async () => {
    const { ended } = await newKey({}, [{ status: 401, body: `{"errors": ["${SECRET} is revoked\\r\\n"]}` }])
    const { state, error, requests } = await ended()
    assert.equal(state, 'failed')
    assert.equal(error, '401 Unauthorized {"errors": ["******** is revoked\\r\\n"]}')
    assert.equal(requests.length, 1)
  })

  it('gets another request after a temporary failure, under the same Message-ID', async () => {
    const { ended } = await newKey({}, [
      { status: 503, body: 'later' },
      { status: 429, body: '' },
      { status: 202, body: '' },
    ])
    const { state, error, requests } = await ended()
    assert.equal(state, 'sent')
    assert.equal(error, null)
    assert.equal(requests.length, 3)
    assert.equal(new Set(requests.map(({ body }) => body.headers['Message-ID'])).size, 1)
  })

  it('is not followed to another server, because the key would be sent there', async () => {
    const { ended } = await newKey({}, [{ status: 307, body: '' }])
    const { state, error, requests } = await ended()
    assert.deepEqual([state, error, requests.length], ['failed', '307 Temporary Redirect', 1])
  })

  it('may send a long response, of which only a short part is stored', async () => {
    const { ended } = await newKey({}, [{ status: 400, body: 'x'.repeat(5_000_000) }])
    const { error } = await ended()
    assert.equal(error?.length, 500)
  })

  for (const [config, reason] of [
    [{ fromEmail: '' }, 'emailServiceConfig.fromEmail is not set.'],
    [{ apiKey: '' }, 'emailServiceConfig.apiKey is not set.'],
    [{ apiKey: 'two\nlines' }, 'emailServiceConfig.apiKey is no key of a provider.'],
    [{ fromEmail: 'a@b' }, 'emailServiceConfig.fromEmail is no address that mail can come from.'],
  ] as const)
    it(`gets no request that it could not fulfil, and the row says so: ${JSON.stringify(config)}`, async () => {
      const { ended } = await newKey(config)
      const { state, error, requests } = await ended()
      assert.deepEqual([state, error, requests], ['failed', reason, []])
    })
})

describe.concurrent('email-config.test with SendGrid', () => {
  it('returns its response, success or failure, without the key', async () => {
    const { key } = await newKey({ triggers: { 'api_key.created': false } }, [
      { status: 202, body: '' },
      { status: 403, body: `${SECRET} may not send as mail@acme.example` },
    ])
    assert.partialDeepStrictEqual(await key.call(testEmailConfig, {}), { accepted: true, answer: '202 Accepted' })
    assert.partialDeepStrictEqual(await key.call(testEmailConfig, {}), {
      accepted: false,
      answer: '403 Forbidden ******** may not send as mail@acme.example',
    })
  })

  it('works before the service is switched on', async () => {
    const { key, requests } = await newKey({ triggers: { 'api_key.created': false } })
    await key.call(updateEmailConfig, { useEmailService: false })
    assert.equal((await key.call(testEmailConfig, {})).accepted, true)
    assert.equal(requests().length, 1)
  })
})
