/**
 * Mails that wait, for example because a mail server refuses strangers at first, say what holds when they are sent: to
 * the present address, and about nothing to which the user has lost access (rules/events.md#mail).
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { addDocuments, updateDocuments } from '#contract/resources/documents.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { eventually } from '#testing/eventually.ts'
import { beginErasure, completeMigration } from '#testing/jobs.ts'
import { startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { newCallers } from '../../../test/conformance/support/callers.ts'

const organizationId = 'acme'
let count = 0

/** A key that mails about access through a mail server whose answer to recipients is `answer`. */
async function newWorld(more: Record<string, string> = {}) {
  const number = count++
  const world = { answer: async (_address: string): Promise<string | undefined> => 'greylisted' }
  const post = await startMailServer({
    onRcptTo: ({ address }, _session, done) =>
      void world
        .answer(address)
        .then((said) => done(said === undefined ? null : Object.assign(new Error(said), { responseCode: 450 }))),
  })
  const server = await startServer({ SMTP_URL: post.url, MAIL_FROM: 'mail@commonhold.example', ...more })
  const { workspace } = await newCallers(server.url)
  const { apiKey, authToken = '' } = await workspace.call(createApiKey, {
    ...{ ownerEmail: 'owner@example.com', type: 'testing', createAuthToken: true, useEmailService: true },
    emailServiceConfig: {
      triggers: { 'permission.added': true, 'api_key.created': false, 'document.migration.completed': false },
    },
  })
  const key = server.client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })
  const resources = (...ids: string[]) => ids.map((id) => ({ type: 'document' as const, id, organizationId }))
  await key.call(addDocuments, {
    ...{ organizationId, createOrganization: true },
    documents: ['plans', 'budget'].map((documentId) => ({ documentId, accessType: 'restricted' as const })),
  })
  const rows = async () =>
    (await server.db.query('select state, error, recipient from mails where api_key_id = $1', [apiKey])).rows as {
      state: string
      error: string | null
      recipient: string
    }[]
  return Object.assign(world, {
    ...{ post, key, rows, db: server.db },
    address: (userId: string) => `${userId}.${number}@example.com`,
    setAddress: (userId: string, email: string | null) => key.call(setProfiles, { users: [{ userId, email }] }),
    grant: (userId: string, ...ids: string[]) =>
      key.call(addPermissions, { user: { userId }, permissions: { resources: resources(...ids) } }),
    revoke: (userId: string, ...ids: string[]) =>
      key.call(removePermissions, { userId, permissions: { resources: resources(...ids) } }),
    rename: (documentId: string, documentName: string) =>
      key.call(updateDocuments, { organizationId, documents: [{ documentId, documentName }] }),
    migrate: (documentId: string, newDocumentId: string) =>
      completeMigration(key, { organizationId, documentId, newDocumentId }),
    refused: (times = 1) =>
      eventually('refused mails', async () =>
        (await rows()).filter(({ error }) => error !== null).length >= times ? true : undefined,
      ),
    hurry: () => server.db.query(`update mails set due_at = now() where state = 'pending'`),
    over: () =>
      eventually('no mail that waits', async () => {
        const all = await rows()
        return all.length > 0 && all.every(({ state }) => state !== 'pending') ? all : undefined
      }),
  })
}

describe.concurrent('a mail about access', () => {
  it('leaves out what the user has lost since, and its new name', async () => {
    const world = await newWorld()
    const { address, setAddress, grant, revoke, rename, refused, hurry, over, post } = world
    await setAddress('ada', address('ada'))
    await setAddress('bob', address('bob'))
    await grant('ada', 'plans', 'budget')
    await grant('bob', 'budget')
    await refused(2)
    await revoke('ada', 'budget')
    await revoke('bob', 'budget')
    await rename('budget', 'Layoffs')
    world.answer = async () => undefined
    await hurry()
    const states = (await over()).map(({ state }) => state)
    assert.deepEqual(states.toSorted(), ['failed', 'sent'])
    assert.deepEqual(
      post.mails.map(({ recipients, subject }) => [recipients, subject]),
      [[[address('ada')], 'You have access to document “plans”']],
    )
    assert.doesNotMatch(post.mails[0]?.raw ?? '', /budget|Layoffs|more/)
  })

  it('is not handed over if the access is lost while the mail server waits for it', async () => {
    const world = await newWorld()
    const { address, setAddress, grant, revoke, rename, over, post } = world
    await setAddress('ada', address('ada'))
    world.answer = async () => {
      world.answer = async () => undefined
      await revoke('ada', 'budget')
      await rename('budget', 'Layoffs')
      return undefined
    }
    await grant('ada', 'plans', 'budget')
    await over()
    assert.equal(post.mails.length, 1)
    assert.doesNotMatch(post.mails[0]?.raw ?? '', /budget|Layoffs|more/)
  })

  it('is not sent to a user whose erasure has begun', async () => {
    const world = await newWorld()
    const { key, db, address, setAddress, grant, over, post } = world
    await setAddress('ada', address('ada'))
    let complete = async () => {}
    world.answer = async () => {
      complete = await beginErasure(db, key, { userIds: ['ada'] })
      return undefined
    }
    await grant('ada', 'plans')
    await over()
    await complete()
    assert.equal(post.mails.length, 0)
  })

  it('goes to the address that the profile has when it is sent, and to nobody without one', async () => {
    const world = await newWorld()
    const { address, setAddress, grant, refused, hurry, over, post } = world
    await setAddress('ada', address('ada'))
    await setAddress('bob', address('bob'))
    await grant('ada', 'plans')
    await grant('bob', 'plans')
    await refused(2)
    await setAddress('ada', address('new'))
    await setAddress('bob', null)
    world.answer = async () => undefined
    await hurry()
    await over()
    assert.deepEqual(
      post.mails.map(({ recipients }) => recipients),
      [[address('new')]],
    )
  })

  it('counts for the address that gets it: nobody is flooded by changing addresses', async () => {
    const world = await newWorld({ MAILS_PER_RECIPIENT: '2' })
    const { address, setAddress, grant, refused, hurry, post, rows } = world
    const users = ['u1', 'u2', 'u3', 'u4']
    for (const userId of users) {
      await setAddress(userId, address(userId))
      await grant(userId, 'plans')
    }
    await refused(4)
    for (const userId of users) await setAddress(userId, address('victim'))
    world.answer = async () => undefined
    await eventually('two mails, and others that wait', async () => {
      await hurry()
      const all = await rows()
      const isSent = ({ state }: { state: string }) => state === 'sent'
      const waits = ({ error }: { error: string | null }) => error?.includes('too many mails in an hour')
      return all.filter(isSent).length >= 2 && all.every((row) => isSent(row) || waits(row)) ? true : undefined
    })
    assert.equal(post.mails.length, 2)
  })

  it('names a document by the id that it has when the mail is sent', async () => {
    const world = await newWorld()
    const { address, setAddress, grant, migrate, refused, hurry, over, post } = world
    await setAddress('ada', address('ada'))
    await grant('ada', 'plans', 'budget')
    await migrate('plans', 'plans-2')
    await refused()
    await migrate('plans-2', 'plans-3')
    world.answer = async () => {
      world.answer = async () => undefined
      await migrate('budget', 'budget-2')
      return undefined
    }
    await hurry()
    assert.deepEqual(
      (await over()).map(({ state }) => state),
      ['sent'],
    )
    assert.deepEqual(
      post.mails.map(({ text }) => text?.match(/document “.*?”/g)),
      [['document “plans-3”', 'document “budget-2”']],
    )
  })

  it('is not sent if the document was migrated and the access is lost', async () => {
    const world = await newWorld()
    const { address, setAddress, grant, revoke, migrate, refused, hurry, over, post } = world
    await setAddress('ada', address('ada'))
    await grant('ada', 'plans')
    await refused()
    await migrate('plans', 'plans-2')
    await revoke('ada', 'plans-2')
    world.answer = async () => undefined
    await hurry()
    assert.deepEqual(
      (await over()).map(({ state }) => state),
      ['failed'],
    )
    assert.equal(post.mails.length, 0)
  })
})
