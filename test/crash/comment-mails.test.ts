/** A server that is killed at any step of mailing a comment, or that shares the work with another, sends each mail once. */
import assert from 'node:assert/strict'
import { test } from 'vitest'
import { addThreads } from '#contract/comments/threads.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { updateEmailConfig } from '#contract/keys/service-configs.ts'
import { setNotificationPreferences } from '#contract/notifications/preferences.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { createLastingStore, startProcess } from '#testing/processes/process.ts'
import { ENGINE } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { FINISH_MAILS } from '../../server/features/mail/statements.ts'
import { deathsOf, runScript } from './crash-points.ts'
import type { MailOrder } from './crashing-mailer.ts'

const WHERE = { organizationId: 'acme', documentId: 'd' }
/** More than the number of steps at which a server can die. */
const THREADS = 60

/**
 * Whether the mark of a mail may be stored that the mail server does not have, when the sender died after these steps:
 * the commit of the mark was under way, or took so long that the mail was decided once more.
 */
function isUnknown(steps: readonly string[], when: string): boolean {
  const [commit, next] = steps.slice(steps.lastIndexOf('comment-mails.hand-over') + 1)
  if (!steps.includes('comment-mails.hand-over') || commit !== 'commit') return false
  return next === undefined ? when === 'during' : next !== FINISH_MAILS.name
}

test('a mail about a comment is sent once, at whichever step its server was killed', async (t) => {
  const post = await startMailServer()
  const store = await createLastingStore()
  const server = await startProcess(store.settings)
  const key = await server.client.newKey()
  await key.call(addDocuments, { organizationId: 'acme', createOrganization: true, documents: [{ documentId: 'd' }] })
  const users = ['bob', 'eve'].map((userId) => ({ userId, email: `${userId}@example.com` }))
  await key.call(setProfiles, { users })
  await key.call(setNotificationPreferences, { organizationId: 'acme', userIds: ['eve'], config: { email: 'ALL' } })
  await key.call(updateEmailConfig, { useEmailService: true, emailServiceConfig: { type: 'default' } })
  // The servers of this test send nothing by themselves.
  const delayConfig = { isEnabled: true, delaySeconds: 86_400 }
  await key.call(updateNotificationConfig, { notificationServiceConfig: { delayConfig } })
  const root = {
    from: { userId: 'ada' },
    taggedUserContacts: [{ userId: 'bob', contact: { userId: 'bob' } }],
    triggerNotification: true,
  }
  const commentAnnotations = Array.from({ length: THREADS }, (_, nth) => ({
    annotationId: `t${nth}`,
    targetElement: { targetText: `passage ${nth}.` },
    commentData: [root],
  }))
  await key.call(addThreads, { ...WHERE, commentAnnotations })
  await server.kill('SIGTERM')
  const apiKeyId = key.headers['x-service-api-key'] ?? ''

  const run = (nth: number, dieAt: MailOrder['dieAt']) => {
    const order: MailOrder = { annotationId: `t${nth}`, apiKeyId, smtpUrl: post.url, dieAt }
    return runScript('crashing-mailer.ts', store.settings, order)
  }
  /** Returns how many mails about a thread each recipient has got. */
  const counts = (nth: number) =>
    users.map(
      ({ email }) =>
        post.mails.filter(({ recipients, text }) => recipients.includes(email) && text?.includes(`> passage ${nth}.`))
          .length,
    )

  const { steps } = await run(0, null)
  assert.deepEqual(counts(0), [1, 1])

  const deaths = deathsOf(steps)
  assert.ok(deaths.length + 2 < THREADS)
  let unknown = 0
  for (const [index, death] of deaths.entries()) {
    const nth = index + 1
    const { steps: taken } = await run(nth, death)
    await run(nth, null)
    const sent = counts(nth)
    if (isUnknown(taken, death.when)) {
      assert.ok(
        sent.every((count) => count <= 1),
        JSON.stringify({ death, sent }),
      )
      unknown++
    } else assert.deepEqual(sent, [1, 1], JSON.stringify({ death, taken }))
  }

  const last = THREADS - 1
  // The embedded engine has one process at a time.
  await Promise.all(Array.from({ length: ENGINE === 'embedded' ? 1 : 2 }, () => run(last, null)))
  await run(last, null)
  assert.deepEqual(counts(last), [1, 1])
  t.annotate(
    `${deaths.length} deaths in ${steps.length} steps, ${unknown} while a mark was committed: ${steps.join(', ')}`,
  )
})
