/** `commentannotations/*`: threads of comments on documents (rules/comments.md#threads). */
import Type from 'typebox'
import { BatchResult } from '../core/envelope.ts'
import { ClosedObject, filtersOf, Milliseconds } from '../core/fields.ts'
import { DocumentId, FolderId, OrganizationId, PAGING, UserId } from '../core/ids.ts'
import { LIMITS, thousands } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { OF_USER_WRITES } from '../users/own-user.ts'
import { UserRef } from '../users/user-refs.ts'
import { ThreadChange, ThreadInput } from './inputs.ts'
import { ThreadId } from './parts.ts'
import { ThreadRecord } from './records.ts'

const text = (description: string) => Type.String({ description, minLength: 1, maxLength: LIMITS.idCharactersMax })

/** The values of a filter: a thread matches if it matches one of them. */
const anyOf = <Item extends Type.TSchema>(item: Item, description: string) =>
  Type.Optional(Type.Array(item, { description, minItems: 1, maxItems: LIMITS.filteredIdsMax }))

export const addThreads = operation({
  name: 'threads.add',
  path: '/v2/commentannotations/add',
  credentials: 'apiKey',
  scope: 'write',
  userToken: true,
  summary: 'Add threads of comments',
  description:
    'Adds threads, each with its first comments, to a document. If some of them cannot be added, the others are added, and the response is an error with the results of all of them in `details`. An id that already exists is not added again.',
  data: ClosedObject({
    organizationId: OrganizationId,
    documentId: DocumentId,
    createOrganization: Type.Optional(Type.Boolean({ default: false })),
    createDocument: Type.Optional(
      Type.Boolean({ description: 'True: adds the document at the top if it does not exist.', default: false }),
    ),
    verifyUserPermissions: Type.Optional(
      Type.Boolean({
        description: 'True: adds only threads whose author has access to the document.',
        default: false,
      }),
    ),
    commentAnnotations: Type.Array(ThreadInput, {
      description: 'The threads. If an id is there twice, the last one wins.',
      minItems: 1,
      maxItems: LIMITS.threadsPerCallMax,
    }),
  }),
  result: Type.Record(
    Type.String(),
    Type.Object({
      success: Type.Literal(true),
      annotationId: Type.String(),
      commentIds: Type.Array(Type.Integer()),
      message: Type.String(),
      findingId: Type.Optional(Type.String({ description: '`agent.reason.findingId` of threads of agents.' })),
    }),
    { description: 'One result for each thread, under its id.' },
  ),
  success: 'Comment annotations added successfully.',
  reasons: [
    'organization_does_not_exist',
    'document_does_not_exist',
    'agent_does_not_exist',
    'thread_exists',
    'no_access_to_document',
    ...OF_USER_WRITES,
  ],
  example: {
    organizationId: 'acme',
    documentId: 'roadmap',
    commentAnnotations: [
      {
        annotationId: 'pricing',
        commentData: [{ commentId: 100001, commentText: 'Is this the price of 2027?', from: { userId: 'ada' } }],
        location: { id: 'section-2' },
      },
    ],
  },
})

export const getThreads = operation({
  name: 'threads.get',
  path: '/v2/commentannotations/get',
  credentials: 'apiKey',
  scope: 'read',
  userToken: true,
  summary: 'Get threads of comments',
  description: `Returns the threads that match all filters, with their comments, in the order of \`lastUpdated\`, page by page. With \`annotationIds\` it returns these in the order of the request, \`null\` for an id that is unknown or does not match; no paging. A filtered page scans at most ${thousands(LIMITS.threadsExaminedPerPageMax)} threads, so it may be short or empty: only a page without \`nextPageToken\` is the last one.`,
  data: ClosedObject({
    organizationId: OrganizationId,
    documentId: Type.Optional(DocumentId),
    documentIds: anyOf(DocumentId, 'Instead of `documentId`; unknown documents have no threads.'),
    folderId: Type.Optional({ ...FolderId, description: 'Threads of the documents directly in this folder.' }),
    groupByDocumentId: Type.Optional(
      Type.Boolean({ description: 'True: returns lists by the id of the document.', default: false }),
    ),
    annotationIds: anyOf(ThreadId, 'Only these threads.'),
    locationIds: anyOf(text('A `location.id`.'), 'At one of these locations.'),
    userIds: anyOf(UserId, 'Of these authors.'),
    mentionedUserIds: anyOf(UserId, 'With a comment that mentions one of these users.'),
    resolvedBy: Type.Optional({ ...UserId, description: 'Only threads with this `resolvedByUserId`.' }),
    statusIds: anyOf(text('A `status.id`.'), 'With one of these states.'),
    statusId: Type.Optional(text('With this status.')),
    statusTypes: anyOf(Type.Enum(['default', 'ongoing', 'terminal']), 'With a status of one of these types.'),
    priorityIds: anyOf(text('A `priority.id`.'), 'With one of these priorities.'),
    assignedUserIds: anyOf(UserId, 'Assigned to one of these users.'),
    updatedAfter: Type.Optional(Milliseconds('Milliseconds, exclusive.')),
    updatedBefore: Type.Optional(Milliseconds('Milliseconds, exclusive.')),
    createdAfter: Type.Optional(Milliseconds('Milliseconds, exclusive.')),
    createdBefore: Type.Optional(Milliseconds('Milliseconds, exclusive.')),
    agentId: Type.Optional(text('Only threads of this agent. A call takes one of the six fields about agents.')),
    executionId: Type.Optional(text('Only threads of this run of an agent.')),
    agentType: Type.Optional(Type.Enum(['built-in', 'custom', 'external'])),
    agentSource: Type.Optional(text('`service` or `external`.')),
    agentSuggestions: Type.Optional(
      Type.Boolean({ description: 'True: only threads of agents with a pending suggestion.', default: false }),
    ),
    agentComments: Type.Optional(Type.Boolean({ description: 'True: of agents.', default: false })),
    text: Type.Optional(
      Type.String({
        description: `With a comment that contains this text, without regard to case and accents. A page scans at most ${thousands(LIMITS.threadsSearchedPerPageMax)} threads then.`,
        minLength: 1,
        maxLength: LIMITS.searchQueryCharactersMax,
      }),
    ),
    order: Type.Optional(Type.Enum(['desc', 'asc'], { default: 'desc' })),
    includeMetadata: Type.Optional(Type.Boolean({ description: 'Accepted without effect: it is included.' })),
    includePageInfo: Type.Optional(Type.Boolean({ description: 'Accepted without effect: it is included.' })),
    ...PAGING,
  }),
  result: Type.Union([
    Type.Array(Type.Union([ThreadRecord, Type.Null()])),
    Type.Record(Type.String(), Type.Array(ThreadRecord)),
  ]),
  resultBy: 'groupByDocumentId',
  success: 'Comment annotations retrieved successfully.',
  reasons: [
    'organization_does_not_exist',
    'document_does_not_exist',
    'folder_does_not_exist',
    'too_many_bytes',
    'user_disabled',
  ],
  example: { organizationId: 'acme', documentId: 'roadmap', statusIds: ['OPEN'], pageSize: 50 },
})

/** The threads of the document that a call selects: those that match all fields; without a field, all of them. */
const chosen = {
  annotationIds: Type.Optional(
    Type.Array(ThreadId, {
      description: 'Only threads with these ids.',
      minItems: 1,
      maxItems: LIMITS.itemsPerCallMax,
    }),
  ),
  locationIds: Type.Optional(
    Type.Array(text('A `location.id`.'), {
      description: 'Only threads at these locations.',
      minItems: 1,
      maxItems: LIMITS.itemsPerCallMax,
    }),
  ),
  userIds: Type.Optional(
    Type.Array(UserId, {
      description: 'Only threads of these authors.',
      minItems: 1,
      maxItems: LIMITS.itemsPerCallMax,
    }),
  ),
}

export const updateThreads = operation({
  name: 'threads.update',
  path: '/v2/commentannotations/update',
  credentials: 'apiKey',
  scope: 'write',
  userToken: true,
  summary: 'Update threads',
  description:
    'Changes threads of a document, without a filter all of them. Each field of `updatedData` replaces the stored one as a whole. `updateUsers` replaces users by others wherever the threads and their comments name them.',
  data: ClosedObject(
    {
      organizationId: OrganizationId,
      documentId: DocumentId,
      ...chosen,
      updatedData: Type.Optional(ThreadChange),
      updateUsers: Type.Optional(
        Type.Array(ClosedObject({ oldUser: UserRef, newUser: UserRef }), {
          description: 'All at once, so two users can be exchanged.',
          minItems: 1,
          maxItems: LIMITS.mentionsMax,
        }),
      ),
    },
    { narrowing: ['annotationIds', 'locationIds', 'userIds'], readFilters: filtersOf(getThreads.data) },
  ),
  result: BatchResult,
  success: 'Comment annotations updated successfully.',
  reasons: ['organization_does_not_exist', 'document_does_not_exist', ...OF_USER_WRITES],
  example: {
    organizationId: 'acme',
    documentId: 'roadmap',
    annotationIds: ['pricing'],
    updatedData: { priority: { id: 'P1', name: 'High' } },
  },
})

export const deleteThreads = operation({
  name: 'threads.delete',
  path: '/v2/commentannotations/delete',
  credentials: 'apiKey',
  scope: 'write',
  userToken: true,
  summary: 'Delete threads',
  description: 'Deletes threads of a document with their comments, without a filter all of them.',
  data: ClosedObject(
    {
      organizationId: OrganizationId,
      documentId: DocumentId,
      ...chosen,
      agentId: Type.Optional(text('Only threads of this agent.')),
      agentSuggestions: Type.Optional(
        Type.Literal(true, { description: 'Only threads of agents with a pending suggestion.' }),
      ),
      agentUrls: Type.Optional(
        Type.Array(Type.String({ maxLength: LIMITS.urlCharactersMax }), {
          description: 'Only threads of agents about one of these pages: `agent.url` without its fragment.',
          minItems: 1,
          maxItems: LIMITS.itemsPerCallMax,
        }),
      ),
    },
    {
      narrowing: ['annotationIds', 'locationIds', 'userIds', 'agentId', 'agentSuggestions', 'agentUrls'],
      readFilters: filtersOf(getThreads.data),
    },
  ),
  result: BatchResult,
  success: 'Comment annotations deleted successfully.',
  reasons: ['organization_does_not_exist', 'document_does_not_exist', 'user_disabled', 'access_role_missing'],
  example: { organizationId: 'acme', documentId: 'roadmap', annotationIds: ['pricing'] },
})

export const THREAD_OPERATIONS = [addThreads, getThreads, updateThreads, deleteThreads]
