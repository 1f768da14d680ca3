/**
 * `users/invite/*` and `users/invitations/get`: invitations of people, by their e-mail addresses, to organizations,
 * folders and documents (rules/resources.md#invitations).
 */
import Type from 'typebox'
import { ACCESS_ADVICE } from '../access/access-words.ts'
import { AccessRole } from '../access/permissions.ts'
import { ClosedObject } from '../core/fields.ts'
import { DocumentId, Email, FolderId, Name, OrganizationId, PageToken, UserId } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { ProfileEmail, UserInput } from '../users/user-records.ts'

export const InvitationType = Type.Enum(['org_user', 'doc_user', 'folder_user'], {
  description: 'What accepting gives: membership of the organization, or a role on the document or folder.',
})
export type InvitationType = Type.Static<typeof InvitationType>

export const InvitationStatus = Type.Enum(['PENDING', 'ACCEPTED', 'REJECTED', 'WITHDRAWN'])
export type InvitationStatus = Type.Static<typeof InvitationStatus>

const InvitedEmail = Email('The address of the invited person; the case of A to Z does not matter.')

/** The target of an invitation. `invitedResource` checks the rules across these fields. */
const target = {
  organizationId: OrganizationId,
  type: InvitationType,
  documentId: Type.Optional({ ...DocumentId, description: 'Required with `doc_user`, refused otherwise.' }),
  folderId: Type.Optional({ ...FolderId, description: 'Required with `folder_user`, refused otherwise.' }),
}

const names = {
  organizationName: Type.Optional(Name('Shown to the invited person; default: the name of the organization.')),
  documentName: Type.Optional(Name('Shown to the invited person; default: the name of the document.')),
  folderName: Type.Optional(Name('Shown to the invited person; default: the name of the folder.')),
}

/** Open: other fields are stored and returned. */
export const InvitedBy = Type.Object(
  {
    userId: Type.Optional(UserId),
    email: Type.Optional(ProfileEmail),
    name: Type.Optional(Name('The name of the inviter.')),
  },
  {
    additionalProperties: true,
    metadata: true,
    accessAdvice: ACCESS_ADVICE.inviter,
    description: 'The person who invites, for the mail and for lists.',
  },
)
export type InvitedBy = Type.Static<typeof InvitedBy>

export const Invitation = Type.Object({
  invitationId: Type.String({ description: 'The id, which the events of the invitation have too.' }),
  email: Type.String(),
  type: InvitationType,
  status: InvitationStatus,
  organizationId: Type.String(),
  documentId: Type.Optional(Type.String({ description: 'The current id of the document.' })),
  folderId: Type.Optional(Type.String()),
  organizationName: Type.Optional(Type.String({ description: 'The name that the call gave.' })),
  documentName: Type.Optional(Type.String({ description: 'The name that the call gave.' })),
  folderName: Type.Optional(Type.String({ description: 'The name that the call gave.' })),
  accessRole: Type.Optional(AccessRole),
  invitedBy: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: 'The inviting person, as the call gave them.' }),
  ),
  userId: Type.Optional(Type.String({ description: 'The user who accepted.' })),
  createdAt: Type.Integer({ description: 'Milliseconds.' }),
  lastUpdated: Type.Integer({ description: 'Milliseconds; when it was added, renewed or answered last.' }),
})
export type Invitation = Type.Static<typeof Invitation>

export const InvitationsPageSize = Type.Integer({
  description: 'Invitations on a page.',
  minimum: 1,
  maximum: LIMITS.pageSizeMax,
  default: LIMITS.invitationsPageSize,
})

const pages = { pageSize: Type.Optional(InvitationsPageSize), pageToken: Type.Optional(PageToken) }

export const addInvitation = operation({
  name: 'invitations.add',
  path: '/v2/users/invite/add',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Invite a person',
  description:
    'Adds an invitation and sends it by mail if the e-mail service of the API key is on. If one to the same resource is pending for the address, it is renewed instead: given fields replace its own, and the mail is sent again. Like a grant, it may name an organization, folder or document that does not exist yet, unless the key has `requireKnownResources`.',
  data: ClosedObject({
    email: {
      ...InvitedEmail,
      description:
        'The address of the invited person, which must be able to get mail. The case of A to Z does not matter.',
    },
    ...target,
    ...names,
    accessRole: Type.Optional({
      ...AccessRole,
      description: 'The role that accepting gives. Absent: the role in the acceptance, or the default of the API key.',
    }),
    invitedBy: Type.Optional(InvitedBy),
  }),
  success: 'User invited successfully.',
  warns: true,
  reasons: ['resource_does_not_exist', 'document_was_migrated'],
  example: {
    email: 'grace@example.com',
    organizationId: 'acme',
    type: 'org_user',
    accessRole: 'viewer',
    invitedBy: { userId: 'ada', name: 'Ada' },
  },
})

export const respondToInvitation = operation({
  name: 'invitations.respond',
  path: '/v2/users/invite/respond',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Accept, reject or withdraw an invitation',
  description:
    "Answers the pending invitation of an address, which must be the user's address in the call, the stored profile or the token; of two concurrent answers only one succeeds. `ACCEPTED` stores the profile and gives the role, in one transaction: the invitation's, otherwise `user.accessRole`, otherwise that of a live grant or the default of the API key. A stronger role that grants already give on the resource stays, and no grant is written, as `keptRole` says.",
  data: ClosedObject({
    email: InvitedEmail,
    ...target,
    status: Type.Enum(['ACCEPTED', 'REJECTED', 'WITHDRAWN'], {
      description: 'The answer: of the invited person, or `WITHDRAWN` by the inviter.',
    }),
    user: Type.Optional(UserInput),
    authToken: Type.Optional(
      Type.String({
        description:
          'A valid user token of `user.userId`; required with `ACCEPTED` as `user` is, without effect otherwise.',
        minLength: 1,
        maxLength: LIMITS.userTokenCharactersMax,
      }),
    ),
  }),
  result: Type.Object({
    keptRole: Type.Optional({
      ...AccessRole,
      description:
        'Present when the user who accepts has a stronger role on the resource than the invitation gives. The user keeps it, and `warnings` says so.',
    }),
  }),
  warns: true,
  success: 'Invitation answered successfully.',
  reasons: [
    'organization_does_not_exist',
    'folder_does_not_exist',
    'document_does_not_exist',
    'resource_does_not_exist',
    'invitation_does_not_exist',
    'invitation_not_pending',
    'invitation_email_differs',
    'invitation_role_differs',
    'user_token_invalid',
  ],
  example: { email: 'grace@example.com', organizationId: 'acme', type: 'org_user', status: 'WITHDRAWN' },
})

export const getInvitations = operation({
  name: 'invitations.get',
  path: '/v2/users/invite/get',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Get the invitations of an organization',
  description: 'Returns the invitations to an organization, its folders and its documents, newest first, page by page.',
  data: ClosedObject({
    organizationId: OrganizationId,
    email: Type.Optional({ ...InvitedEmail, description: 'Only invitations of this address.' }),
    isPendingUsersOnly: Type.Optional(Type.Boolean({ description: 'Only pending invitations.', default: false })),
    ...pages,
  }),
  result: Type.Array(Invitation),
  success: 'Invitations retrieved successfully.',
  warns: true,
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', isPendingUsersOnly: true },
})

export const getUserInvitations = operation({
  name: 'user-invitations.get',
  path: '/v2/users/invitations/get',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Get the invitations of a person',
  description: 'Returns the invitations of an address in an organization, newest first, page by page.',
  data: ClosedObject({
    organizationId: OrganizationId,
    email: InvitedEmail,
    status: Type.Optional(InvitationStatus),
    type: Type.Optional(InvitationType),
    ...pages,
  }),
  result: Type.Array(Invitation),
  success: 'Invitations retrieved successfully.',
  warns: true,
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', email: 'grace@example.com' },
})

export const countInvitations = operation({
  name: 'invitations.count',
  path: '/v2/users/invite/pending/count',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Count pending invitations',
  description: 'Counts the pending invitations of one type in an organization.',
  data: ClosedObject({ organizationId: OrganizationId, type: InvitationType }),
  result: Type.Object({ count: Type.Integer() }),
  success: 'Invitations counted successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', type: 'org_user' },
})

export const INVITATION_OPERATIONS = [
  addInvitation,
  getInvitations,
  getUserInvitations,
  countInvitations,
  respondToInvitation,
]
