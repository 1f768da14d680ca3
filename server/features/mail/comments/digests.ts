/**
 * Sends mails about comments. Who may get what is decided when all of a mail is ready, and the mail is marked as handed over in the same
 * transaction, right before the server may accept it: it is never sent twice, and what goes wrong before is tried again
 * (rules/comments.md#mails-about-comments, ADR 0056).
 */
import type { ApiKeyId, OrganizationKey } from '#contract/core/ids.ts'
import { listRecipients, type Recipient, showing, type wordsOf } from '#features/comments/shared.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { Message } from '../message.ts'
import { FINISH_MAIL, FINISH_UNCONFIRMED, type MailRow } from '../statements.ts'
import { digestContent } from './content.ts'
import type { ConversationHeaders } from './conversation.ts'
import { type Allowed, digestOf } from './digest.ts'
import { DELETE_MAIL, GET_ITEMS, HAND_OVER, type ItemRow, TAKE_ITEMS } from './digest-statements.ts'
import type { SubscriptionLinks } from './links.ts'
import { FINISH_ALL_ITEMS, FINISH_ITEMS, type MailOutcome, type ResultRow } from './result-statements.ts'
import { digestVariables } from './variables.ts'

/** A mail is about no more comments; what is beyond them is not sent. */
const ITEMS_MAX = 200

/** A comment that was read for a mail, and the decision about its recipient. */
interface Decided {
  row: ItemRow
  recipient: Recipient | undefined
}

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

interface Prepared {
  decided: readonly Decided[]
  /** Absent: there is nothing to say. */
  message?: Pick<Message, 'to' | 'content' | 'templateId' | 'variables' | 'headers' | 'commit'> &
    Partial<Pick<Message, 'actor'>>
}

export function createDigests({ db, conversation, links, words }: DigestDeps) {
  const keyOf = (mailId: string, { stream, userId }: MailRow): [string, OrganizationKey, string] => [
    mailId,
    stream as OrganizationKey,
    userId ?? '',
  ]

  /** Decides which of the comments the recipient may get now. */
  async function decide(session: Pick<Session, 'runSet'>, { stream, userId }: MailRow, rows: readonly ItemRow[]) {
    const recipients = await listRecipients(
      session,
      'email',
      rows.map(({ resourceKey, thread, commentId }) => ({
        organizationKey: stream as OrganizationKey,
        ...{ resourceKey, annotationId: thread.annotationId, commentId, onlyUserId: userId ?? '' },
      })),
    )
    return rows.map((row, index): Decided => ({ row, recipient: recipients[index]?.users[0] }))
  }

  /** Records what became of the comments that were read; `others` is the outcome of further ones. */
  async function finishItems(
    session: Session,
    key: [string, OrganizationKey, string],
    { decided, allowed, others }: { decided: readonly Decided[]; allowed: MailOutcome; others: MailOutcome },
  ): Promise<void> {
    const [, organizationKey, userId] = key
    const results = decided.map(({ row, recipient }): ResultRow => {
      const { resourceKey, commentId, thread } = row
      const comment = { organizationKey, resourceKey, annotationId: thread.annotationId, commentId, userId }
      return { ...comment, outcome: isAllowed({ row, recipient }) ? allowed : outcomeOf(recipient) }
    })
    if (results.length > 0) await session.runSet(FINISH_ITEMS, results)
    await session.run(FINISH_ALL_ITEMS, [...key, others])
  }

  return {
    /** Returns a mail, without a message if it has nothing to say. `handedOver` is called once a server may have it. */
    async prepare(mailId: string, mail: MailRow, handedOver: () => void): Promise<Prepared> {
      const key = keyOf(mailId, mail)
      await db.run(TAKE_ITEMS, key)
      const rows = await db.run(GET_ITEMS, [...key, ITEMS_MAX])
      const decided = await decide(db, mail, rows)
      const allowed = decided.filter(isAllowed)
      const to = allowed.at(-1)?.recipient.email
      if (to === undefined || to === null) return { decided }
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
      const message = {
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
              const now = (await decide(session, mail, rows)).filter(isAllowed)
              if (!isSame(allowed, now)) throw new Changed('what the recipient may get has changed')
              const [marked] = await session.run(HAND_OVER, [mailId])
              if (marked === undefined) throw new Taken('another server sends it')
            })
            .then(handedOver),
      }
      return { decided, message }
    },

    /** Records that a mail was sent. */
    finish: (mailId: string, mail: MailRow, { decided }: Prepared): Promise<void> =>
      db.transaction(async (session) => {
        await session.run(FINISH_MAIL, [mailId, null])
        await finishItems(session, keyOf(mailId, mail), { decided, allowed: 'sent', others: 'too_many' })
      }),

    /** Records why a mail is not sent. */
    fail: (mailId: string, mail: MailRow, failure: string): Promise<void> =>
      db.transaction(async (session) => {
        await session.run(FINISH_MAIL, [mailId, failure])
        await session.run(FINISH_ALL_ITEMS, [...keyOf(mailId, mail), 'failed'])
      }),

    /** Records that a server may or may not have accepted a mail, as `remark` says: it counts as sent. */
    finishUnconfirmed: (mailId: string, mail: MailRow, remark: string): Promise<void> =>
      db.transaction(async (session) => {
        await session.run(FINISH_UNCONFIRMED, [mailId, remark])
        await session.run(FINISH_ALL_ITEMS, [...keyOf(mailId, mail), 'sent'])
      }),

    /** Deletes a mail that has nothing to say. */
    drop: (mailId: string, mail: MailRow, { decided }: Prepared): Promise<void> =>
      db.transaction(async (session) => {
        await finishItems(session, keyOf(mailId, mail), { decided, allowed: 'no_address', others: 'too_many' })
        await session.run(DELETE_MAIL, [mailId])
      }),
  }
}

const isAllowed = (decided: Decided): decided is Allowed => decided.recipient?.leftOut === null

/** Why a comment is left out. Whom it does not involve any more, because they are its author now, has no level for it. */
const outcomeOf = (recipient: Recipient | undefined): MailOutcome => recipient?.leftOut ?? 'level'

const isSame = (before: readonly Allowed[], now: readonly Allowed[]): boolean =>
  before.length === now.length &&
  before.every(({ row, recipient }, index) => now[index]?.row === row && now[index].recipient.email === recipient.email)
