/** The state of mails about the comments of a thread, or to a user. */
import { queryOptions } from '@tanstack/react-query'
import type { GetCommentMailsData, GetCommentMailsResult } from '#sdk/generated/operations.ts'
import type { Key } from '../../session/session.ts'
import { queryKeyOf } from '../keys/keys.ts'
import { pagesQuery } from '../pages/pages.ts'

export type MailQuestion = Pick<GetCommentMailsData, 'organizationId' | 'documentId' | 'annotationId' | 'userId'>

type Delayed = GetCommentMailsResult['delayed'][number]
type Decided = GetCommentMailsResult['mails'][number]

/** A comment and a recipient. One that waits for its delay has the recipient of now, or none yet. */
export type MailRow =
  | (Omit<Delayed, 'recipients'> & Partial<Delayed['recipients'][number]> & { state: 'delayed' })
  | (Decided & { thenUntil?: undefined })

const rowsOf = ({ delayed, mails }: GetCommentMailsResult): MailRow[] => [
  ...delayed.flatMap(({ recipients, ...comment }): MailRow[] =>
    recipients.length === 0
      ? [{ ...comment, state: 'delayed' }]
      : recipients.map((recipient) => ({ ...comment, ...recipient, state: 'delayed' })),
  ),
  ...mails,
]

const keyOf = (key: Key, question: MailQuestion) => queryKeyOf(key, 'comment-mails', question)

export const commentMailsQuery = (key: Key, question: MailQuestion) =>
  pagesQuery({
    queryKey: keyOf(key, question),
    method: key.client.commentMails.get,
    data: { ...question, pageSize: 100 },
    rowsOf,
  })

/** Whether the key sends mails at all. */
export const mailServiceQuery = (key: Key, question: MailQuestion) =>
  queryOptions({
    queryKey: [...keyOf(key, question), 'service'],
    queryFn: async ({ signal }) =>
      (await key.client.commentMails.get({ ...question, pageSize: 1 }, { signal })).service,
  })
