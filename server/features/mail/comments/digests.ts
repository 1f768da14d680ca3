/**
 * Sends mails about comments. Who may get what is decided when all of a mail is ready, and the mail is marked as handed over in the same
 * transaction, right before the server may accept it: it is never sent twice, and what goes wrong before is tried again
 * (rules/comments.md#mails-about-comments, ADR 0056).
 */
import type { ApiKeyId, OrganizationKey } from '#contract/core/ids.ts'
import { listRecipients, showing, type wordsOf } from '#features/comments/shared.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { Message } from '../message.ts'
import { FINISH_MAIL, FINISH_UNCONFIRMED, type MailRow } from '../statements.ts'
import { digestContent } from './content.ts'
import type { ConversationHeaders } from './conversation.ts'
import { type Allowed, digestOf } from './digest.ts'
import { DELETE_ITEMS, DELETE_MAIL, GET_ITEMS, HAND_OVER, type ItemRow, TAKE_ITEMS } from './digest-statements.ts'
import type { SubscriptionLinks } from './links.ts'
import { digestVariables } from './variables.ts'

/** A mail is about no more comments; what is beyond them is not sent. */
const ITEMS_MAX = 200

/** What the recipient may get has changed since the mail was written. */
export class Changed extends Error {}

/** Another server has handed the mail over, or it was deleted with its user. */
export class Taken extends Error {}

export interface DigestDeps {
  db: Db
  conversation: ConversationHeaders
  links: SubscriptionLinks
  words: ReturnType<typeof wordsOf>
}

type Prepared = Pick<Message, 'to' | 'content' | 'templateId' | 'variables' | 'headers' | 'commit'> &
  Partial<Pick<Message, 'actor'>>

export function createDigests({ db, conversation, links, words }: DigestDeps) {
  const keyOf = (mailId: string, { stream, userId }: MailRow): [string, OrganizationKey, string] => [
    mailId,
    stream as OrganizationKey,
    userId ?? '',
  ]

  /** Returns the comments that the recipient may get now. */
  async function decide(session: Pick<Session, 'runSet'>, { stream, userId }: MailRow, rows: readonly ItemRow[]) {
    const recipients = await listRecipients(
      session,
      'email',
      rows.map(({ resourceKey, thread, commentId }) => ({
        organizationKey: stream as OrganizationKey,
        ...{ resourceKey, annotationId: thread.annotationId, commentId, onlyUserId: userId ?? '' },
      })),
    )
    return rows.flatMap((row, index): Allowed[] => {
      const recipient = recipients[index]?.users[0]
      return recipient?.leftOut === null ? [{ row, recipient }] : []
    })
  }

  return {
    /** Returns a mail, or undefined if it has nothing to say. `handedOver` is called once a server may have it. */
    async prepare(mailId: string, mail: MailRow, handedOver: () => void): Promise<Prepared | undefined> {
      const key = keyOf(mailId, mail)
      await db.run(TAKE_ITEMS, key)
      const rows = await db.run(GET_ITEMS, [...key, ITEMS_MAX])
      const allowed = await decide(db, mail, rows)
      const to = allowed.at(-1)?.recipient.email
      if (to === undefined || to === null) return undefined
      const apiKeyId = mail.apiKeyId as ApiKeyId
      const people = rows.flatMap(({ comments }) =>
        comments.flatMap(({ from, taggedUserContacts }) => [from, ...taggedUserContacts].map(({ userId }) => userId)),
      )
      const show = await showing(db, { apiKeyId }, new Set(people))
      const [, organizationKey, userId] = key
      const { documentUrl = '', commentTemplateId = '', tagTemplateId = '' } = mail.config
      const linkTo = (thread?: { resourceKey: string; annotationId: string }) =>
        links.linkTo({ organizationKey, userId, ...(thread && { thread }) })
      const digest = digestOf(allowed, { show, documentUrl, linkTo })
      return {
        to,
        content: digestContent(digest),
        templateId: digest.reason === 'mention' ? tagTemplateId : commentTemplateId,
        variables: digestVariables(allowed, digest, { apiKeyId, show, words }),
        ...(digest.actor && { actor: digest.actor }),
        headers: {
          'List-Unsubscribe': `<${digest.unsubscribeLink}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          ...conversation({ organizationKey, userId, threads: allowed.map(({ row }) => row) }),
        },
        commit: () =>
          db
            .transaction(async (session) => {
              const now = await decide(session, mail, rows)
              if (!isSame(allowed, now)) throw new Changed('what the recipient may get has changed')
              const [marked] = await session.run(HAND_OVER, [mailId])
              if (marked === undefined) throw new Taken('another server sends it')
            })
            .then(handedOver),
      }
    },

    /** Records that a mail was sent, or with `failure` why not. Forgets its comments. */
    finish: (mailId: string, mail: MailRow, failure: string | null): Promise<void> =>
      db.transaction(async (session) => {
        await session.run(FINISH_MAIL, [mailId, failure])
        await session.run(DELETE_ITEMS, keyOf(mailId, mail))
      }),

    /** The same for one that a server may or may not have accepted, as `remark` says. */
    finishUnconfirmed: (mailId: string, mail: MailRow, remark: string): Promise<void> =>
      db.transaction(async (session) => {
        await session.run(FINISH_UNCONFIRMED, [mailId, remark])
        await session.run(DELETE_ITEMS, keyOf(mailId, mail))
      }),

    /** Deletes a mail that has nothing to say. */
    drop: (mailId: string, mail: MailRow): Promise<void> =>
      db.transaction(async (session) => {
        await session.run(DELETE_ITEMS, keyOf(mailId, mail))
        await session.run(DELETE_MAIL, [mailId])
      }),
  }
}

const isSame = (before: readonly Allowed[], now: readonly Allowed[]): boolean =>
  before.length === now.length &&
  before.every(({ row, recipient }, index) => now[index]?.row === row && now[index].recipient.email === recipient.email)
