/**
 * The state of mails about comments for operators (rules/comments.md#delivery): mails that wait and until when, sent
 * mails, and users who got none and why.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { removePermissions } from '#contract/access/permissions.ts'
import { deleteComments } from '#contract/comments/comments.ts'
import { getCommentMails } from '#contract/comments/mails.ts'
import { readThreads } from '#contract/comments/seen.ts'
import { setSubscriptions } from '#contract/comments/subscriptions.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { updateEmailConfig } from '#contract/keys/service-configs.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { deleteUserData } from '#contract/users/user-data.ts'
import { organizationId } from '#testing/acme.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { pagesOf } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { MAIL_FROM, newMailWorld } from '#testing/mail-world.ts'
import { startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { refused, refusedField } from '../../../../test/conformance/support/refused.ts'

const post = await startMailServer()
const server = await startServer({ SMTP_URL: post.url, MAIL_FROM })

const ON_THREAD = { documentId: 'd', annotationId: 't' }
const MINUTE = 60_000

async function newWorld(notificationServiceConfig?: object) {
  const world = await newMailWorld(server, post, {}, notificationServiceConfig)
  const { acme } = world
  const read = (data: Partial<DataOf<typeof getCommentMails>> = ON_THREAD) =>
    acme.key.call(getCommentMails, { organizationId, ...data })
  /** The mail states of comments, as `comment user state reason`. */
  const states = async (data?: Partial<DataOf<typeof getCommentMails>>) =>
    (await read(data)).mails.map(({ commentId, userId, state, reason, collects }) =>
      [commentId, userId, state, reason ?? collects].filter((word) => word !== undefined).join(' '),
    )
  return { ...world, read, states }
}

/** The minutes from now to a time, as far as a test may say. */
const minutesTo = (time = 0) => Math.round((time - Date.now()) / MINUTE)

describe.concurrent('mails about comments', () => {
  it('wait for the delay, with the present recipients and the next step', async () => {
    const { thread, level, acme, read } = await newWorld({
      delayConfig: { isEnabled: true, delaySeconds: 600 },
      batchConfig: { user: { isEnabled: true, batchWindowSeconds: 600, maxActivities: 9 } },
    })
    await level('ALL', 'eve')
    await level('DIGEST', 'bob')
    await thread()
    await acme.call(readThreads, { documentId: 'd', userId: 'eve', annotationIds: ['t'] })
    const { service, delayed, mails } = await read()
    assert.deepEqual([service, mails], ['on', []])
    const [comment] = delayed
    assert.deepEqual([comment?.documentId, comment?.annotationId, comment?.commentId], ['d', 't', 1])
    assert.ok([9, 10].includes(minutesTo(comment?.until)))
    const [bob, eve, ...others] = comment?.recipients ?? []
    assert.deepEqual([eve, others], [{ userId: 'eve', reason: 'seen' }, []])
    assert.equal(bob?.collects, 'day')
    assert.equal(new Date(bob?.thenUntil ?? 0).getUTCHours(), 8)
    assert.ok((bob?.thenUntil ?? 0) > (comment?.until ?? 0))
    await level('MINE', 'bob')
    assert.deepEqual((await read({ userId: 'bob' })).delayed[0]?.recipients, [
      { userId: 'bob', collects: 'organization' },
    ])
    assert.deepEqual((await read({ userId: 'ada' })).delayed, [])
  })

  it('wait in the window that ends first, are sent, and are left out with the reason', async () => {
    const window = { isEnabled: true, batchWindowSeconds: 600, maxActivities: 50 }
    const { thread, reply, level, acme, hurry, idle, read, states, waiting } = await newWorld({
      batchConfig: { document: window, user: { ...window, batchWindowSeconds: 1200 } },
    })
    await level('ALL', 'eve')
    await acme.key.call(setProfiles, { users: [{ userId: 'noone', name: 'No one' }] })
    await acme.grant('document', 'd', 'noone')
    await acme.call(setSubscriptions, { documentId: 'd', userId: 'noone', subscription: 'subscribed' })
    await level('ALL', 'noone')
    await thread()
    await reply('bob', 2)
    const collected = ['2 ada waiting document', '2 eve waiting document', '2 noone left_out no_address']
    const all = [...collected, '1 bob waiting document', '1 eve waiting document', '1 noone left_out no_address']
    await eventually('both comments', async () => ((await states()).length === 6 ? true : undefined))
    assert.deepEqual(await states(), all)
    const [first] = (await read()).mails
    assert.ok([9, 10].includes(minutesTo(first?.until)))
    assert.deepEqual(await states({ userId: 'eve' }), ['2 eve waiting document', '1 eve waiting document'])
    assert.deepEqual(await states({ ...ON_THREAD, userId: 'ada' }), ['2 ada waiting document'])

    const resources = [{ type: 'document' as const, id: 'd', organizationId }]
    await acme.key.call(removePermissions, { userId: 'bob', permissions: { resources } })
    await acme.call(readThreads, { documentId: 'd', userId: 'eve', annotationIds: ['t'], commentId: 1 })
    await hurry()
    await idle()
    assert.equal(await waiting(), 0)
    const settled = ['2 ada sent', '2 eve sent', '2 noone left_out no_address']
    assert.deepEqual(await states(), [
      ...settled,
      '1 bob left_out no_access',
      '1 eve left_out seen',
      '1 noone left_out no_address',
    ])
    assert.ok(Math.abs(minutesTo((await read()).mails[0]?.at)) <= 1)

    const pages: string[] = []
    for await (const { data } of pagesOf((pageToken) =>
      acme.key.post(getCommentMails.path, { organizationId, ...ON_THREAD, pageSize: 2, pageToken }),
    ))
      pages.push(...data.mails.map(({ userId }: { userId: string }) => userId))
    assert.deepEqual(pages, ['ada', 'eve', 'noone', 'bob', 'eve', 'noone'])
    for await (const { data } of pagesOf((pageToken) =>
      acme.key.post(getCommentMails.path, { organizationId, userId: 'eve', pageSize: 1, pageToken }),
    ))
      pages.push(...data.mails.map(({ commentId }: { commentId: number }) => commentId))
    assert.deepEqual(pages.slice(6), [2, 1])

    await acme.call(deleteComments, { ...ON_THREAD, commentIds: [1] })
    assert.deepEqual(await states(), settled)
    await acme.key.call(deleteUserData, { userIds: ['eve'] })
    await eventually('the erasure', async () => ((await states()).length === 2 ? true : undefined))
    assert.deepEqual(await states(), ['2 ada sent', '2 noone left_out no_address'])
  })

  it('report that the key sends none, and have neither texts nor addresses', async () => {
    const { thread, acme, idle, read, states } = await newWorld()
    await thread()
    await idle()
    assert.deepEqual(await states(), ['1 bob sent'])
    const answer = JSON.stringify(await read())
    assert.doesNotMatch(answer, /@|bold|Look|BOB/)
    await acme.key.call(updateEmailConfig, { useEmailService: false })
    assert.equal((await read()).service, 'off')
  })

  it('are listed by thread or by user', async () => {
    const { acme } = await newWorld()
    const ask = (data: object) => acme.key.post(getCommentMails.path, { organizationId, ...data })
    refusedField(await ask({}), 'userId')
    refusedField(await ask({ documentId: 'd' }), 'annotationId')
    refusedField(await ask({ annotationId: 't' }), 'documentId')
    assert.equal(refused(await ask({ ...ON_THREAD, documentId: 'x' }), 'NOT_FOUND').reason, 'document_does_not_exist')
    assert.deepEqual((await ask({ documentId: 'd', annotationId: 'unknown' })).body.result.data.mails, [])
    const { body } = await ask({ ...ON_THREAD, pageToken: 'other' })
    assert.equal(body.error.status, 'INVALID_ARGUMENT')
  })
})

describe('the day of a daily mail', () => {
  it('is that of the clock of the database, not of the server', async () => {
    const { thread, level, read } = await newWorld()
    cleanUp(() => server.clock.set(null))
    server.clock.set(new Date('2051-03-01T12:00:00Z'))
    await level('DIGEST', 'bob')
    await thread()
    const until = await eventually('the daily mail', async () => (await read()).mails[0]?.until)
    assert.equal(new Date(until).toISOString(), '2051-03-02T08:00:00.000Z')
  })
})
