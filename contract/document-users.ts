/** `users/doc/get`: the users of an organization's documents. */
import Type from 'typebox'
import { Items, OrganizationId, PageSize, PageToken, UserId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { operation } from './operation.ts'
import { AccessRole } from './permissions.ts'
import { UserRecord } from './users.ts'

export const InvolvedDocument = Type.Object({
  documentId: Type.String(),
  documentName: Type.Optional(Type.String()),
  accessRole: AccessRole,
  expiresAt: Type.Optional(Type.Integer({ description: 'Unix seconds; present when the role ends.' })),
})
export type InvolvedDocument = Type.Static<typeof InvolvedDocument>

const DocumentUser = Type.Object(
  {
    ...UserRecord.properties,
    involvedDocuments: Type.Optional(
      Type.Array(InvolvedDocument, {
        description: `With \`includeInvolvedDocuments\`: the documents on which the user has a live grant, in id order, at most ${LIMITS.involvedDocumentsMax.toLocaleString('en')}.`,
      }),
    ),
    hasMoreInvolvedDocuments: Type.Optional(
      Type.Literal(true, { description: 'Present when there are more; `auth/permissions/grants/list` has all.' }),
    ),
  },
  { additionalProperties: true },
)

export const getDocumentUsers = operation({
  name: 'document-users.get',
  path: '/v2/users/doc/get',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Get the users of documents',
  description:
    'Returns the users with a live grant on any document of the organization, in the order of user ids, as `users.get` with `allDocuments` does. With `includeInvolvedDocuments` each has the list of these documents. Grants of user groups do not count.',
  data: Type.Object(
    {
      organizationId: OrganizationId,
      userIds: Type.Optional(Items(UserId, 'Only these users.')),
      includeInvolvedDocuments: Type.Optional(
        Type.Boolean({
          description: `Add the documents of each user; needs \`userIds\`, at most ${LIMITS.involvedUsersMax}.`,
          default: false,
        }),
      ),
      pageSize: Type.Optional(PageSize),
      pageToken: Type.Optional(PageToken),
    },
    { additionalProperties: false },
  ),
  result: Type.Array(DocumentUser),
  success: 'Users retrieved successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', userIds: ['ada'], includeInvolvedDocuments: true },
})

export const DOCUMENT_USER_OPERATIONS = [getDocumentUsers]
