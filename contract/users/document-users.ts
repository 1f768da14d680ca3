/** `users/doc/get`: the users of an organization's documents. */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { Items, OrganizationId, PAGING, UserId } from '../core/ids.ts'
import { operation } from '../core/operation.ts'
import { DocumentUser, IncludeInvolvedDocuments } from './user-records.ts'

export const getDocumentUsers = operation({
  name: 'document-users.get',
  path: '/v2/users/doc/get',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Get the users of documents',
  description:
    'Returns the users with a live grant on any document of the organization, in the order of user ids, as `users.get` with `allDocuments` does. With `includeInvolvedDocuments` each has the list of these documents. Grants of user groups do not count.',
  data: ClosedObject({
    organizationId: OrganizationId,
    userIds: Type.Optional(Items(UserId, 'Only these users.')),
    includeInvolvedDocuments: Type.Optional(IncludeInvolvedDocuments),
    ...PAGING,
  }),
  result: Type.Array(DocumentUser),
  success: 'Users retrieved successfully.',
  warns: true,
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', userIds: ['ada'], includeInvolvedDocuments: true },
})

export const DOCUMENT_USER_OPERATIONS = [getDocumentUsers]
