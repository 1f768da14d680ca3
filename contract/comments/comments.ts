/** `commentannotations/comments/*`: the comments of one thread (rules/comments.md#comments). */
import Type from 'typebox'
import { ItemResult } from '../core/envelope.ts'
import { ClosedObject } from '../core/fields.ts'
import { DocumentId, OrganizationId, UserId } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { OF_USER_WRITES } from '../users/own-user.ts'
import { CommentChange, CommentInput } from './inputs.ts'
import { CommentId, ThreadId } from './parts.ts'
import { CommentRecord } from './records.ts'

const { success, message, code, retryable } = ItemResult.properties

/** The results of calls that change or delete comments. Calls on threads have the results of any batch. */
export const CommentResults = Type.Record(
  Type.String(),
  ClosedObject({ success, id: Type.Integer(), message, code, retryable }),
  { description: 'One result for each comment, under its number.' },
)
export type CommentResults = Type.Static<typeof CommentResults>

const inThread = { organizationId: OrganizationId, documentId: DocumentId, annotationId: ThreadId }
const REASONS = ['organization_does_not_exist', 'document_does_not_exist', 'thread_does_not_exist'] as const
const NEW = { minItems: 1, maxItems: LIMITS.itemsPerCallMax }
const example = { organizationId: 'acme', documentId: 'roadmap', annotationId: 'pricing' }

/** The comments that a call selects: those that match both fields; without a field, all of them. */
const chosen = {
  commentIds: Type.Optional(
    Type.Array(CommentId, {
      description: 'Only comments with these numbers.',
      minItems: 1,
      maxItems: LIMITS.itemsPerCallMax,
    }),
  ),
  userIds: Type.Optional(
    Type.Array(UserId, {
      description: 'Only comments of these authors.',
      minItems: 1,
      maxItems: LIMITS.itemsPerCallMax,
    }),
  ),
}

export const addComments = operation({
  name: 'comments.add',
  path: '/v2/commentannotations/comments/add',
  credentials: 'apiKey',
  scope: 'write',
  userToken: true,
  summary: 'Add comments to a thread',
  description:
    'Adds comments at the end of a thread, all of them or none. A number that another comment of the thread already has is refused.',
  data: ClosedObject({
    ...inThread,
    commentData: Type.Optional(
      Type.Array(CommentInput, { description: 'The comments; required, here or as `comments`.', ...NEW }),
    ),
    comments: Type.Optional(Type.Array(CommentInput, { description: 'Another name of `commentData`.', ...NEW })),
    createOrganization: Type.Optional(
      Type.Boolean({ description: 'Accepted without effect: the thread must exist.', default: false }),
    ),
    createDocument: Type.Optional(Type.Boolean({ description: 'The same.', default: false })),
    verifyUserPermissions: Type.Optional(
      Type.Boolean({ description: 'True: every author must have access to the document.', default: false }),
    ),
  }),
  result: Type.Array(Type.Integer(), { description: 'The numbers of the comments, in their order.' }),
  success: 'Comments added successfully.',
  reasons: [
    ...REASONS,
    'agent_does_not_exist',
    'author_without_access',
    'comment_exists',
    'thread_full',
    ...OF_USER_WRITES,
  ],
  example: {
    ...example,
    commentData: [{ commentId: 100002, commentText: 'Yes, since May.', from: { userId: 'bob' } }],
  },
})

export const getComments = operation({
  name: 'comments.get',
  path: '/v2/commentannotations/comments/get',
  credentials: 'apiKey',
  scope: 'read',
  userToken: true,
  summary: 'Get the comments of a thread',
  description:
    'Returns the comments of a thread in the order in which they were written. With `commentIds` it returns these in the order of the request, with `null` for a number that is unknown or whose author is not among `userIds`.',
  data: ClosedObject({ ...inThread, ...chosen }),
  result: Type.Array(Type.Union([CommentRecord, Type.Null()])),
  resultBy: 'commentIds',
  success: 'Comments retrieved successfully.',
  reasons: [...REASONS, 'user_disabled'],
  example,
})

export const updateComments = operation({
  name: 'comments.update',
  path: '/v2/commentannotations/comments/update',
  credentials: 'apiKey',
  scope: 'write',
  userToken: true,
  summary: 'Update comments',
  description:
    'Changes comments of a thread, without `commentIds` and `userIds` all of them. Each field of `updatedData` replaces the stored one as a whole.',
  data: ClosedObject(
    {
      ...inThread,
      ...chosen,
      updatedData: CommentChange,
      triggerNotification: Type.Optional(
        Type.Boolean({
          description:
            'True: notifies the people concerned of the changed comments, and marks their events (`notify`).',
          default: false,
        }),
      ),
    },
    { narrowing: ['commentIds', 'userIds'] },
  ),
  result: CommentResults,
  success: 'Comments updated successfully.',
  reasons: [...REASONS, 'thread_full', ...OF_USER_WRITES],
  example: { ...example, commentIds: [100001], updatedData: { commentText: 'Is this the price of 2028?' } },
})

export const deleteComments = operation({
  name: 'comments.delete',
  path: '/v2/commentannotations/comments/delete',
  credentials: 'apiKey',
  scope: 'write',
  userToken: true,
  summary: 'Delete comments',
  description:
    'Deletes comments of a thread, without `commentIds` and `userIds` all of them. A thread without comments is deleted.',
  data: ClosedObject({ ...inThread, ...chosen }, { narrowing: ['commentIds', 'userIds'] }),
  result: CommentResults,
  success: 'Comments deleted successfully.',
  reasons: [...REASONS, ...OF_USER_WRITES],
  example: { ...example, commentIds: [100001] },
})

export const COMMENT_OPERATIONS = [addComments, getComments, updateComments, deleteComments]
