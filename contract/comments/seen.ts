/** What users have seen of threads: `commentannotations/read`, and the counts of unread threads (rules/comments.md#seen). */
import Type from 'typebox'
import { BatchResult } from '../core/envelope.ts'
import { ClosedObject } from '../core/fields.ts'
import { DocumentId, Items, OrganizationId } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { OF_USER_TOKENS, OwnUserId } from '../users/own-user.ts'
import { CommentId, ThreadId } from './parts.ts'

const ThreadCounts = Type.Object({
  total: Type.Integer({ description: 'The threads that the user sees.' }),
  unread: Type.Integer({ description: 'The threads among them with a comment that the user has not seen.' }),
})

/** Filters of `threads.get` that counts do not have. */
const ignored = <Schema extends Type.TSchema>(schema: Schema) => ({
  ...schema,
  description: 'Accepted without effect.',
})

export const countThreads = operation({
  name: 'threads.count',
  path: '/v2/commentannotations/count/get',
  credentials: 'apiKey',
  scope: 'read',
  userToken: true,
  summary: 'Count threads of documents for a user',
  description:
    'Counts the threads that the user sees on each document, and those with a comment that the user has not seen. A document without threads, or one that does not exist, has 0. With a user token, so does a document that the user cannot open.',
  data: ClosedObject({
    organizationId: OrganizationId,
    documentIds: Type.Array(DocumentId, {
      description: 'The documents.',
      minItems: 1,
      maxItems: LIMITS.filteredIdsMax,
    }),
    userId: OwnUserId('The user who is counted for.'),
    statusIds: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.idCharactersMax }), {
        description: 'Only threads with one of these statuses.',
        minItems: 1,
        maxItems: LIMITS.filteredIdsMax,
      }),
    ),
    agentId: Type.Optional(ignored(Type.String({ maxLength: LIMITS.idCharactersMax }))),
    executionId: Type.Optional(ignored(Type.String({ maxLength: LIMITS.idCharactersMax }))),
    agentType: Type.Optional(ignored(Type.String({ maxLength: LIMITS.idCharactersMax }))),
    agentSource: Type.Optional(ignored(Type.String({ maxLength: LIMITS.idCharactersMax }))),
    agentSuggestions: Type.Optional(ignored(Type.Boolean())),
    agentComments: Type.Optional(ignored(Type.Boolean())),
  }),
  result: Type.Record(Type.String(), ThreadCounts, { description: 'The counts, by document id.' }),
  success: 'Comment annotation counts retrieved successfully.',
  reasons: ['organization_does_not_exist', ...OF_USER_TOKENS],
  example: { organizationId: 'acme', documentIds: ['roadmap'], userId: 'ada' },
})

export const readThreads = operation({
  name: 'threads.read',
  path: '/v2/commentannotations/read',
  credentials: 'apiKey',
  scope: 'write',
  userToken: true,
  summary: 'Mark threads as seen by a user',
  description:
    'Marks threads of a document as seen by a user, up to their last comment or, for one thread, up to `commentId`. A comment that was seen stays seen. Counts and the inbox change accordingly.',
  data: ClosedObject({
    organizationId: OrganizationId,
    documentId: DocumentId,
    userId: OwnUserId('The user who has seen them.'),
    annotationIds: Items(ThreadId, 'The threads.'),
    commentId: Type.Optional({ ...CommentId, description: 'The last comment that was seen, of one thread.' }),
  }),
  result: BatchResult,
  success: 'Comment annotations marked as seen successfully.',
  reasons: ['organization_does_not_exist', 'document_does_not_exist', ...OF_USER_TOKENS],
  example: { organizationId: 'acme', documentId: 'roadmap', userId: 'ada', annotationIds: ['pricing'] },
})

export const SEEN_OPERATIONS = [countThreads, readThreads]
