/** The variables of a provider's template of mails about comments. */
import type { ThreadRecord } from '#contract/comments/records.ts'
import type { ApiKeyId } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { type Show, threadRecord, type wordsOf } from '#features/comments/shared.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { COMMENT_PARAMETER } from '#tenancy/page-addresses.ts'
import { block, line } from '../text.ts'
import { type Allowed, commentOf, type Digest, nameOf, textOf } from './digest.ts'
import type { ItemRow, ShownComment } from './digest-statements.ts'

/** More comments than these are counted by `commentsCountMoreThanThree`. */
const SHOWN = 3

const TEXT_MAX = LIMITS.commentTextCharactersMax

/** `activities` has no more. */
const ACTIVITIES_MAX = 20

type Named = Pick<Making, 'show'>

const commentVariable = (comment: ShownComment | undefined, { show }: Named) =>
  comment && {
    commentId: comment.commentId,
    commentText: block(textOf(comment, show), TEXT_MAX),
    from: show(comment.from),
  }

/** The fields of a page that are not in the contract, too. */
interface PageInfo {
  url: string
  title: string
  deviceInfo: object
}

interface Making {
  apiKeyId: ApiKeyId
  show: Show
  words: ReturnType<typeof wordsOf>
}

/** The thread without its comments and without its followers, who may be thousands. */
function annotationOf(row: ItemRow, { apiKeyId, show, words }: Making): Partial<ThreadRecord> {
  const { thread, createdAt, lastUpdated, organizationId } = row
  const stored = { ...thread, createdAt, lastUpdated, comments: [], subscriptions: [] }
  const caller = { apiKeyId } as Caller
  const record = threadRecord(stored, { caller, organizationId, words, show })
  const { comments: _c, subscribedUsers: _s, unsubscribedUsers: _u, involvedUserIds: _i, ...shown } = record
  return shown
}

function variablesOf({ row }: Allowed, making: Making) {
  const { comments, commentCount, actionType, documentMetadata, documentName, thread } = row
  const { show } = making
  const latest = commentOf(row)
  const position = comments.indexOf(latest)
  const previous = comments[position - 1]
  const from = show(latest.from)
  const name = nameOf(from)
  const pageInfo: Partial<PageInfo> = thread.content.pageInfo ?? {}
  const title = line(pageInfo.title ?? documentName ?? thread.documentId)
  return {
    firstComment: commentVariable(comments[0], making),
    latestComment: commentVariable(latest, making),
    ...(previous !== undefined && { prevComment: commentVariable(previous, making) }),
    commentsCount: commentCount,
    commentsCountMoreThanThree: Math.max(0, commentCount - SHOWN),
    fromUser: from,
    commentAnnotation: annotationOf(row, making),
    actionType,
    documentMetadata: documentMetadata ?? {},
    message: block(textOf(latest, show), TEXT_MAX),
    messageFromName: name,
    name,
    fromEmail: from.email ?? '',
    photoUrl: from.photoUrl ?? '',
    pageUrl: pageUrlOf(pageInfo.url, thread.annotationId),
    pageTitle: title,
    deviceInfo: pageInfo.deviceInfo ?? {},
  }
}

function pageUrlOf(page: string | undefined, annotationId: string): string {
  const url = URL.parse(page ?? '')
  if (url === null) return ''
  url.searchParams.set(COMMENT_PARAMETER, annotationId)
  return url.href
}

/** Returns the variables of the newest comment, and in `activities` the variables of the newest comments, the oldest of them first. */
export function digestVariables(allowed: readonly Allowed[], digest: Digest, making: Making): object {
  const all = allowed.slice(-ACTIVITIES_MAX).map((each) => variablesOf(each, making))
  return {
    ...all.at(-1),
    subject: digest.subject,
    activities: all,
    activitiesCount: allowed.length,
    unsubscribeUrl: digest.unsubscribeLink,
  }
}
