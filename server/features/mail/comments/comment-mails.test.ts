/**
 * Mails about comments (rules/comments.md#mails-about-comments): their recipients, times
 * and texts. Each test waits a second or two for mails of its own key, so all run at the same time.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { removePermissions } from '#contract/access/permissions.ts'
import { addComments, deleteComments, updateComments } from '#contract/comments/comments.ts'
import { readThreads } from '#contract/comments/seen.ts'
import { addThreads, updateThreads } from '#contract/comments/threads.ts'
import { updateEmailConfig } from '#contract/keys/service-configs.ts'
import { updateDocuments } from '#contract/resources/documents.ts'
import { updateOrganizations } from '#contract/resources/organizations.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { deleteUserData } from '#contract/users/user-data.ts'
import { organizationId } from '#testing/acme.ts'
import { eventually } from '#testing/eventually.ts'
import { header, MAIL_FROM, newMailWorld } from '#testing/mail-world.ts'
import { startServer } from '#testing/server.ts'
import { type ReceivedMail, startMailServer } from '#testing/stand-ins/mail-server.ts'
import { apiKeyOf } from '../../../../test/conformance/support/callers.ts'

const post = await startMailServer()
const server = await startServer({ SMTP_URL: post.url, MAIL_FROM })
const newWorld = (emailServiceConfig: object = {}, notificationServiceConfig?: object) =>
  newMailWorld(server, post, emailServiceConfig, notificationServiceConfig)

describe.concurrent('a mail about a comment', () => {
  it('is sent to mentioned users, in the name of its author, and says who, where and what', async () => {
    const { thread, mailTo, address, idle, sentTo } = await newWorld({
      documentUrl: 'https://app.example/{organizationId}/{documentId}?t={annotationId}',
    })
    await thread({ targetElement: { targetText: 'The <i>first</i> goal' } })
    const mail = await mailTo('bob')
    assert.deepEqual(mail.from, { name: 'ADA via Acme, "Inc"', address: 'mail@commonhold.example' })
    assert.deepEqual(mail.replyTo, [{ name: 'ADA', address: address('ada') }])
    assert.equal(mail.subject, 'ADA mentioned you in “Road <map>”')
    const text = mail.text ?? ''
    assert.match(
      text,
      /^Hello BOB,\n\nADA mentioned you in “Road <map>”:\n\n> The <i>first<\/i> goal\n\nADA, .+:\n {4}Look, @BOB: <b>bold<\/b>\n/,
    )
    assert.match(text, /^Open the document: https:\/\/app\.example\/acme\/d\?t=t$/m)
    const html = mail.html ?? ''
    assert.match(html, /<blockquote dir="auto">The &lt;i&gt;first&lt;\/i&gt; goal<\/blockquote>/)
    assert.match(html, /Look, @BOB: &lt;b&gt;bold&lt;\/b&gt;/)
    assert.match(html, /<a class="button" href="https:\/\/app\.example\/acme\/d\?t=t">/)
    assert.doesNotMatch(html, /<b>bold|<i>first|<map>/)
    await idle()
    assert.deepEqual([sentTo('ada').length, sentTo('eve').length], [0, 0])
  })

  it('notifies participants of a reply, with the last three comments of the thread', async () => {
    const { thread, reply, mailTo, idle, sentTo, acme } = await newWorld()
    await thread({ pageInfo: { url: 'https://app.example/page#top' } }, { triggerNotification: false })
    const from = { userId: 'bob' }
    const quiet = [
      { commentId: 2, from, commentHtml: '<p>HTML <img src="https://evil.example"></p>' },
      { commentId: 3, from, commentText: 'quiet 3' },
    ]
    await acme.call(addComments, { documentId: 'd', annotationId: 't', commentData: quiet })
    await reply('bob', 4)
    const mail = await mailTo('ada')
    assert.equal(mail.subject, 'BOB replied in “Road <map>”')
    assert.match(
      mail.text ?? '',
      /\(1 earlier comment\)\n\nBOB, .+:\n {4}\(Open the document to see this comment\.\)\n\nBOB, .+:\n {4}quiet 3\n\nBOB, .+:\n {4}reply 4\n/,
    )
    assert.match(mail.text ?? '', /^Open the document: https:\/\/app\.example\/page\?scommentId=t#top$/m)
    await idle()
    assert.deepEqual([sentTo('bob').length, sentTo('eve').length], [0, 0])
  })

  it('follows the level of the channel: ALL, MINE, NONE', async () => {
    const { thread, level, idle, sentTo } = await newWorld()
    await level('NONE', 'bob')
    await level('ALL', 'eve')
    await thread()
    await idle()
    assert.deepEqual(
      [sentTo('bob').length, sentTo('eve').map(({ subject }) => subject)],
      [0, ['ADA started a thread in “Road <map>”']],
    )
  })

  it('is sent only if the call asks for it, and if service and trigger are on', async () => {
    const { thread, reply, idle, sentTo, acme } = await newWorld()
    await thread({}, { triggerNotification: false })
    for (const name of ['added', 'comment.add']) {
      await acme.key.call(updateEmailConfig, { emailServiceConfig: { triggers: { comment: { [name]: false } } } })
      await reply('bob', name.length)
    }
    await acme.key.call(updateEmailConfig, {
      useEmailService: false,
      emailServiceConfig: { triggers: { comment: { added: true } } },
    })
    await reply('bob', 50)
    await idle()
    assert.equal(sentTo('ada').length, 0)
  })

  it('has an address of the profile alone, and none without one', async () => {
    const { thread, idle, acme, sentTo } = await newWorld()
    await acme.key.call(setProfiles, { users: [{ userId: 'bob', email: null }] })
    await thread()
    await idle()
    assert.equal(sentTo('bob').length, 0)
    assert.ok(!post.mails.some(({ recipients }) => recipients.includes('other@example.com')))
  })

  it('lets no name or text become a header, a sender, markup or a link', async () => {
    const { thread, acme, mailTo, address } = await newWorld()
    const name = 'Eve" <x@evil.example>\r\nBcc: all@evil.example\u202e'
    await acme.key.call(setProfiles, { users: [{ userId: 'ada', name }] })
    const url = 'javascript:alert(1)'
    await thread(
      { pageInfo: { url }, targetElement: { targetText: '\r\n.\r\nMAIL FROM:<x@evil.example>' } },
      { commentText: '</p><script>x</script>\r\n.\r\nQUIT {{nobody}} {{bob}}' },
    )
    const mail = await mailTo('bob')
    assert.deepEqual(mail.recipients, [address('bob')])
    assert.equal(mail.from?.address, 'mail@commonhold.example')
    assert.equal(header(mail, 'bcc'), undefined)
    assert.match(mail.from?.name ?? '', /^Eve" <x@evil.example> Bcc: all@evil.example via /)
    assert.doesNotMatch(mail.html ?? '', /<script|javascript:/)
    assert.match(mail.text ?? '', /QUIT \{\{nobody\}\} @BOB/)
    assert.doesNotMatch(mail.text ?? '', /Open the document/)
  })
})

it('names people and documents whose names nobody can see by their addresses and ids', async () => {
  const { thread, acme, mailTo } = await newWorld()
  await acme.key.call(setProfiles, { users: [{ userId: 'ada', name: '\u200b\u202e' }] })
  await acme.call(updateDocuments, { documents: [{ documentId: 'd', documentName: '\u3164' }] })
  await thread()
  const { subject, from } = await mailTo('bob')
  assert.match(subject ?? '', /^ada\S* mentioned you in “d”$/)
  assert.match(from?.name ?? '', /^ada/)
})

describe.concurrent('mails of one thread', () => {
  const ids = (mail: ReceivedMail) => ({
    own: header(mail, 'message-id') ?? '',
    parent: header(mail, 'in-reply-to'),
    thread: header(mail, 'references'),
    list: header(mail, 'list-id'),
  })

  it('are grouped for each recipient by ids that reveal nothing and that nobody can compute', async () => {
    const { thread, reply, level, idle, sentTo } = await newWorld()
    await level('ALL', 'eve')
    await thread()
    await reply('ada', 2)
    await reply('ada', 3)
    await thread({ annotationId: 'u', pageInfo: { url: 'https://app.example/other' } })
    await idle()
    const bobs = sentTo('bob')
    const isOfOther = ({ text = '' }: ReceivedMail) => text.includes('/other')
    const [first, second, third] = bobs.filter((mail) => !isOfOther(mail)).map(ids)
    const [other] = bobs.filter(isOfOther).map(ids)
    assert.ok(first && second && third && other)
    assert.match(first.thread ?? '', /^<[0-9a-f]{32}\.thread@commonhold\.example>$/)
    for (const { parent, thread } of [first, second, third])
      assert.deepEqual([parent, thread], [first.thread, first.thread])
    const eves = sentTo('eve').map(ids)
    assert.equal(eves.length, 4)
    assert.equal(new Set([first.thread, other.thread, ...eves.map(({ thread }) => thread)]).size, 4)
    const all = [first, second, third, other, ...eves]
    assert.equal(new Set(all.map(({ own }) => own)).size, 8)
    assert.equal(new Set(all.map(({ list }) => list)).size, 1)
    assert.match(first.list ?? '', /^<[0-9a-f]{32}\.comments\.commonhold\.example>$/)
    for (const mail of [...bobs, ...sentTo('eve')]) assert.equal(header(mail, 'auto-submitted'), 'auto-generated')

    const twin = await newWorld()
    await twin.thread()
    const theirs = ids(await twin.mailTo('bob'))
    assert.notEqual(theirs.thread, first.thread)
    assert.notEqual(theirs.list, first.list)
  })

  it('are not grouped with those about several threads, which stand alone', async () => {
    const batch = { isEnabled: true, batchWindowSeconds: 600, maxActivities: 50 }
    const { thread, rows, waiting, hurry, idle, mailTo } = await newWorld({}, { batchConfig: { document: batch } })
    await thread()
    await thread({ annotationId: 'u' })
    await eventually('one mail', async () =>
      (await rows()).length === 1 && (await waiting()) === 1 ? true : undefined,
    )
    await hurry()
    await idle()
    const mail = await mailTo('bob')
    assert.equal(mail.subject, '2 comments in “Road <map>”')
    const { parent, thread: grouped, list } = ids(mail)
    assert.deepEqual([parent, grouped], [undefined, undefined])
    assert.ok(list)
  })
})

describe.concurrent('recipients of mails', () => {
  const inT = { documentId: 'd', annotationId: 't', commentIds: [1] }
  const window = { batchConfig: { document: { isEnabled: true, batchWindowSeconds: 600, maxActivities: 50 } } }

  it('are decided when the mail is sent: users who lost access or have seen the comment get none', async () => {
    const { thread, level, acme, hurry, idle, sentTo, rows } = await newWorld({}, window)
    await level('ALL', 'eve')
    await thread()
    await eventually('mails that wait', async () => ((await rows()).length === 2 ? true : undefined))
    const resources = [{ type: 'document' as const, id: 'd', organizationId }]
    await acme.key.call(removePermissions, { userId: 'bob', permissions: { resources } })
    await acme.call(readThreads, { documentId: 'd', userId: 'eve', annotationIds: ['t'] })
    await hurry()
    await idle()
    assert.deepEqual([sentTo('bob').length, sentTo('eve').length, await rows()], [0, 0, []])
  })

  it('wait no longer than the window for what follows after the clock was set back', async () => {
    const { thread, reply, acme, rows } = await newWorld({}, window)
    await thread()
    await eventually('a mail that waits', async () => ((await rows()).length === 1 ? true : undefined))
    const ahead = `update mails set created_at = created_at + interval '1 day', due_at = due_at + interval '1 day' where api_key_id = $1`
    await server.db.query(ahead, [apiKeyOf(acme.key)])
    await reply('ada', 2)
    const inTime = `select from mails where api_key_id = $1 and greatest(created_at, due_at) <= clock_timestamp() + interval '600 seconds'`
    await eventually('a mail whose window ends in time', async () =>
      (await server.db.query(inTime, [apiKeyOf(acme.key)])).rows.at(0),
    )
  })

  it('are users who have not seen it by the end of the delay', async () => {
    const { thread, acme, hurry, idle, sentTo, waiting, reply } = await newWorld(
      {},
      { delayConfig: { isEnabled: true, delaySeconds: 600 } },
    )
    await thread()
    await reply('bob', 2)
    assert.equal(await waiting(), 2)
    await acme.call(readThreads, { documentId: 'd', userId: 'bob', annotationIds: ['t'] })
    await hurry()
    await idle()
    assert.deepEqual([sentTo('bob').length, sentTo('ada').length], [0, 1])
  })

  it('are notified of a changed comment, though they have seen it as it was', async () => {
    const { thread, acme, idle, sentTo } = await newWorld()
    await thread({}, { triggerNotification: false, progress: { state: 'active' } })
    await acme.call(readThreads, { documentId: 'd', userId: 'bob', annotationIds: ['t'] })
    const updatedData = { progress: { state: 'completed' } }
    await acme.call(updateComments, { ...inT, updatedData, triggerNotification: true })
    await idle()
    assert.match(sentTo('bob')[0]?.subject ?? '', /mentioned you/)
    assert.equal(sentTo('bob').length, 1)
  })

  it('are notified of a changed comment, though they have seen it as it was by a clock that was set back', async () => {
    const { thread, acme, idle, sentTo } = await newWorld()
    await thread({}, { triggerNotification: false })
    await acme.call(readThreads, { documentId: 'd', userId: 'bob', annotationIds: ['t'] })
    await server.db.query(
      `update thread_users u set seen_at = seen_at + interval '1 day' from organizations o
        where o.api_key_id = $1 and u.organization_key = o.organization_key`,
      [apiKeyOf(acme.key)],
    )
    await acme.call(updateComments, { ...inT, updatedData: { commentText: 'New' }, triggerNotification: true })
    await idle()
    assert.equal(sentTo('bob').length, 1)
  })

  it('get no mail about a change that they have seen by the end of the delay', async () => {
    const delayConfig = { isEnabled: true, delaySeconds: 600 }
    const { thread, level, acme, hurry, idle, sentTo } = await newWorld({}, { delayConfig })
    const read = (userId: string) => acme.call(readThreads, { documentId: 'd', userId, annotationIds: ['t'] })
    await level('ALL', 'eve')
    await thread({}, { triggerNotification: false })
    await Promise.all([read('bob'), read('eve')])
    await acme.call(updateComments, { ...inT, updatedData: { commentText: 'New' }, triggerNotification: true })
    await read('bob')
    await hurry()
    await idle()
    assert.deepEqual([sentTo('bob').length, sentTo('eve').length], [0, 1])
  })

  it('are notified of a change of a comment that still waits for them, once they have seen it as it was', async () => {
    const { thread, level, acme, hurry, idle, sentTo, waiting, rows } = await newWorld({}, window)
    await level('ALL', 'bob', 'eve')
    await thread({}, { taggedUserContacts: [] })
    await eventually('two open mails', async () => ((await rows()).length === 2 ? true : undefined))
    await acme.call(readThreads, { documentId: 'd', userId: 'bob', annotationIds: ['t'] })
    await acme.call(updateComments, { ...inT, updatedData: { commentText: 'New' }, triggerNotification: true })
    await eventually('nothing queued', async () => ((await waiting()) === 2 ? true : undefined))
    await hurry()
    await idle()
    assert.deepEqual(
      ['bob', 'eve'].map((userId) => sentTo(userId).map(({ subject }) => subject)),
      [['ADA changed a comment in “Road <map>”'], ['ADA started a thread in “Road <map>”']],
    )
    assert.match(sentTo('eve')[0]?.text ?? '', /^ {4}New$/m)
  })

  it('are the users who replace others while mails wait', async () => {
    const { thread, reply, acme, hurry, idle, sentTo, waiting, rows } = await newWorld({}, window)
    await thread()
    await reply('bob', 2)
    await eventually('two open mails', async () => ((await rows()).length === 2 ? true : undefined))
    const updateUsers = [
      { oldUser: { userId: 'bob' }, newUser: { userId: 'eve' } },
      { oldUser: { userId: 'ada' }, newUser: { userId: 'bob' } },
    ]
    await acme.call(updateThreads, { documentId: 'd', updateUsers })
    await eventually('three open mails', async () => ((await waiting()) === 3 ? true : undefined))
    await hurry()
    await idle()
    assert.deepEqual(
      ['ada', 'bob', 'eve'].map((userId) => sentTo(userId).map(({ subject }) => subject)),
      [[], ['EVE replied in “Road <map>”'], ['BOB mentioned you in “Road <map>”']],
    )
  })

  it('who replace others are not mailed again what they have got', async () => {
    const { thread, level, acme, hurry, idle, sentTo, waiting, rows } = await newWorld({}, window)
    await level('ALL', 'eve')
    await thread()
    await eventually('two open mails', async () => ((await rows()).length === 2 ? true : undefined))
    await server.db.query(`update mails set due_at = now() where api_key_id = $1 and user_id = 'eve'`, [
      apiKeyOf(acme.key),
    ])
    await eventually('mail to Eve', async () => ((await waiting()) === 1 ? true : undefined))
    const updateUsers = [{ oldUser: { userId: 'bob' }, newUser: { userId: 'eve' } }]
    await acme.call(updateThreads, { documentId: 'd', updateUsers })
    await hurry()
    await idle()
    assert.deepEqual([sentTo('bob').length, sentTo('eve').length], [0, 1])
  })

  it('get no mail about a deleted comment, and erased users get none', async () => {
    const { thread, reply, level, acme, hurry, idle, sentTo } = await newWorld(
      {},
      { delayConfig: { isEnabled: true, delaySeconds: 600 } },
    )
    await level('ALL', 'eve')
    await thread()
    await reply('bob', 2)
    await acme.call(deleteComments, { documentId: 'd', annotationId: 't', commentIds: [2] })
    await acme.key.call(deleteUserData, { userIds: ['bob'] })
    await hurry()
    await idle()
    assert.deepEqual([sentTo('ada').length, sentTo('bob').length, sentTo('eve').length], [0, 0, 1])
  })
})

describe.concurrent('9 windows', () => {
  const batch = (batchWindowSeconds: number, maxActivities: number) => ({
    isEnabled: true,
    batchWindowSeconds,
    maxActivities,
  })

  it('name the organization only to its members', async () => {
    const { thread, reply, mailTo, acme } = await newWorld({}, { batchConfig: { user: batch(600, 2) } })
    await acme.key.call(updateOrganizations, { organizations: [{ organizationId, organizationName: 'Project Moon' }] })
    await acme.grant('organization', 'acme', 'eve')
    const tagged = ['bob', 'eve'].map((userId) => ({ userId, contact: { userId } }))
    await thread({}, { taggedUserContacts: tagged })
    await reply('ada', 2)
    const [bob, eve] = [await mailTo('bob'), await mailTo('eve')]
    assert.match(eve.text ?? '', /Unsubscribe from mails about comments in “Project Moon”:/)
    assert.match(bob.text ?? '', /Unsubscribe from mails about comments in this organization:/)
    assert.doesNotMatch(bob.raw, /Project|Moon/)
  })

  it('name no organization to a guest who gets a mail about several documents', async () => {
    const { mailTo, acme } = await newWorld({}, { batchConfig: { user: batch(600, 2) } })
    await acme.key.call(updateOrganizations, { organizations: [{ organizationId, organizationName: 'Project Moon' }] })
    await acme.grant('document', 'e', 'bob')
    for (const documentId of ['d', 'e']) {
      const root = { from: { userId: 'ada' }, commentText: 'Look', triggerNotification: true }
      const taggedUserContacts = [{ userId: 'bob', contact: { userId: 'bob' } }]
      await acme.call(addThreads, {
        documentId,
        commentAnnotations: [{ commentData: [{ ...root, taggedUserContacts }] }],
      })
    }
    const mail = await mailTo('bob')
    assert.equal(mail.subject, '2 comments in 2 documents')
    assert.doesNotMatch(mail.raw, /Project|Moon/)
  })

  it('collect comments in one mail, which is sent when it is full or its time is over', async () => {
    const { thread, reply, mailTo, rows, hurry, idle, sentTo } = await newWorld(
      {},
      { batchConfig: { document: batch(600, 3) } },
    )
    await thread({}, { triggerNotification: false })
    for (const commentId of [2, 3, 4]) await reply('bob', commentId)
    const full = await mailTo('ada')
    assert.equal(full.subject, '3 comments in “Road <map>”')
    await reply('bob', 5)
    await eventually('window', async () => ((await rows()).length === 2 ? true : undefined))
    await hurry()
    await idle()
    assert.deepEqual(
      sentTo('ada').map(({ subject }) => subject),
      ['3 comments in “Road <map>”', 'BOB replied in “Road <map>”'],
    )
  })

  it('for a document and for the recipient are independent: whichever ends first sends, and nothing is sent twice', async () => {
    const config = { batchConfig: { document: batch(600, 50), user: batch(600, 2) } }
    const { thread, reply, hurry, idle, sentTo, rows } = await newWorld({}, config)
    await thread({}, { triggerNotification: false })
    await reply('bob', 2)
    await reply('bob', 3)
    await eventually('mail of the window of the recipient', () => (sentTo('ada').length === 1 ? true : undefined))
    await hurry()
    await idle()
    assert.equal(sentTo('ada').length, 1)
    assert.deepEqual(
      (await rows()).map(({ collects, state }) => [collects, state]),
      [['user', 'sent']],
    )
  })

  it('of a day collect comments for users with the level DIGEST, until the morning in their time zone', async () => {
    const { thread, reply, level, acme, rows, hurry, idle, sentTo } = await newWorld()
    await level('DIGEST', 'ada', 'eve')
    await acme.key.call(setProfiles, { users: [{ userId: 'ada', ...{ timezone: 'Asia/Tokyo' } }] })
    await thread({}, { triggerNotification: false })
    await reply('bob', 2)
    await reply('bob', 3)
    const waiting = async () =>
      (
        await server.db.query(
          `select extract(hour from m.due_at at time zone 'Asia/Tokyo')::int as hour, count(i.user_id)::int as comments
             from mails m join comment_mail_items i on i.user_mail_id = m.mail_id where m.api_key_id = $1 group by 1`,
          [apiKeyOf(acme.key)],
        )
      ).rows as { hour: number; comments: number }[]
    await eventually('both comments', async () => ((await waiting())[0]?.comments === 2 ? true : undefined))
    assert.deepEqual(await waiting(), [{ hour: 8, comments: 2 }])
    await hurry()
    await idle()
    const [mail, ...more] = sentTo('ada')
    assert.equal(mail?.subject, '2 comments in “Road <map>”')
    assert.match(mail?.text ?? '', /Times are those of Asia\/Tokyo/)
    assert.deepEqual([more.length, sentTo('eve').length, (await rows()).length], [0, 0, 1])
  })
})
