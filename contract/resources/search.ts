/** `search`: finding what an API key has by id, name and e-mail address (rules/contract.md#search). */
import Type from 'typebox'
import { OrganizationId, PageToken } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'

/** In the order in which results of one rank are listed. */
export const SEARCH_KINDS = ['organization', 'user', 'userGroup', 'folder', 'document'] as const

export const SearchKind = Type.Enum([...SEARCH_KINDS])
export type SearchKind = (typeof SEARCH_KINDS)[number]

export const SearchResult = Type.Object({
  kind: SearchKind,
  id: Type.String({ description: "The caller's id." }),
  name: Type.Optional(Type.String()),
  email: Type.Optional(Type.String({ description: 'Of a user.' })),
  organizationId: Type.Optional(
    Type.String({ description: 'Of folders, documents and user groups: the organization that they are in.' }),
  ),
  organizationName: Type.Optional(Type.String()),
  folderId: Type.Optional(Type.String({ description: 'Of folders and documents: the folder that they are in.' })),
  folderName: Type.Optional(Type.String()),
  disabled: Type.Optional(Type.Literal(true)),
  declared: Type.Optional(
    Type.Literal(true, { description: 'Present when a grant names the folder or document, which was never added.' }),
  ),
  near: Type.Optional(
    Type.Literal(true, {
      description: 'Present when nothing contains the query, and this contains it but for one typo.',
    }),
  ),
})
export type SearchResult = Type.Static<typeof SearchResult>

export const runSearch = operation({
  name: 'search.find',
  path: '/v2/search',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Find by id, name or e-mail address',
  description:
    'Finds organizations, folders, documents, users and user groups whose id, name or e-mail address is, begins with, or contains the query, in that order, without regard to case and accents, and if nothing does, those that contain it with one typo. A page may be short or even empty; only a page without `nextPageToken` is the last one.',
  data: Type.Object(
    {
      query: Type.String({
        description:
          'The query. One or two characters find only texts that begin with them; of several words, all must be contained.',
        minLength: 1,
        maxLength: LIMITS.searchQueryCharactersMax,
      }),
      kinds: Type.Optional(
        Type.Array(SearchKind, { description: 'Only these.', minItems: 1, maxItems: SEARCH_KINDS.length }),
      ),
      organizationId: Type.Optional({
        ...OrganizationId,
        description: 'Only records in this organization, and users with a grant in it.',
      }),
      pageSize: Type.Optional(
        Type.Integer({
          description: 'Items on a page.',
          minimum: 1,
          maximum: LIMITS.searchPageSizeMax,
          default: LIMITS.searchPageSizeMax,
        }),
      ),
      pageToken: Type.Optional(PageToken),
    },
    { additionalProperties: false },
  ),
  result: Type.Array(SearchResult),
  success: 'Search completed successfully.',
  reasons: ['organization_does_not_exist'],
  example: { query: 'road', kinds: ['document'], organizationId: 'acme' },
})

export const SEARCH_OPERATIONS = [runSearch]
