/** `search`: finds the things of an API key by id, name and e-mail address, and threads by their text (rules/contract.md#search). */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { OrganizationId, SEARCH_PAGING, UserId } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { OF_USER_TOKENS } from '../users/own-user.ts'

/** The kinds that are found by id and name, in the order in which results of one rank are listed. */
export const ENTRY_KINDS = ['organization', 'user', 'userGroup', 'folder', 'document'] as const
/** Threads come last. */
export const SEARCH_KINDS = [...ENTRY_KINDS, 'thread'] as const

export const SearchKind = Type.Enum([...SEARCH_KINDS])
export type SearchKind = (typeof SEARCH_KINDS)[number]
export type EntryKind = (typeof ENTRY_KINDS)[number]

export const SearchResult = Type.Object({
  kind: SearchKind,
  id: Type.String({ description: "The caller's id." }),
  name: Type.Optional(Type.String()),
  email: Type.Optional(Type.String({ description: 'The address of a user.' })),
  organizationId: Type.Optional(
    Type.String({ description: 'The organization of a folder, document, user group or thread.' }),
  ),
  organizationName: Type.Optional(Type.String()),
  folderId: Type.Optional(
    Type.String({
      description:
        'The folder of a folder, document or thread. With a user, threads have no folder and no `organizationName`.',
    }),
  ),
  folderName: Type.Optional(Type.String()),
  documentId: Type.Optional(Type.String({ description: 'The document of a thread.' })),
  documentName: Type.Optional(Type.String()),
  commentId: Type.Optional(Type.Integer({ description: 'The first comment of a thread that has all words.' })),
  text: Type.Optional(Type.String({ description: 'The part of that comment around the first word.' })),
  url: Type.Optional(
    Type.String({
      description: 'The page that shows a thread, if the thread was added with its address.',
    }),
  ),
  disabled: Type.Optional(Type.Literal(true)),
  declared: Type.Optional(
    Type.Literal(true, { description: 'Present when a grant names the folder or document, which was never added.' }),
  ),
  near: Type.Optional(
    Type.Literal(true, {
      description: 'Present when nothing contains the query, and this result contains it but for typos.',
    }),
  ),
})
export type SearchResult = Type.Static<typeof SearchResult>

export const runSearch = operation({
  name: 'search.find',
  path: '/v2/search',
  credentials: 'apiKey',
  scope: 'read',
  userToken: true,
  summary: 'Find by id, name or e-mail address, and threads by their text',
  description:
    'Finds organizations, folders, documents, users and user groups whose id, name or e-mail address is, begins with, or contains the query, in that order, then threads with a comment whose words begin with those of the query, without regard to case and accents, and if nothing matches, names that contain the query but for typos. With a user token, or with `userId`, it finds only the threads that the user sees now. A page may be short or even empty; only a page without `nextPageToken` is the last one.',
  data: ClosedObject({
    query: Type.String({
      description:
        'The query. One or two characters find only texts that begin with them, and comments with that word. If there are several words, a result must contain all of them.',
      minLength: 1,
      maxLength: LIMITS.searchQueryCharactersMax,
    }),
    kinds: Type.Optional(
      Type.Array(SearchKind, {
        description: 'The kinds of records to find; absent: all.',
        minItems: 1,
        maxItems: SEARCH_KINDS.length,
      }),
    ),
    organizationId: Type.Optional({
      ...OrganizationId,
      description: 'Only records in this organization, and users with a grant in it.',
    }),
    userId: Type.Optional({
      ...UserId,
      description: 'Only threads that this user sees. A user token may name only its own user.',
    }),
    ...SEARCH_PAGING,
  }),
  result: Type.Array(SearchResult),
  success: 'Search completed successfully.',
  reasons: ['organization_does_not_exist', ...OF_USER_TOKENS],
  example: { query: 'road', kinds: ['document'], organizationId: 'acme' },
})

export const SEARCH_OPERATIONS = [runSearch]
