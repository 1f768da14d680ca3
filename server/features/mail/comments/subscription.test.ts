/**
 * Mails about comments through a provider, with its templates, and the links that end them (rules/comments.md#mails-about-comments).
 * Each test waits for mails of its own key, so all run at the same time.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { removePermissions } from '#contract/access/permissions.ts'
import { listCommentData } from '#contract/comments/comment-data.ts'
import { deleteThreads } from '#contract/comments/threads.ts'
import { getNotificationPreferences, setNotificationPreferences } from '#contract/notifications/preferences.ts'
import { updateOrganizations } from '#contract/resources/organizations.ts'
import { deleteUserData } from '#contract/users/user-data.ts'
import { eventually } from '#testing/eventually.ts'
import { header, MAIL_FROM, newMailWorld } from '#testing/mail-world.ts'
import { startServer } from '#testing/server.ts'
import { startMailServer, startSendGrid } from '#testing/stand-ins/mail-server.ts'
import { apiKeyOf } from '../../../../test/conformance/support/callers.ts'

const post = await startMailServer()
const provider = await startSendGrid()
const server = await startServer({ SMTP_URL: post.url, MAIL_FROM, SENDGRID_URL: provider.url })
const newWorld = (emailServiceConfig: object = {}) => newMailWorld(server, post, emailServiceConfig)

describe.concurrent('a mail through a provider', () => {
  it('has the template of mentions or of replies, with all variables', async () => {
    const templates = { tagTemplateId: 'd-tag', commentTemplateId: 'd-comment' }
    const { thread, reply, address } = await newWorld({
      type: 'sendgrid',
      apiKey: 'SG.key',
      ...templates,
    })
    const requestTo = (userId: string) =>
      eventually(`request for ${userId}`, () =>
        provider.requests.find(({ body }) => body.personalizations[0].to[0].email === address(userId)),
      )
    await thread({ pageInfo: { url: 'https://app.example/page', title: 'The page' } })
    const { body } = await requestTo('bob')
    assert.equal(body.template_id, 'd-tag')
    assert.deepEqual(body.from, { email: 'help@acme.example', name: 'ADA via Acme, "Inc"' })
    assert.deepEqual(body.reply_to, { email: address('ada'), name: 'ADA' })
    assert.equal(body.headers['List-Unsubscribe-Post'], 'List-Unsubscribe=One-Click')
    const from = { userId: 'ada', name: 'ADA', email: address('ada') }
    const first = { commentId: 1, commentText: 'Look, @BOB: <b>bold</b>', from }
    const { activities, commentAnnotation, unsubscribeUrl, ...variables } =
      body.personalizations[0].dynamic_template_data
    assert.deepEqual(variables, {
      firstComment: first,
      latestComment: first,
      commentsCount: 1,
      commentsCountMoreThanThree: 0,
      fromUser: from,
      actionType: 'newlyAdded',
      documentMetadata: {},
      message: first.commentText,
      messageFromName: 'ADA',
      name: 'ADA',
      fromEmail: address('ada'),
      photoUrl: '',
      pageUrl: 'https://app.example/page?scommentId=t',
      pageTitle: 'The page',
      deviceInfo: {},
      subject: 'ADA mentioned you in “Road <map>”',
      activitiesCount: 1,
    })
    assert.equal(activities.length, 1)
    assert.match(unsubscribeUrl, /\/mail\/subscription\?token=/)
    assert.deepEqual(
      [commentAnnotation.annotationId, commentAnnotation.comments, commentAnnotation.metadata.documentId],
      ['t', undefined, 'd'],
    )
    await reply('bob', 2)
    const replied = (await requestTo('ada')).body
    assert.equal(replied.template_id, 'd-comment')
    const data = replied.personalizations[0].dynamic_template_data
    assert.deepEqual([data.prevComment.commentId, data.latestComment.commentId, data.commentsCount], [1, 2, 2])
  })
})

describe.concurrent('the link that turns mails about comments off', () => {
  const linkIn = (text: string | undefined, before: string) =>
    new RegExp(`${before}: ?\n?(http\\S+)`).exec(text ?? '')?.[1] ?? ''
  const press = (url: string, body = 'List-Unsubscribe=One-Click') =>
    fetch(url, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body })

  it('unsubscribes with one click, signed out, at once; and a page undoes it', async () => {
    const { thread, reply, mailTo, idle, sentTo, acme } = await newWorld()
    await thread()
    const mail = await mailTo('bob')
    assert.equal(header(mail, 'list-unsubscribe-post'), 'List-Unsubscribe=One-Click')
    const url = /^<(.+)>$/.exec(header(mail, 'list-unsubscribe') ?? '')?.[1] ?? ''
    assert.equal(url, linkIn(mail.text, 'about comments in [^:]+'))
    const email = async () => (await acme.call(getNotificationPreferences, { userId: 'bob' }))[0].config.email
    assert.match(await (await fetch(url)).text(), /Unsubscribe\?/)
    assert.equal(await email(), 'MINE', 'looking changes nothing')
    const done = await press(url)
    assert.equal(done.status, 200)
    const page = await done.text()
    assert.match(page, /You get no more mails about comments in this organization/)
    assert.equal(await email(), 'NONE')
    await reply('ada', 2)
    await idle()
    assert.equal(sentTo('bob').length, 1)
    const again = /action="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? ''
    assert.match(await (await press(new URL(again, url).href, '')).text(), /Unsubscribe\?/)
    assert.equal(await email(), 'MINE')
    // An import would refuse preferences without a level, and all other records of the call with them.
    const { notificationPreferences } = await acme.call(listCommentData, { kind: 'notificationPreferences' })
    assert.deepEqual(notificationPreferences, [])
    await reply('ada', 3)
    await eventually('second mail', () => (sentTo('bob').length === 2 ? true : undefined))
  })

  it('takes the one click in any form that mail programs send (RFC 8058)', async () => {
    const { thread, mailTo, acme } = await newWorld()
    await thread()
    const url = linkIn((await mailTo('bob')).text, 'about comments in [^:]+')
    const email = async () => (await acme.call(getNotificationPreferences, { userId: 'bob' }))[0].config.email
    const form = new FormData()
    form.set('List-Unsubscribe', 'One-Click')
    for (const init of [{ body: form }, {}, { body: 'List-Unsubscribe=One-Click' }]) {
      assert.equal((await fetch(url, { method: 'POST', ...init })).status, 200)
      assert.equal(await email(), 'NONE')
      await press(`${url}&again=1`)
      assert.equal(await email(), 'MINE')
    }
  })

  it('overrides the levels of documents, until the user sets one for the organization', async () => {
    const { thread, mailTo, level, acme } = await newWorld()
    await thread()
    await press(linkIn((await mailTo('bob')).text, 'about comments in [^:]+'))
    const config = { email: 'ALL' }
    await acme.call(setNotificationPreferences, { userIds: ['bob'], config, documentIds: ['d'] })
    const levels = async () =>
      (await acme.call(getNotificationPreferences, { userId: 'bob' })).map(
        (one: { config: { email: string } }) => one.config.email,
      )
    assert.deepEqual(await levels(), ['NONE', 'NONE'])
    const exported = await acme.call(listCommentData, { kind: 'notificationPreferences' })
    assert.deepEqual(
      exported.notificationPreferences.map((one: { config: { email?: string } }) => one.config.email),
      ['NONE', 'NONE'],
    )
    await acme.call(setNotificationPreferences, { userIds: ['bob'], config: { email: null } })
    assert.deepEqual(await levels(), ['NONE', 'NONE'], 'clearing a level sets none')
    await level('MINE', 'bob')
    assert.deepEqual(await levels(), ['MINE', 'ALL'])
  })

  it('mutes one thread, and follows it again', async () => {
    const { thread, reply, mailTo, idle, sentTo } = await newWorld()
    await thread()
    const url = linkIn((await mailTo('bob')).text, 'Mute this thread')
    assert.match(await (await fetch(url)).text(), /Mute this thread\?/)
    assert.match(await (await press(url)).text(), /The thread is muted/)
    await reply('ada', 2)
    await idle()
    assert.equal(sentTo('bob').length, 1)
    assert.match(await (await press(`${url}&again=1`)).text(), /Mute this thread\?/)
    await reply('ada', 3)
    await eventually('second mail', () => (sentTo('bob').length === 2 ? true : undefined))
  })

  it('does not reveal whether the thread exists or is still open to the user', async () => {
    const { thread, mailTo, acme } = await newWorld()
    await thread()
    const url = linkIn((await mailTo('bob')).text, 'Mute this thread')
    const pages = async () => {
      const answers = [await fetch(url), await press(url), await fetch(url), await press(`${url}&again=1`)]
      return Promise.all(answers.map(async (answer) => [answer.status, await answer.text()]))
    }
    const muted = async () => {
      const { rows } = await server.db.query(
        `select u.subscription from thread_users u join organizations o using (organization_key)
          where o.api_key_id = $1 and u.user_id = 'bob'`,
        [apiKeyOf(acme.key)],
      )
      return (rows as { subscription: string }[]).map(({ subscription }) => subscription)
    }
    const open = await pages()
    assert.deepEqual(
      open.map(([status, text]) => [status, /<h1>([^<]+)</.exec(String(text))?.[1]]),
      [
        [200, 'Mute this thread?'],
        [200, 'The thread is muted'],
        [200, 'Mute this thread?'],
        [200, 'Mute this thread?'],
      ],
    )
    const resources = [{ type: 'document' as const, id: 'd', organizationId: 'acme' }]
    await acme.key.call(removePermissions, { userId: 'bob', permissions: { resources } })
    const organizations = [{ organizationId: 'acme', organizationName: 'A name of later' }]
    await acme.key.call(updateOrganizations, { organizations })
    assert.deepEqual(await pages(), open)
    const ofMails = linkIn((await mailTo('bob')).text, 'about comments in [^:]+')
    for (const page of [await fetch(ofMails), await press(ofMails)]) assert.doesNotMatch(await page.text(), /of later/)
    await press(url)
    assert.deepEqual(await muted(), ['unsubscribed'], 'who has lost access may mute')
    await acme.call(deleteThreads, { documentId: 'd', annotationIds: ['t'] })
    assert.deepEqual(await pages(), open)
    assert.deepEqual(await muted(), [])
  })

  it('cannot be forged, and names no erased user', async () => {
    const { thread, mailTo, acme } = await newWorld()
    await thread()
    const url = linkIn((await mailTo('bob')).text, 'about comments in [^:]+')
    const token = new URL(url).searchParams.get('token') ?? ''
    for (const wrong of [url.replace(token, 'x'), url.replace(token.slice(-4), 'AAAA'), url.split('?')[0] ?? ''])
      assert.equal((await press(wrong)).status, 404)
    await acme.key.call(deleteUserData, { userIds: ['bob'] })
    await eventually('erasure', async () => ((await press(url)).status === 404 ? true : undefined))
    const { rows } = await server.db.query(
      `select from notification_preferences p join organizations o using (organization_key)
        where o.api_key_id = $1 and p.user_id = 'bob'`,
      [apiKeyOf(acme.key)],
    )
    assert.equal(rows.length, 0)
  })
})
