/** The preview of mails about comments: the mail that is sent, of an example or a real thread. */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { getEmailPreview } from '#contract/keys/email-preview.ts'
import { updateEmailConfig } from '#contract/keys/service-configs.ts'
import { organizationId } from '#testing/acme.ts'
import { MAIL_FROM, newMailWorld } from '#testing/mail-world.ts'
import { startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { refused, refusedField } from '../../../../test/conformance/support/refused.ts'

const post = await startMailServer()
const server = await startServer({ SMTP_URL: post.url, MAIL_FROM })

it('a preview equals the mail about the last comment of a thread, except for links that unsubscribe', async () => {
  const { thread, mailTo, acme } = await newMailWorld(server, post, { documentUrl: 'https://app.example/{documentId}' })
  await acme.grant('organization', organizationId, 'bob')
  await thread({ targetElement: { targetText: 'The <i>first</i> goal' } })
  const sent = await mailTo('bob')
  const preview = await acme.key.call(getEmailPreview, {
    kind: 'mention',
    ...{ organizationId, documentId: 'd', annotationId: 't' },
  })
  const shown = (text = '') =>
    text
      .replaceAll(/\?token=[\w-]+&(?:amp;)?key=\w+/g, '')
      .replace(/Hello[^,]*,/, 'Hello,')
      .replaceAll('\r', '')
      .trim()
  assert.deepEqual([preview.subject, preview.sender, preview.templateId], [sent.subject, sent.from?.name, ''])
  assert.equal(shown(preview.text), shown(sent.text))
  assert.equal(shown(preview.html), shown(sent.html))
  assert.doesNotMatch(preview.html + preview.text, /token=/)
})

it('a preview shows an example with the settings of the key, and sends nothing', async () => {
  const { acme, waiting } = await newMailWorld(server, post)
  const count = post.mails.length
  const preview = (kind: 'mention' | 'reply') => acme.key.call(getEmailPreview, { kind })
  assert.equal((await preview('mention')).subject, 'Ada Byron mentioned you in “Prices 2027”')
  assert.equal((await preview('reply')).subject, 'Ada Byron replied in “Prices 2027”')
  const config = {
    type: 'sendgrid',
    commentTemplateId: 'd-1',
    documentUrl: 'https://app.example/{documentId}',
  } as const
  await acme.key.call(updateEmailConfig, { emailServiceConfig: { ...config, apiKey: 'SG.key' } })
  const { templateId, text } = await preview('reply')
  assert.deepEqual([templateId, /https:\/\/app\.example\/prices-2027/.test(text)], ['d-1', true])
  assert.equal((await preview('mention')).templateId, '')
  assert.deepEqual([await waiting(), post.mails.length], [0, count])

  const ask = (data: object) => acme.key.post(getEmailPreview.path, { kind: 'reply', ...data })
  refusedField(await ask({ organizationId, annotationId: 't' }), 'documentId')
  const unknown = await ask({ organizationId, documentId: 'd', annotationId: 'unknown' })
  assert.equal(refused(unknown, 'NOT_FOUND').reason, 'thread_does_not_exist')
})
