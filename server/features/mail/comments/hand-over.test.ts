/**
 * The moment at which a mail about comments is handed over (rules/comments.md#mails-about-comments, ADR 0056): every
 * change until then counts, and no mail is sent twice, with any response of the mail server and with several senders.
 * The tests share a mail server whose responses they set, so they run sequentially.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, it } from 'vitest'
import { removePermissions } from '#contract/access/permissions.ts'
import { addComments, updateComments } from '#contract/comments/comments.ts'
import { updateThreads } from '#contract/comments/threads.ts'
import { updateEmailConfig } from '#contract/keys/service-configs.ts'
import { moveDocuments, updateDocuments } from '#contract/resources/documents.ts'
import { updateOrganizations } from '#contract/resources/organizations.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { organizationId } from '#testing/acme.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { eventually, until } from '#testing/eventually.ts'
import { beginErasure, completeErasure, completeMigration } from '#testing/jobs.ts'
import { MAIL_FROM, newMailWorld } from '#testing/mail-world.ts'
import { startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { apiKeyOf } from '../../../../test/conformance/support/callers.ts'
import { COUNT_WAITING } from '../statements.ts'
import { DECISION_MS_MAX } from './mail-writes.ts'

/** Actions of the test while a recipient is named, and when a complete mail has arrived. */
let onRecipient: () => Promise<unknown>
let onMail: () => Error | 'lost' | undefined
/** The ids of the mails that arrived as a whole, and all of them as transmitted. */
let arrived: string[]
let raws: string[]
beforeEach(() => {
  onRecipient = async () => {}
  onMail = () => undefined
  arrived = []
  raws = []
})

const sockets = new Set<Socket>()
const post = await startMailServer({
  onRcptTo: (_address, _session, done) => void onRecipient().then(() => done()),
  onData: (stream, _session, done) => {
    let raw = ''
    stream.on('error', () => {})
    stream.on('data', (data: Buffer) => {
      raw += data.toString()
    })
    stream.on('end', () => {
      raws.push(raw)
      arrived.push(/^Message-ID: (.+)\r$/im.exec(raw)?.[1] ?? '')
      const answer = onMail()
      if (answer !== 'lost') return done(answer)
      for (const socket of sockets) socket.destroy()
    })
  },
})
const between = net.createServer((socket) => {
  const on = net.connect(post.port, '127.0.0.1')
  sockets.add(socket)
  socket.pipe(on).pipe(socket)
  for (const end of [socket, on]) end.on('error', () => {})
  socket.on('close', () => on.destroy())
})
between.listen(0, '127.0.0.1')
await once(between, 'listening')
cleanUp(() => between.close())
const SMTP_URL = `smtp://127.0.0.1:${(between.address() as AddressInfo).port}`
const server = await startServer({ SMTP_URL, MAIL_FROM })

const refusal = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode })

describe('a mail about a comment that is being sent', () => {
  it('is not sent to a user who loses access after it was written', async () => {
    const { thread, acme, idle, rows } = await newMailWorld(server, post)
    const resources = [{ type: 'document' as const, id: 'd', organizationId }]
    onRecipient = () => acme.key.call(removePermissions, { userId: 'bob', permissions: { resources } })
    await thread()
    await idle()
    assert.deepEqual([arrived, await rows()], [[], []])
  })

  it('is not sent to a user who loses access while the mark on the mail waits to be stored', async () => {
    const { thread, acme, idle, rows } = await newMailWorld(server, post)
    const resources = [{ type: 'document' as const, id: 'd', organizationId }]
    // As if a standby did not answer: the mail is decided, and the transaction that marks it cannot end.
    onRecipient = async () => {
      onRecipient = async () => {}
      const isHeld = Promise.withResolvers<void>()
      void server.db.transaction(async (session) => {
        await session.query('select from mails where api_key_id = $1 for update', [apiKeyOf(acme.key)])
        isHeld.resolve()
        await until('the mark waits', async () => {
          const { rows } = await session.query('select from pg_locks where not granted')
          return rows.length > 0
        })
        await acme.key.call(removePermissions, { userId: 'bob', permissions: { resources } })
        await sleep(DECISION_MS_MAX)
      })
      await isHeld.promise
    }
    await thread()
    await idle()
    assert.deepEqual([arrived, await rows()], [[], []])
  })

  it('is not sent to a user whose erasure has begun after it was written', async () => {
    const { thread, acme, idle, rows } = await newMailWorld(server, post)
    let complete = async () => {}
    onRecipient = async () => {
      onRecipient = async () => {}
      complete = await beginErasure(server.db, acme.key, { userIds: ['bob'] })
    }
    await thread()
    await idle()
    await complete()
    assert.deepEqual([arrived, await rows()], [[], []])
  })

  it('leaves out comments that were seen or deleted meanwhile', async () => {
    const window = { batchConfig: { user: { isEnabled: true, batchWindowSeconds: 600, maxActivities: 2 } } }
    const { thread, reply, acme, idle, rows } = await newMailWorld(server, post, {}, window)
    await thread({}, { triggerNotification: false })
    let deletes = 0
    onRecipient = async () => {
      if (deletes++ > 0) return
      await server.db.query(
        `delete from thread_comments where comment_id = 2 and organization_key in
        (select organization_key from organizations where api_key_id = $1)`,
        [apiKeyOf(acme.key)],
      )
    }
    for (const commentId of [2, 3]) await reply('bob', commentId)
    await idle()
    assert.equal(arrived.length, 1)
    assert.deepEqual(
      (await rows()).map(({ state }) => state),
      ['sent'],
    )
  })

  it('does not show what was changed or erased after it was written', async () => {
    const { thread, reply, acme, idle } = await newMailWorld(server, post)
    const changes = [
      () =>
        acme.call(updateComments, {
          ...{ documentId: 'd', annotationId: 't', commentIds: [1] },
          updatedData: { commentText: 'Public now' },
        }),
      () =>
        acme.call(updateThreads, {
          ...{ documentId: 'd', annotationIds: ['t'] },
          updatedData: { targetElement: { targetText: 'another passage' } },
        }),
      () => completeErasure(acme.key, { userIds: ['cyd'] }),
    ]
    await thread(
      { targetElement: { targetText: 'first passage' } },
      { commentText: 'secret', triggerNotification: false },
    )
    const said = { commentText: 'of Cyd', from: { userId: 'cyd', name: 'Cyd' } }
    await acme.call(addComments, { documentId: 'd', annotationId: 't', commentData: [said] })
    onRecipient = async () => changes.shift()?.()
    await reply('bob', 9)
    await idle()
    assert.equal(raws.length, 1)
    assert.match(raws[0] ?? '', /Public now[\s\S]*another passage|another passage[\s\S]*Public now/)
    assert.doesNotMatch(raws[0] ?? '', /secret|first passage|\bCyd\b/)
  })

  it('has the names of the document, the organization, its people and its settings as they are when it is sent', async () => {
    const { thread, acme, address, idle } = await newMailWorld(server, post)
    const profiles = (...users: [userId: string, name: string][]) =>
      acme.key.call(setProfiles, { users: users.map(([userId, name]) => ({ userId, name, email: address(userId) })) })
    const changes = [
      () => acme.call(updateDocuments, { documents: [{ documentId: 'd', documentName: 'Plan B' }] }),
      () => acme.key.call(updateOrganizations, { organizations: [{ organizationId, organizationName: 'Acme B' }] }),
      () => profiles(['ada', 'Ada B']),
      () => profiles(['bob', 'Bob B']),
      () => acme.key.call(updateEmailConfig, { emailServiceConfig: { fromCompany: 'Company B' } as object }),
    ]
    await acme.grant('organization', organizationId, 'bob')
    onRecipient = async () => changes.shift()?.()
    await thread()
    await idle()
    assert.deepEqual([changes.length, raws.length], [0, 1])
    for (const name of ['Plan B', 'Acme B', 'Ada B', 'Bob B', 'Company B']) assert.ok(raws[0]?.includes(name), name)
    assert.doesNotMatch(raws[0] ?? '', /Road|\b(ADA|BOB|Inc)\b/)
  })

  it('is sent under the new id, whenever the document was migrated and moved', async () => {
    const config = {
      delayConfig: { isEnabled: true, delaySeconds: 600 },
      batchConfig: { document: { isEnabled: true, batchWindowSeconds: 600, maxActivities: 5 } },
    }
    const documentUrl = 'https://app.example/{documentId}'
    const { thread, acme, hurry, idle, rows } = await newMailWorld(server, post, { documentUrl }, config)
    await acme.addTree({ f: 'root' })
    const migrate = async (documentId: string, newDocumentId: string) => {
      await completeMigration(acme.key, { organizationId, documentId, newDocumentId })
      await acme.call(moveDocuments, { documentIds: [newDocumentId], folderId: 'f' })
    }
    await thread()
    await migrate('d', 'd-2')
    await hurry()
    await until('the comment is collected', async () => (await rows()).length > 0)
    await migrate('d-2', 'd-3')
    onRecipient = async () => {
      onRecipient = async () => {}
      await migrate('d-3', 'd-4')
    }
    await hurry()
    await idle()
    assert.equal(raws.length, 1)
    assert.match(raws[0] ?? '', /^Open the document: https:\/\/app\.example\/d-4\r$/m)
  })

  it('names the organization only if the recipient is still a member when it is sent', async () => {
    const { thread, acme, idle } = await newMailWorld(server, post)
    await acme.key.call(updateOrganizations, { organizations: [{ organizationId, organizationName: 'Project Moon' }] })
    await acme.grant('organization', organizationId, 'bob')
    const resources = [{ type: 'organization' as const, id: organizationId }]
    const changes = [() => acme.key.call(removePermissions, { userId: 'bob', permissions: { resources } })]
    onRecipient = async () => changes.shift()?.()
    await thread()
    await idle()
    assert.deepEqual([changes.length, raws.length], [0, 1])
    assert.doesNotMatch(raws[0] ?? '', /Project Moon/)
  })

  it('is not sent if the e-mail service is switched off after it was written', async () => {
    const { thread, acme, idle, rows } = await newMailWorld(server, post)
    onRecipient = () => acme.key.call(updateEmailConfig, { useEmailService: false })
    await thread()
    await idle()
    assert.deepEqual(
      [arrived, (await rows()).map(({ error }) => error)],
      [[], ['The e-mail service of the API key was switched off.']],
    )
  })

  it('waits while its key is disabled, also if it was written before', async () => {
    const { thread, acme, hurry, idle, rows } = await newMailWorld(server, post)
    const disable = (disabled: boolean) =>
      server.db.query('update api_keys set disabled_at = case when $2 then now() end where api_key_id = $1', [
        apiKeyOf(acme.key),
        disabled,
      ])
    onRecipient = () => disable(true)
    await thread()
    await eventually('mail that waits', async () =>
      /disabled/.test((await rows())[0]?.error ?? '') ? true : undefined,
    )
    const waiting = async () => (await server.db.run(COUNT_WAITING)).find(({ carrier }) => carrier === 'smtp')?.count
    assert.deepEqual([arrived, await waiting()], [[], 0], 'no alert about late mails')
    onRecipient = async () => {}
    await disable(false)
    await hurry()
    await idle()
    assert.equal(arrived.length, 1)
  })

  it('is sent once, though another server works on it too', async () => {
    const { thread, acme, idle, rows } = await newMailWorld(server, post)
    let held = 0
    const second = Promise.withResolvers<void>()
    onRecipient = async () => {
      if (held++ > 0) return second.resolve()
      await server.db.query(`update mails set due_at = now(), claims = claims + 1 where api_key_id = $1`, [
        apiKeyOf(acme.key),
      ])
      await second.promise
    }
    await thread()
    await idle()
    assert.deepEqual([held, arrived.length], [2, 1])
    assert.deepEqual(
      (await rows()).map(({ state, error }) => [state, error]),
      [['sent', null]],
    )
  })

  it('is delivered although the server refuses the worker whose lease has expired', async () => {
    const { thread, acme, idle, rows } = await newMailWorld(server, post)
    onMail = () => (arrived.length === 1 ? refusal(451, 'greylisted') : undefined)
    let held = 0
    const second = Promise.withResolvers<void>()
    onRecipient = async () => {
      if (held++ > 0) {
        second.resolve()
        if (held === 2) await sleep(300) // the stale worker is first
        return
      }
      await server.db.query(`update mails set due_at = now(), claims = claims + 1 where api_key_id = $1`, [
        apiKeyOf(acme.key),
      ])
      await second.promise
    }
    await thread()
    await idle()
    assert.equal(arrived.length, 2)
    assert.deepEqual(
      (await rows()).map(({ state, error }) => [state, error]),
      [['sent', null]],
    )
  })

  it('is not sent again when the answer was lost: the server may have it', async () => {
    const { thread, idle, rows } = await newMailWorld(server, post)
    onMail = () => 'lost'
    await thread()
    await idle()
    const [row] = await rows()
    assert.equal(row?.state, 'sent')
    assert.match(row?.error ?? '', /has not confirmed it; it is not sent again/)
    assert.equal(arrived.length, 1)
  })

  it('is not sent again by the server that takes over from one killed at that moment', async () => {
    const window = { batchConfig: { user: { isEnabled: true, batchWindowSeconds: 600, maxActivities: 50 } } }
    const { thread, acme, hurry, idle, rows } = await newMailWorld(server, post, {}, window)
    await thread()
    await eventually('mail that waits', async () => ((await rows()).length === 1 ? true : undefined))
    await server.db.query('update mails set handed_over_at = now() where api_key_id = $1', [apiKeyOf(acme.key)])
    await hurry()
    await idle()
    assert.deepEqual([arrived.length, (await rows())[0]?.state], [0, 'sent'])
  })

  it('is followed by another one about a change that comes while the mail server is answering', async () => {
    const window = { batchConfig: { user: { isEnabled: true, batchWindowSeconds: 600, maxActivities: 50 } } }
    const { thread, acme, hurry, idle, rows } = await newMailWorld(server, post, {}, window)
    await thread()
    await eventually('mail that waits', async () => ((await rows()).length === 1 ? true : undefined))
    const key = [apiKeyOf(acme.key)]
    await server.db.query('update mails set claims = 1, handed_over_at = now() where api_key_id = $1', key)
    await server.db.query(
      'update comment_mail_items i set mail_id = m.mail_id from mails m where m.mail_id = i.user_mail_id and m.api_key_id = $1',
      key,
    )
    const change = { ...{ documentId: 'd', annotationId: 't', commentIds: [1] }, updatedData: { commentText: 'New' } }
    await acme.call(updateComments, { ...change, triggerNotification: true })
    await eventually('another mail', async () => ((await rows()).length === 2 ? true : undefined))
    await hurry()
    await idle()
    assert.deepEqual(
      (await rows()).map(({ state }) => state),
      ['sent', 'sent'],
    )
    assert.match(raws.join(), /New/)
  })

  it('is tried again under its id after a temporary refusal, and not after a permanent one', async () => {
    const { thread, reply, idle, rows } = await newMailWorld(server, post)
    onMail = () => (arrived.length === 1 ? refusal(451, 'greylisted') : undefined)
    await thread()
    await idle()
    assert.equal(arrived.length, 2)
    assert.equal(new Set(arrived).size, 1)
    onMail = () => refusal(550, 'no such mail')
    await reply('bob', 2)
    await idle()
    assert.deepEqual(
      (await rows()).map(({ userId, state }) => [userId, state]),
      [
        ['ada', 'failed'],
        ['bob', 'sent'],
      ],
    )
  })
})
