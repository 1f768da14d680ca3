/** A key that mails comments, with three people who can open a document, for the tests of mails about comments. */
import { addComments } from '#contract/comments/comments.ts'
import { addThreads } from '#contract/comments/threads.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { updateEmailConfig } from '#contract/keys/service-configs.ts'
import { setNotificationPreferences } from '#contract/notifications/preferences.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { apiKeyOf } from '../test/conformance/support/callers.ts'
import { newAcme } from './acme.ts'
import { eventually } from './eventually.ts'
import type { TestServer } from './server.ts'
import type { MailServer, ReceivedMail } from './stand-ins/mail-server.ts'

export const MAIL_FROM = 'mail@commonhold.example'

let count = 0

/** Ada, Bob and Eve, who can open the document `d` and have addresses, under a key that sends mail. */
export async function newMailWorld(
  server: TestServer,
  post: MailServer,
  emailServiceConfig: object = {},
  notificationServiceConfig?: object,
) {
  const acme = await newAcme(server)
  const number = count++
  const address = (userId: string) => `${userId}.${number}@example.com`
  await acme.addDocuments(
    'root',
    { documentId: 'd', documentName: 'Road <map>', accessType: 'restricted' },
    { documentId: 'e' },
  )
  const users = ['ada', 'bob', 'eve']
  await acme.grant('document', 'd', ...users)
  await acme.key.call(setProfiles, {
    users: users.map((userId) => ({ userId, name: userId.toUpperCase(), email: address(userId) })),
  })
  const triggers = { 'permission.added': false, 'api_key.created': false, 'document.migration.completed': false }
  const config = { type: 'default', fromCompany: 'Acme, "Inc"', fromEmail: 'help@acme.example', triggers }
  await acme.key.call(updateEmailConfig, {
    useEmailService: true,
    emailServiceConfig: { ...config, ...emailServiceConfig } as object,
  })
  if (notificationServiceConfig) await acme.key.call(updateNotificationConfig, { notificationServiceConfig })
  const world = {
    acme,
    address,
    sentTo: (userId: string) => post.mails.filter(({ recipients }) => recipients.includes(address(userId))),
    mailTo: (userId: string) => post.mailTo(address(userId)),

    /** Ada starts thread `t` on `d`, which mentions Bob. */
    async thread(more: object = {}, comment: object = {}) {
      const root = {
        commentId: 1,
        from: { userId: 'ada' },
        commentText: 'Look, {{bob}}: <b>bold</b>',
        taggedUserContacts: [{ userId: 'bob', contact: { userId: 'bob', email: 'other@example.com' } }],
        triggerNotification: true,
        ...comment,
      }
      await acme.call(addThreads, {
        documentId: 'd',
        commentAnnotations: [{ annotationId: 't', commentData: [root], ...more }],
      })
    },

    reply: (userId: string, commentId: number, commentText = `reply ${commentId}`) =>
      acme.call(addComments, {
        documentId: 'd',
        annotationId: 't',
        commentData: [{ commentId, from: { userId }, commentText, triggerNotification: true }],
      }),

    level: (email: string, ...userIds: string[]) =>
      acme.call(setNotificationPreferences, { userIds, config: { email } }),

    /** Waits until no mail of the key is queued, waiting for a window, or unsent. */
    idle: () => eventually('nothing left to mail', async () => ((await world.waiting()) === 0 ? true : undefined)),

    async waiting(): Promise<number> {
      const { rows } = await server.db.query(
        `select (select count(*) from comment_mailings where api_key_id = $1)::int
              + (select count(*) from mails where api_key_id = $1 and finished_at is null)::int as count`,
        [apiKeyOf(acme.key)],
      )
      return (rows[0] as { count: number }).count
    },

    rows: async () =>
      (
        await server.db.query(
          'select user_id as "userId", state, error, collects from mails where api_key_id = $1 order by user_id, collects',
          [apiKeyOf(acme.key)],
        )
      ).rows as { userId: string; state: string; error: string | null; collects: string }[],

    /** Makes all waiting mails due now, whatever their delays and windows. */
    async hurry() {
      for (const table of ['comment_mailings', 'mails'])
        await server.db.query(`update ${table} set due_at = now() where api_key_id = $1 and finished_at is null`, [
          apiKeyOf(acme.key),
        ])
    },
  }
  return world
}

export const header = (mail: Pick<ReceivedMail, 'headers'>, name: string): string | undefined =>
  mail.headers.find(({ key }) => key === name)?.value
