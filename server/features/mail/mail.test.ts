/**
 * Mails about events: their recipients, times and texts; and that texts of others stay texts. Each test waits some
 * seconds for mails of its own key, so all run at the same time.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { createApiKey, deleteApiKey } from '#contract/keys/api-keys.ts'
import { resetAuthToken } from '#contract/keys/auth-tokens.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { testEmailConfig, updateEmailConfig } from '#contract/keys/service-configs.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { migrateDocument } from '#contract/resources/migrations.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { addUsers } from '#contract/users/users.ts'
import type { Client } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { completeErasure } from '#testing/jobs.ts'
import { sharedServer, startServer, type TestServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { ROADMAP, startAskingUser } from '#testing/stand-ins/permission-provider.ts'
import { apiKeyOf, newCallers } from '../../../test/conformance/support/callers.ts'
import { refused } from '../../../test/conformance/support/refused.ts'

const post = await startMailServer()
const server = await startServer({ SMTP_URL: post.url, MAIL_FROM: 'mail@commonhold.example' })
const withoutPost = await sharedServer()

let count = 0

interface World {
  key: Client
  workspace: Client
  owner: string
  /** The name of the key. */
  name: string
  /** An address of this world alone. */
  address: (name: string) => string
}

/** A key of an owner of its own that sends mail. */
async function newWorld(emailServiceConfig: object = {}, { url, client }: TestServer = server): Promise<World> {
  const number = count++
  const address = (name: string) => `${name}.${number}@example.com`
  const owner = address('owner')
  const name = `Key ${number}`
  const { workspace } = await newCallers(url)
  const { apiKey, authToken = '' } = await workspace.call(createApiKey, {
    ownerEmail: owner,
    apiKeyName: name,
    type: 'testing',
    createAuthToken: true,
    useEmailService: true,
    emailServiceConfig,
  })
  const key = client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })
  return { key, workspace, owner, name, address }
}

const TO_USERS = { triggers: { 'permission.added': true, 'permission.expiring': true } } as const

const grant = ({ key }: World, userId: string, ids: readonly string[], more: object = {}) =>
  key.call(addPermissions, {
    user: { userId },
    permissions: { resources: ids.map((id) => ({ type: 'document' as const, id, organizationId: 'acme', ...more })) },
  })

/** Ada and others, with addresses, in an organization with a name. */
async function newTeam(world: World, ...names: string[]): Promise<void> {
  await world.key.call(addOrganizations, {
    organizations: [{ organizationId: 'acme', organizationName: 'Acme & Söhne' }],
  })
  const users = names.map((userId) => ({ userId, name: `${userId} the <first>`, email: world.address(userId) }))
  if (users.length > 0) await world.key.call(addUsers, { organizationId: 'acme', users })
}

interface Row {
  kind: string
  state: string
  userId: string | null
  recipient: string
  error: string | null
  /** The number of grants in the mail. */
  events: number
}

const sentTo = (address: string) => post.mails.filter(({ recipients }) => recipients.includes(address))

const rowsOf = async ({ key }: World, { db }: TestServer = server) => {
  const { rows } = await db.query(
    'select kind, state, user_id as "userId", recipient, error, cardinality(sequences) as events from mails where api_key_id = $1 order by kind, user_id',
    [apiKeyOf(key)],
  )
  return rows as Row[]
}

/** Waits until every event of the key so far has been processed. */
const followed = async ({ key }: World, { db }: TestServer = server) => {
  await eventually('follower that has read everything', async () => {
    const { rows } = await db.query(
      `select from event_followers f
        where f.consumer = 'mail' and f.api_key_id = $1 and f.until is null
          and not exists (select from events e where e.api_key_id = f.api_key_id and not pg_visible_in_snapshot(e.written_by, f.seen))`,
      [apiKeyOf(key)],
    )
    return rows[0]
  })
}

describe.concurrent('a mail', () => {
  it('notifies the owner of a new key, without a setting', async () => {
    const { owner } = await newWorld()
    const mail = await post.mailTo(owner)
    assert.equal(mail.envelopeFrom, 'mail@commonhold.example')
    assert.deepEqual(mail.from, { name: '', address: 'mail@commonhold.example' })
    assert.deepEqual(mail.to, [{ name: '', address: owner }])
    assert.match(mail.subject ?? '', /^API key “Key \d+” was created$/)
    assert.match(mail.text ?? '', /“Key \d+”, \d{4}-\d\d-\d\d \d\d:\d\d UTC, by workspace from 127\.0\.0\.1/)
    assert.match(mail.html ?? '', /<li>“Key \d+”, /)
    assert.match(mail.messageId ?? '', /^<[0-9a-f-]{36}@commonhold\.example>$/)
    assert.ok(mail.headers.some(({ key, value }) => key === 'auto-submitted' && value === 'auto-generated'))
  })

  it('notifies the owner that the auth tokens were replaced, and contains no secret', async () => {
    const world = await newWorld({ triggers: { 'api_key.created': false } })
    const { newAuthToken } = await world.workspace.call(resetAuthToken, { apiKey: apiKeyOf(world.key) })
    const mail = await post.mailTo(world.owner)
    assert.match(mail.subject ?? '', /^The auth token of API key “Key \d+” was replaced$/)
    assert.ok(!mail.raw.includes(newAuthToken.token))
    assert.deepEqual(
      (await rowsOf(world)).map(({ kind }) => kind),
      ['auth_token.reset'],
    )
  })

  it('notifies the owner how migrations ended', async () => {
    const world = await newWorld({ triggers: { 'api_key.created': false } })
    await newTeam(world)
    await world.key.call(addDocuments, { organizationId: 'acme', documents: [{ documentId: 'old' }] })
    await world.key.call(migrateDocument, { organizationId: 'acme', documentId: 'old', newDocumentId: 'new' })
    await world.key.call(migrateDocument, { organizationId: 'acme', documentId: 'nowhere', newDocumentId: 'else' })
    const mails = await eventually('two mails', () => {
      const found = sentTo(world.owner)
      return found.length === 2 ? found : undefined
    })
    const texts = mails.map(({ subject, text }) => `${subject}\n${text}`).toSorted()
    assert.match(texts[0] ?? '', /^A document was migrated in “Acme & Söhne”\n[\s\S]*- “old” to “new”\n/)
    assert.match(
      texts[1] ?? '',
      /^A migration failed in “Acme & Söhne”\n[\s\S]*- “nowhere” to “else”: document does not exist\n/,
    )
  })

  it('notifies users of their access, if the key has that on and they have an address', async () => {
    const world = await newWorld({ ...TO_USERS, fromCompany: 'Acme', fromEmail: 'help@acme.example' })
    await newTeam(world, 'ada')
    await world.key.call(addUsers, { organizationId: 'acme', users: [{ userId: 'mute' }] })
    await post.mailTo(world.address('ada'))
    await grant(world, 'ada', ['plans'], { accessRole: 'viewer', expiresAt: 2_000_000_000 })
    await grant(world, 'mute', ['plans'])
    await grant(world, 'unknown', ['plans'])
    const mails = await eventually('two mails', () => {
      const found = sentTo(world.address('ada'))
      return found.length === 2 ? found : undefined
    })
    const [welcome, access] = mails
    assert.equal(welcome?.subject, 'You have access to organization “Acme & Söhne”')
    assert.equal(access?.subject, 'You have access to document “plans”')
    assert.deepEqual(access?.from, { name: 'Acme via commonhold.example', address: 'mail@commonhold.example' })
    assert.deepEqual(access?.replyTo, [{ name: 'Acme', address: 'help@acme.example' }])
    assert.match(access?.text ?? '', /^Hello ada the <first>,\n/)
    assert.match(access?.text ?? '', /- document “plans” as viewer, until 2033-05-18 03:33 UTC\n/)
    assert.match(access?.html ?? '', /<p>Hello ada the &lt;first&gt;,<\/p>/)
    const users = (await rowsOf(world)).filter(({ userId }) => userId !== null)
    assert.deepEqual(new Set(users.map(({ userId }) => userId)), new Set(['ada']))
  })

  it('is not sent to a disabled user, even if it was waiting already', async () => {
    const world = await newWorld(TO_USERS)
    await newTeam(world, 'ada', 'bob', 'eve')
    for (const name of ['ada', 'bob', 'eve']) await post.mailTo(world.address(name))
    const disable = (userId: string) => world.key.call(disableUsers, { userIds: [userId], disabled: true })
    await disable('ada')
    for (const userId of ['ada', 'bob', 'eve']) await grant(world, userId, ['plans'])
    await eventually('waiting mail', async () =>
      (await rowsOf(world)).find(({ state, userId }) => state === 'pending' && userId === 'bob'),
    )
    await disable('bob')
    await eventually('second mail', () => sentTo(world.address('eve'))[1])
    const bobs = await eventually('mail that is given up', async () =>
      (await rowsOf(world)).find(({ userId, error }) => userId === 'bob' && error !== null),
    )
    assert.match(bobs.error ?? '', /the user is disabled/)
    assert.deepEqual([sentTo(world.address('ada')).length, sentTo(world.address('bob')).length], [1, 1])
  })

  it('is sent only if the key has it on', async () => {
    const world = await newWorld({ triggers: { 'api_key.created': false } })
    await newTeam(world, 'ada')
    await grant(world, 'ada', ['plans'])
    await followed(world)
    assert.deepEqual(await rowsOf(world), [])
  })

  it('reports access once, not at every sign-in that extends it', async () => {
    const world = await newWorld(TO_USERS)
    await newTeam(world)
    const signIn = (expiresAt: number) =>
      world.key.call(generateToken, {
        userId: 'ada',
        userProperties: { email: world.address('ada') },
        permissions: { resources: [{ type: 'document', id: 'plans', organizationId: 'acme', expiresAt }] },
      })
    await signIn(2_000_000_000)
    await followed(world)
    await signIn(2_000_000_001)
    await followed(world)
    await grant(world, 'ada', ['plans'], { accessRole: 'viewer', expiresAt: 2_000_000_001 })
    await followed(world)
    const told = (await rowsOf(world)).filter(({ kind }) => kind === 'permission.added')
    assert.equal(
      told.reduce((sum, { events }) => sum + events, 0),
      2,
    )
  })

  it('does not report grants of a permission provider', async () => {
    const own = await startServer({ SMTP_URL: post.url, MAIL_FROM: 'mail@example.com', WEBHOOK_ALLOW_PRIVATE: 'true' })
    const { key, ada } = await startAskingUser(own)
    const world = { ...(await newWorld({}, own)), key }
    await key.call(setProfiles, { users: [{ userId: 'ada', email: world.address('ada') }] })
    await key.call(updateEmailConfig, { useEmailService: true, emailServiceConfig: TO_USERS })
    await key.call(updateKeyConfig, { expiringSoonSeconds: 86_400 })
    await ada.call(checkPermissions, { checks: [{ resource: ROADMAP }] })
    await followed(world, own)
    assert.deepEqual(await rowsOf(world, own), [])
    await grant(world, 'ada', ['other'])
    await followed(world, own)
    assert.deepEqual(
      (await rowsOf(world, own)).map(({ kind, events }) => [kind, events]),
      [['permission.added', 1]],
    )
  })

  it('lists many grants to one user in one mail', async () => {
    const world = await newWorld(TO_USERS)
    await newTeam(world, 'ada', 'bob')
    await Promise.all(['ada', 'bob'].map((name) => post.mailTo(world.address(name))))
    const ids = Array.from({ length: 120 }, (_, index) => `d${index}`)
    await grant(world, 'ada', ids)
    await grant(world, 'bob', ids.slice(0, 2))
    const mail = await eventually('mail with a list', () =>
      sentTo(world.address('ada')).find(({ subject }) => /120 resources/.test(subject ?? '')),
    )
    assert.equal(mail.subject, 'You have access to 120 resources in “Acme & Söhne”')
    assert.match(mail.text ?? '', /- document “d0” as editor\n- document “d1” as editor\n[\s\S]*\n- and 70 more\n/)
  })

  it('notifies the members of a user group of the grants of the group', async () => {
    const world = await newWorld(TO_USERS)
    await newTeam(world, 'ada', 'bob')
    const organizationUserGroups = [{ groupId: 'design' }]
    await world.key.call(addUserGroups, { organizationId: 'acme', createOrganization: true, organizationUserGroups })
    const users = [{ userId: 'ada' }, { userId: 'bob' }]
    await world.key.call(addUsers, { organizationId: 'acme', users })
    await world.key.call(addUserGroupUsers, {
      organizationId: 'acme',
      organizationUserGroupId: 'design',
      userIds: ['ada'],
    })
    await world.key.call(addPermissions, {
      group: { organizationId: 'acme', groupId: 'design' },
      permissions: { resources: [{ type: 'document', id: 'plans', accessRole: 'viewer' }] },
    })
    await eventually('mail to the member', () =>
      sentTo(world.address('ada')).find(({ text }) =>
        /- document “plans” as viewer by user group “design”\n/.test(text ?? ''),
      ),
    )
    await followed(world)
    assert.deepEqual(
      sentTo(world.address('bob')).filter(({ text }) => /user group/.test(text ?? '')),
      [],
    )
  })

  it('notifies users that their access expires soon', async () => {
    const world = await newWorld(TO_USERS)
    await newTeam(world, 'ada')
    await world.key.call(updateKeyConfig, { expiringSoonSeconds: 3_600 })
    const expiresAt = Math.floor(Date.now() / 1000) + 3_602
    await grant(world, 'ada', ['plans'], { expiresAt })
    const mail = await eventually('mail about the end', () =>
      sentTo(world.address('ada')).find(({ subject }) => /ends soon/.test(subject ?? '')),
    )
    assert.equal(mail.subject, 'Your temporary access to document “plans” ends soon')
    const until = `${new Date(expiresAt * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
    assert.ok(mail.text?.includes(`- document “plans” as editor, until ${until}\n`))
  })

  it('shows texts of others as plain text', async () => {
    const evil = '<script>alert(1)</script>\r\nBcc: eve@example.com\r\n\r\n<h1>\u202eexe.fdp'
    const tame = '<script>alert(1)</script> Bcc: eve@example.com <h1>exe.fdp'
    const world = await newWorld({ ...TO_USERS, fromCompany: `${evil}"` })
    await world.key.call(addOrganizations, { organizations: [{ organizationId: 'acme', organizationName: evil }] })
    await world.key.call(addDocuments, {
      organizationId: 'acme',
      documents: [{ documentId: 'plans', documentName: evil }],
    })
    await world.key.call(addUsers, {
      organizationId: 'acme',
      documentId: 'plans',
      users: [{ userId: 'ada', name: evil, email: world.address('ada') }],
    })
    const mail = await post.mailTo(world.address('ada'))
    assert.deepEqual(mail.recipients, [world.address('ada')])
    const names = ['from', 'to', 'subject', 'message-id', 'date', 'mime-version', 'content-type', 'auto-submitted']
    assert.deepEqual(mail.headers.map(({ key }) => key).toSorted(), names.toSorted())
    assert.equal(mail.subject, `You have access to document “${tame}”`)
    assert.deepEqual(mail.from, { name: `${tame}" via commonhold.example`, address: 'mail@commonhold.example' })
    assert.ok(mail.text?.startsWith(`Hello ${tame},\n`))
    assert.doesNotMatch(mail.html ?? '', /<script|<h1|\u202e/)
    assert.ok(mail.html?.includes('&lt;script&gt;alert(1)&lt;/script&gt; Bcc: eve@example.com &lt;h1&gt;exe.fdp'))
  })

  it('is not sent if a user has no valid address, or several', async () => {
    const world = await newWorld(TO_USERS)
    await newTeam(world)
    const emails = ['ada,eve@example.com', '<ada@example.com>', 'ada@nowhere']
    const users = emails.map((email, index) => ({ userId: `user${index}`, email }))
    await world.key.call(addUsers, { organizationId: 'acme', users })
    const rows = await eventually('end of all of them', async () => {
      const found = (await rowsOf(world)).filter(({ userId }) => userId !== null)
      return found.length === 3 && found.every(({ state }) => state !== 'pending') ? found : undefined
    })
    for (const { state, error } of rows) {
      assert.equal(state, 'failed')
      assert.equal(error, 'The address of the recipient cannot get mail.')
    }
    assert.deepEqual(
      post.mails.filter(({ recipients }) => recipients.includes('eve@example.com')),
      [],
    )
  })

  it('is sent only while the service is on', async () => {
    const world = await newWorld(TO_USERS)
    await newTeam(world, 'ada', 'bob', 'cy')
    await followed(world)
    const service = (useEmailService: boolean) => world.key.call(updateEmailConfig, { useEmailService })
    await service(false)
    await grant(world, 'ada', ['plans'])
    await service(true)
    await grant(world, 'bob', ['plans'])
    await followed(world)
    await service(false)
    await grant(world, 'cy', ['plans'])
    await sleep(4_000)
    const told = (await rowsOf(world)).filter(({ kind }) => kind === 'permission.added')
    const events = Object.groupBy(told, ({ userId }) => userId ?? '')
    const sum = (userId: string) => events[userId]?.reduce((total, row) => total + row.events, 0)
    assert.deepEqual(['ada', 'bob', 'cy'].map(sum), [1, 2, 1], 'each was made a member, and bob was given more')
  })

  it('is not created if the installation has no mail server, whatever the settings of the key', async () => {
    const world = await newWorld(TO_USERS, withoutPost)
    await newTeam(world, 'ada')
    await followed(world, withoutPost)
    assert.deepEqual(await rowsOf(world, withoutPost), [])
  })
})

describe.concurrent('the rows of mails', () => {
  it('are deleted with the data of their user: all of them, or those about an organization', async () => {
    const world = await newWorld(TO_USERS)
    await newTeam(world, 'ada', 'bob')
    await world.key.call(addUsers, {
      organizationId: 'other',
      createOrganization: true,
      users: [{ userId: 'ada' }, { userId: 'bob' }],
    })
    const people = async () => (await rowsOf(world)).flatMap(({ userId }) => userId ?? [])
    await eventually('four mails', async () => ((await people()).length === 4 ? true : undefined))
    await completeErasure(world.key, { userIds: ['ada'] })
    assert.deepEqual(await people(), ['bob', 'bob'])
    await completeErasure(world.key, { userIds: ['bob'], organizationIds: ['other'] })
    assert.deepEqual(await people(), ['bob'])
  })

  it('are deleted with the key', async () => {
    const world = await newWorld()
    await post.mailTo(world.owner)
    assert.equal((await rowsOf(world)).length, 1)
    await world.workspace.call(deleteApiKey, { apiKey: apiKeyOf(world.key), apiKeyName: world.name })
    assert.deepEqual(await rowsOf(world), [])
  })
})

describe.concurrent('email-config.test', () => {
  it('sends a mail to the owner at once and returns the response of the server', async () => {
    const world = await newWorld({ triggers: { 'api_key.created': false } })
    const answer = await world.key.call(testEmailConfig, {})
    assert.equal(answer.accepted, true)
    assert.equal(answer.recipient, world.owner)
    assert.match(answer.answer, /^250 /)
    assert.match((await post.mailTo(world.owner)).subject ?? '', /^Test mail of API key “Key \d+”$/)
    assert.deepEqual(await rowsOf(world), [])
  })

  it('is refused without a mail server', async () => {
    const world = await newWorld({}, withoutPost)
    const { reason } = refused(await world.key.post(testEmailConfig.path, {}), 'FAILED_PRECONDITION')
    assert.equal(reason, 'mail_server_missing')
  })
})
