/** Reads the state of mails about comments (rules/comments.md#delivery). It returns neither texts nor addresses. */
import type { CommentMail, DelayedMail, getCommentMails, MailLeftOut } from '#contract/comments/mails.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import { listRecipients, type Recipient } from '#features/comments/shared.ts'
import type { Kernel } from '#kernel'
import { cutPage, type Paged } from '#platform/secrets/page-token.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { requireDocumentOrOrganization } from '#tenancy/existence.ts'
import { isMailed, windowsOf } from './collect.ts'
import type { MailingRow } from './collect-statements.ts'
import { CHANGED } from './digest.ts'
import {
  GET_MAIL_SETTINGS,
  LIST_DELAYED,
  LIST_DELAYED_OF_THREAD,
  LIST_STATES_OF_THREAD,
  LIST_STATES_OF_USER,
  type StateRow,
} from './state-statements.ts'
import { nextDailyMail } from './times.ts'

type Data = DataOf<typeof getCommentMails>
type Result = ResultOf<typeof getCommentMails>
type Collects = NonNullable<CommentMail['collects']>

/** How many comments in their delay are decided, and how many recipients of each are returned. */
const DELAYED_MAX = 5
/** The delayed comments of an organization are searched among this number of delayed comments of the API key. */
const DELAYED_EXAMINED_MAX = 500
const RECIPIENTS_MAX = 100

const NO_KEY = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const POSITION_MAX = 2_147_483_647

export function createGetCommentMails({ db, pageTokens, config }: Kernel) {
  const hasSmtp = config.SMTP_URL !== undefined && config.MAIL_FROM !== undefined

  /** Returns the comments in their delay, with the recipients as they would be decided now. */
  async function delayedOf(asked: Asked, batches: MailingRow['batches']): Promise<DelayedMail[]> {
    const { caller, key, document, annotationId, userId } = asked
    const rows =
      document === null
        ? await db.run(LIST_DELAYED, [caller.apiKeyId, key, DELAYED_MAX, DELAYED_EXAMINED_MAX])
        : await db.run(LIST_DELAYED_OF_THREAD, [key, document, annotationId, DELAYED_MAX])
    if (rows.length === 0) return []
    const decided = await listRecipients(
      db,
      'email',
      rows.map(({ resourceKey, annotationId, commentId, actionType, changedAt, onlyUserId }) => ({
        ...{ organizationKey: key, resourceKey, annotationId, commentId, onlyUserId: onlyUserId ?? userId },
        ...{ isChange: actionType === CHANGED, changedAt },
      })),
    )
    const delayed = rows.map(({ documentId, annotationId, commentId, until, now }, index) => ({
      ...{ documentId, annotationId, commentId },
      until: until.getTime(),
      recipients: (decided[index]?.users ?? [])
        .filter((user) => userId === undefined || (userId === user.userId && isInvolved(user)))
        .slice(0, RECIPIENTS_MAX)
        .map((user) => recipientOf(user, until > now ? until : now, batches)),
    }))
    return userId === undefined ? delayed : delayed.filter(({ recipients }) => recipients.length > 0)
  }

  async function statesOf({ caller, key, document, annotationId, userId }: Asked, data: Data): Promise<Page> {
    const { organizationId, documentId, pageSize = LIMITS.pageSizeMax, pageToken } = data
    const scope = ['comment-mails.get', caller.apiKeyId, organizationId, documentId, annotationId, userId]
    const token = pageTokens.decode(scope, pageToken)
    const after = token === null ? undefined : JSON.parse(token)
    if (document === null) {
      const rows = await db.run(LIST_STATES_OF_USER, [
        ...[key, userId],
        ...(after ?? ['infinity', NO_KEY, '', 0]),
        pageSize + 1,
      ])
      const { page, last } = cutPage(rows, pageSize)
      return {
        data: page.map(mailOf),
        ...(last && {
          nextPageToken: pageTokens.encode(
            scope,
            JSON.stringify([last.createdAt, last.resourceKey, last.annotationId, last.commentId]),
          ),
        }),
      }
    }
    const rows = await db.run(LIST_STATES_OF_THREAD, [
      ...[key, document, annotationId],
      ...(after ?? [POSITION_MAX, '']),
      ...[userId ?? null, pageSize + 1],
    ])
    const { page, last } = cutPage(rows, pageSize)
    return {
      data: page.map(mailOf),
      ...(last && { nextPageToken: pageTokens.encode(scope, JSON.stringify([last.position, last.userId])) }),
    }
  }

  return async (caller: Caller, data: Data): Promise<Paged<Result>> => {
    const { organizationId, documentId, annotationId, userId, pageToken } = data
    if (annotationId !== undefined && documentId === undefined) throw required('documentId', 'with annotationId')
    if (documentId !== undefined && annotationId === undefined) throw required('annotationId', 'with documentId')
    if (documentId === undefined && userId === undefined) throw required('userId', 'without a thread')
    const key = organizationKey(caller, organizationId)
    const document = await requireDocumentOrOrganization(db, key, documentId)
    const [{ carrier, batches } = NO_SETTINGS] = await db.run(GET_MAIL_SETTINGS, [caller.apiKeyId])
    const service = carrier === null ? 'off' : carrier === 'smtp' && !hasSmtp ? 'no_server' : 'on'
    const asked = { caller, key, document, annotationId, userId }
    const { data: mails, ...next } = await statesOf(asked, data)
    const delayed = pageToken === undefined ? await delayedOf(asked, batches) : []
    return { data: { service, delayed, mails }, ...next }
  }
}

const NO_SETTINGS = { carrier: null, batches: null }

interface Asked {
  caller: Caller
  key: ReturnType<typeof organizationKey>
  /** The key of the document of the thread; null: all threads of the organization. */
  document: string | null
  annotationId: string | undefined
  userId: string | undefined
}

type Page = Paged<CommentMail[]>

const required = (field: string, when: string) => invalidArgument([{ field, message: `${field} is required ${when}` }])

/** Whether a comment involves a user who was asked for by name. */
const isInvolved = ({ reason, level }: Recipient): boolean => reason !== 'all' || level === 'ALL'

/** `decidedAt`: at the end of the delay. */
function recipientOf(
  user: Recipient,
  decidedAt: Date,
  batches: MailingRow['batches'],
): DelayedMail['recipients'][number] {
  const { userId, leftOut, level, timezone } = user
  if (!isMailed(user)) return { userId, reason: leftOut ?? 'no_address' }
  if (level === 'DIGEST') {
    return { userId, collects: 'day', thenUntil: nextDailyMail(timezone, decidedAt).getTime() }
  }
  const { documentSeconds, userSeconds } = windowsOf(batches)
  const isOfDocument = documentSeconds !== null && (userSeconds === null || documentSeconds <= userSeconds)
  return { userId, collects: isOfDocument ? 'document' : userSeconds !== null ? 'organization' : 'comment' }
}

function mailOf({ documentId, annotationId, commentId, userId, outcome, until, collects, at }: StateRow): CommentMail {
  const about = { documentId, annotationId, commentId, userId }
  if (outcome === null)
    return {
      ...about,
      state: 'waiting',
      ...(until && { until: until.getTime() }),
      ...(collects !== null && { collects: collectsOf(collects) }),
    }
  const when = at === null ? {} : { at: at.getTime() }
  if (outcome === 'sent' || outcome === 'failed') return { ...about, state: outcome, ...when }
  return { ...about, state: 'left_out', reason: outcome satisfies MailLeftOut, ...when }
}

/** The scope of a mail, from its column: a word, and for a document and a comment its keys. */
function collectsOf(collects: string): Collects {
  const [word = ''] = collects.split(' ')
  return word === 'document' || word === 'comment' || word === 'day' ? word : 'organization'
}
