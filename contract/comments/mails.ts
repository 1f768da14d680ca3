/** `commentannotations/mails/get`: the state of mails about comments, for operators (rules/comments.md#delivery). */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { DocumentId, OrganizationId, PAGING, UserId } from '../core/ids.ts'
import { operation } from '../core/operation.ts'
import { ThreadId } from './parts.ts'

/** Why a user gets no mail about a comment. */
export const MAIL_LEFT_OUT = [
  'disabled',
  'no_access',
  'not_visible',
  'unsubscribed',
  'level',
  'seen',
  'no_address',
  'too_many',
] as const
export type MailLeftOut = (typeof MAIL_LEFT_OUT)[number]

const comment = {
  documentId: Type.String(),
  annotationId: Type.String(),
  commentId: Type.Integer(),
}
const Collects = Type.Enum(['comment', 'document', 'organization', 'day'], {
  description:
    'The comments that the mail collects: only this one, or those of the document, of the organization, or of the day.',
})
const LeftOut = Type.Enum([...MAIL_LEFT_OUT], { description: 'Why the user gets no mail.' })
const milliseconds = (description: string) => Type.Optional(Type.Integer({ description }))

export const DelayedMail = Type.Object(
  {
    ...comment,
    until: Type.Integer({ description: 'When the delay ends and recipients are decided, in milliseconds.' }),
    recipients: Type.Array(
      Type.Object({
        userId: Type.String(),
        reason: Type.Optional(LeftOut),
        collects: Type.Optional(Collects),
        thenUntil: milliseconds('The time at which the daily mail of the user is sent after that.'),
      }),
      { description: 'The first 100 users whom it involves, as they would be decided now.' },
    ),
  },
  { description: 'A comment that waits for its delay.' },
)

export type DelayedMail = Type.Static<typeof DelayedMail>

export const CommentMail = Type.Object(
  {
    ...comment,
    userId: Type.String(),
    state: Type.Enum(['waiting', 'sent', 'failed', 'left_out']),
    until: milliseconds(
      'For `waiting`, the time at which the mail is due. A time in the past means that it is being sent or tried again.',
    ),
    collects: Type.Optional(Collects),
    reason: Type.Optional(LeftOut),
    at: milliseconds('When it was sent, given up or left out.'),
  },
  { description: 'A comment, and a user to whom it should be mailed.' },
)

export type CommentMail = Type.Static<typeof CommentMail>

export const getCommentMails = operation({
  name: 'comment-mails.get',
  path: '/v2/commentannotations/mails/get',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Get the state of mails about comments',
  description:
    'Returns the mails of the last 30 days about comments of a thread, or to a user, the newest comment first: those that wait and until when, those that were sent, and those that were not sent and why. The response has neither texts nor addresses.',
  data: ClosedObject({
    organizationId: OrganizationId,
    documentId: Type.Optional({ ...DocumentId, description: 'The document of the thread.' }),
    annotationId: Type.Optional({ ...ThreadId, description: 'The thread; with `documentId`.' }),
    userId: Type.Optional({ ...UserId, description: 'Only mails to this user. Required without a thread.' }),
    ...PAGING,
  }),
  result: Type.Object({
    service: Type.Enum(['on', 'off', 'no_server'], {
      description:
        'Whether the API key sends mails now: `off` by its settings, `no_server` because the installation has no mail server.',
    }),
    delayed: Type.Array(DelayedMail, { description: 'At most the 5 newest, and only on the first page.' }),
    mails: Type.Array(CommentMail),
  }),
  success: 'Mails retrieved successfully.',
  reasons: ['organization_does_not_exist', 'document_does_not_exist'],
  example: { organizationId: 'acme', documentId: 'roadmap', annotationId: 'pricing' },
})

export const COMMENT_MAIL_OPERATIONS = [getCommentMails]
