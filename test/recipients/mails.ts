/**
 * Creates keys that mail comments, waits for their mails, and returns the text of mails without values that differ
 * between equal worlds.
 */
import assert from 'node:assert/strict'
import { updateActivityConfig } from '#contract/keys/activity-config.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { updateEmailConfig } from '#contract/keys/service-configs.ts'
import type { Client } from '#testing/client.ts'
import type { TestServer } from '#testing/server.ts'
import type { MailServer, ReceivedMail } from '#testing/stand-ins/mail-server.ts'
import type { WorldSpec } from './worlds.ts'

/** The collection modes for the mails of a key. */
export type Collecting = 'at once' | 'in windows' | 'daily'

export interface Listening {
  server: TestServer
  post: MailServer
  key: Client
  collecting: Collecting
}

export async function newListeningKey(
  { server, post }: Pick<Listening, 'server' | 'post'>,
  defaultDocumentAccessType: WorldSpec['defaultAccessType'],
  collecting: Collecting,
): Promise<Listening> {
  const key = await server.newKey()
  await key.call(updateKeyConfig, { defaultDocumentAccessType })
  const batch = { isEnabled: true, batchWindowSeconds: 604_800, maxActivities: 3 }
  const notificationServiceConfig = collecting === 'in windows' ? { batchConfig: { document: batch, user: batch } } : {}
  await key.call(updateNotificationConfig, { useNotificationService: true, notificationServiceConfig })
  await key.call(updateActivityConfig, { activityServiceConfig: { isEnabled: true, immutable: false } })
  const triggers = { 'permission.added': false, 'api_key.created': false }
  const emailServiceConfig = { type: 'default', fromCompany: 'Acme', fromEmail: 'help@acme.example', triggers } as const
  await key.call(updateEmailConfig, { useEmailService: true, emailServiceConfig })
  return { server, post, key, collecting }
}

export interface Queue {
  server: TestServer
  stream: string
}

/** Returns how many comments and mails of an organization are on their way, without those that wait for their window. */
export async function waiting({ server, stream }: Queue): Promise<number> {
  const { rows } = await server.db.query(
    `select (select count(*) from comment_mailings where organization_key = $1)::int
          + (select count(*) from mails where stream = $1 and finished_at is null and (claimed_at is not null or due_at <= now()))::int as count`,
    [stream],
  )
  return (rows[0] as { count: number }).count
}

/** Closes all windows. */
export async function hurry({ server, stream }: Queue): Promise<void> {
  await server.db.query('update mails set due_at = now() where stream = $1 and finished_at is null', [stream])
}

/** Addresses differ between keys. */
export const withoutAddresses = (text: string): string => text.replaceAll(/@[-\w]+\.example/g, '@example')

/** Returns the text of a mail, without its time, its links and its ids. */
export function textOfMail({ subject, text, html, from, to, replyTo, headers }: ReceivedMail): string {
  const names = headers.map(({ key }) => key)
  return withoutAddresses(JSON.stringify({ subject, text, html, from, to, replyTo, names }))
    .replaceAll(/\d{1,2} \w{3,4} \d{4}, \d\d:\d\d/g, 'time')
    .replaceAll(/token=[-\w=]+?(&|&amp;)key=[-\w]+/g, 'token')
}

/** Returns the addresses of pages to which a mail links: those that mute its threads, and the one that turns mails off. */
export function linksIn({ text = '' }: ReceivedMail): string[] {
  const links = [...text.matchAll(/(?:Mute this thread: ?\n?|comments in .*:\n)(http\S+)/g)].map(
    ([, link = '']) => link,
  )
  assert.ok(links.length > 1, text)
  return links
}
