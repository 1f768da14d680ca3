/**
 * Sends mails about comments. The recipients of each comment are decided when all of a mail is ready, and the same
 * transaction marks the mail as handed over, right before the server may accept it. So a mail is never sent twice, and
 * failures before the mark are tried again. If the commit of the mark was slow, they are decided once more
 * (rules/comments.md#mails-about-comments, ADR 0056).
 */
import type { ApiKeyId, OrganizationKey } from '#contract/core/ids.ts'
import type { Recipient, wordsOf } from '#features/comments/shared.ts'
import type { Db } from '#platform/db/db.ts'
import type { Claimed } from '#platform/jobs/leased-rows.ts'
import type { Message } from '../carriers/message.ts'
import { FAIL_MAIL, FINISH_UNCONFIRMED, KEEP_MAIL, type MailJob, type MailRow } from '../statements.ts'
import { digestContent } from './content.ts'
import type { ConversationHeaders } from './conversation.ts'
import { type Addressed, type Decided, isAllowed } from './decisions.ts'
import { digestOf } from './digest.ts'
import { DELETE_MAIL } from './digest-statements.ts'
import type { SubscriptionLinks } from './links.ts'
import { createMailWrites } from './mail-writes.ts'
import { FINISH_ALL_ITEMS, FINISH_ITEMS, type MailOutcome, type MailResultRow } from './result-statements.ts'
import { digestVariables } from './variables.ts'

/** The content that the recipient may get has changed since the mail was written. */
export class Changed extends Error {}

/** Another server works on the mail or has handed it over, or it was deleted with its user. */
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
  const writes = createMailWrites(db)
  const addressed = (mailId: string, { apiKeyId, stream, userId }: MailRow): Addressed => ({
    mailId,
    apiKeyId: apiKeyId as ApiKeyId,
    organizationKey: stream as OrganizationKey,
    userId: userId ?? '',
  })
  const keyOf = ({ mailId, organizationKey, userId }: Addressed) => [mailId, organizationKey, userId]

  /** Returns the results of the comments that were read; `outcome` is the result of the allowed ones. */
  const resultsOf = (
    { mailId, organizationKey, userId }: Addressed,
    decided: readonly Decided[],
    outcome: MailOutcome,
  ) =>
    decided.map(({ row, recipient }): MailResultRow => {
      const { resourceKey, commentId, thread } = row
      const comment = { mailId, organizationKey, resourceKey, annotationId: thread.annotationId, commentId, userId }
      return { ...comment, outcome: isAllowed({ row, recipient }) ? outcome : outcomeOf(recipient) }
    })

  return {
    /** Returns a mail, without a message if it has nothing to say. `handedOver` is called once a server may have it. */
    async prepare(job: Claimed<MailJob>, mail: MailRow, handedOver: () => void): Promise<Prepared> {
      const recipient = addressed(job.mailId, mail)
      const { apiKeyId, organizationKey, userId } = recipient
      const { decided, show } = await writes.open(recipient)
      const { settingsHash } = mail
      const allowed = decided.filter(isAllowed)
      const to = allowed.at(-1)?.recipient.email
      if (to === undefined || to === null) return { decided }
      const items = decided.map(({ row }) => row)
      const { documentUrl = '', commentTemplateId = '', tagTemplateId = '' } = mail.config
      const linkTo = (thread?: { resourceKey: string; annotationId: string }) =>
        links.linkTo(apiKeyId, { organizationKey, userId, ...(thread && { thread }) })
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
        commit: async () => {
          const outcome = await writes.handOver({
            ...recipient,
            claims: job.claims,
            items,
            allowed,
            show,
            settingsHash,
            address: to,
          })
          if (outcome === 'changed') throw new Changed('what the recipient may get has changed')
          if (outcome === 'taken') throw new Taken('another server sends it')
          handedOver()
        },
      }
      return { decided, message }
    },

    /** Records that a mail was sent. */
    finish(mailId: string, mail: MailRow, { decided }: Prepared): Promise<void> {
      const recipient = addressed(mailId, mail)
      return writes.finish({ ...recipient, results: resultsOf(recipient, decided, 'sent') })
    },

    /** Records why a mail is not sent, unless another worker has it now. */
    fail: ({ mailId, claims }: Claimed<MailJob>, mail: MailRow, failure: string): Promise<void> =>
      db.transaction(async (session) => {
        if ((await session.run(FAIL_MAIL, [mailId, claims, failure])).length === 0) return
        await session.run(FINISH_ALL_ITEMS, [...keyOf(addressed(mailId, mail)), 'failed'])
      }),

    /** Records that a server may or may not have accepted a mail, as `remark` says: it counts as sent. */
    finishUnconfirmed: (mailId: string, mail: MailRow, remark: string): Promise<void> =>
      db.transaction(async (session) => {
        await session.run(FINISH_UNCONFIRMED, [mailId, remark])
        await session.run(FINISH_ALL_ITEMS, [...keyOf(addressed(mailId, mail)), 'sent'])
      }),

    /** Deletes a mail that has nothing to say, unless another worker has it now. */
    drop: ({ mailId, claims }: Claimed<MailJob>, mail: MailRow, { decided }: Prepared): Promise<void> =>
      db.transaction(async (session) => {
        if ((await session.run(KEEP_MAIL, [mailId, claims, mail.settingsHash, mail.recipient])).length === 0) return
        const recipient = addressed(mailId, mail)
        const results = resultsOf(recipient, decided, 'no_address')
        if (results.length > 0) await session.runSet(FINISH_ITEMS, results)
        await session.run(FINISH_ALL_ITEMS, [...keyOf(recipient), 'too_many'])
        await session.run(DELETE_MAIL, [mailId])
      }),
  }
}

/** Why a comment is left out. Whom it does not involve any more, because they are its author now, has no level for it. */
const outcomeOf = (recipient: Recipient | undefined): MailOutcome => recipient?.leftOut ?? 'level'
