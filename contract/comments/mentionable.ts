/** `commentannotations/mentionable/list`: who can be mentioned on a document (rules/comments.md#who-can-be-mentioned). */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { DocumentId, OrganizationId, SEARCH_PAGING } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'

export const MentionableUser = Type.Object({
  userId: Type.String(),
  name: Type.Optional(Type.String()),
  photoUrl: Type.Optional(Type.String()),
  email: Type.Optional(Type.String({ description: 'The address. A user token gets only that of its own user.' })),
})
export type MentionableUser = Type.Static<typeof MentionableUser>

export const listMentionableUsers = operation({
  name: 'mentionable-users.list',
  path: '/v2/commentannotations/mentionable/list',
  credentials: 'apiKey',
  scope: 'read',
  userToken: true,
  summary: 'List who can be mentioned on a document',
  description:
    'Lists the users who can open a document by a grant or membership, in the order of their ids. With a user token the call needs a role that writes comments, and a user who is not a member of the organization gets only users with a grant of their own on the document. A page may be short or even empty; only a page without `nextPageToken` is the last one.',
  data: ClosedObject({
    organizationId: OrganizationId,
    documentId: DocumentId,
    text: Type.Optional(
      Type.String({
        description:
          'Only users with this at the beginning of a word of their name or of their id, without regard to case and accents.',
        maxLength: LIMITS.searchQueryCharactersMax,
      }),
    ),
    ...SEARCH_PAGING,
  }),
  result: Type.Array(MentionableUser),
  success: 'Mentionable users listed successfully.',
  reasons: ['organization_does_not_exist', 'document_does_not_exist', 'user_disabled', 'access_role_missing'],
  example: { organizationId: 'acme', documentId: 'roadmap', text: 'ad' },
})

export const MENTIONABLE_OPERATIONS = [listMentionableUsers]
