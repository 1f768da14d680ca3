/** A comment in a thread that thousands follow delays neither the calls nor the mails of another tenant. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addComments } from '#contract/comments/comments.ts'
import { addThreads } from '#contract/comments/threads.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { setDocumentAccess } from '#contract/resources/documents.ts'
import { until } from '#testing/eventually.ts'
import { MAIL_FROM, newMailWorld } from '#testing/mail-world.ts'
import { FULL } from '#testing/run/mode.ts'
import { startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { comment, FOLLOW_THREADS } from '#testing/threads.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'

const FOLLOWERS = Number(process.env.FOLLOWERS ?? (FULL ? 10_000 : 2_500))
const REPLIES = 12
/** Each part has 1,000 users. */
const PARTS_MIN = Math.floor(FOLLOWERS / 1_000)

const post = await startMailServer()
const server = await startServer({ SMTP_URL: post.url, MAIL_FROM })

describe('a comment in a thread that thousands follow', () => {
  it('is collected in parts, and its mails take turns with the mails of others', async (t) => {
    const [busy, quiet] = [await newMailWorld(server, post), await newMailWorld(server, post)]
    await busy.acme.call(setDocumentAccess, { documentIds: ['d'], accessType: 'public' })
    await busy.thread({}, { triggerNotification: false })
    await server.db.query(FOLLOW_THREADS, [apiKeyOf(busy.acme.key), FOLLOWERS])
    const mailsOf = async () => {
      const { rows } = await server.db.query(
        `select count(*)::int as all, (count(*) filter (where finished_at is null))::int as waiting from mails where api_key_id = $1`,
        [apiKeyOf(busy.acme.key)],
      )
      return rows[0] as { all: number; waiting: number }
    }
    await busy.reply('bob', 2)
    const document = { type: 'document' as const, id: 'd', organizationId: 'acme' }
    const seen = new Set<number>()
    for (let { all } = await mailsOf(); all < FOLLOWERS; { all } = await mailsOf()) {
      seen.add(all)
      await quiet.acme.key.call(checkPermissions, { checks: [{ userId: 'ada', resource: document }] })
    }
    t.annotate(`checks were answered after ${[...seen].join(', ')} collected mails`)
    assert.ok(seen.size >= PARTS_MIN, `the mails were collected in ${seen.size} parts`)

    await quiet.thread()
    await until('mail of the quiet tenant', () => quiet.sentTo('bob').length === 1)
    const { waiting } = await mailsOf()
    t.annotate(`${waiting} mails of the busy tenant waited when the mail of the quiet one was sent`)
    assert.ok(waiting > 0, 'the mail of the quiet tenant waited for all of the busy one')
  })

  it('is written separately from the comments of others, which do not wait for its notifications', async () => {
    const [busy, quiet] = [await newMailWorld(server, post), await newMailWorld(server, post)]
    for (const { acme } of [busy, quiet]) {
      await acme.key.call(updateNotificationConfig, { useNotificationService: true })
      await acme.call(addThreads, {
        documentId: 'd',
        commentAnnotations: [{ annotationId: 't', commentData: [comment('ada')] }],
      })
    }
    await server.db.query(FOLLOW_THREADS, [apiKeyOf(busy.acme.key), FOLLOWERS])
    const reply = ({ acme }: typeof busy) =>
      acme.call(addComments, {
        ...{ documentId: 'd', annotationId: 't' },
        commentData: [comment('bob', { triggerNotification: true })],
      })
    await reply(busy)
    const replies = Array.from({ length: REPLIES }, () => reply(busy))
    await reply(quiet)
    const { rows } = await server.db.query(
      `select count(*)::int as written from notifications n join organizations o on o.organization_key = n.organization_key where o.api_key_id = $1`,
      [apiKeyOf(busy.acme.key)],
    )
    const [{ written }] = rows as [{ written: number }]
    assert.ok(written < REPLIES / 2, `${written} replies of the busy tenant were written before the one of the quiet`)
    await Promise.all(replies)
  })
})
