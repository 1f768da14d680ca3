/**
 * `auth/sharing/get` and `targets/list`: users see who has access to a document, and with whom they can share it
 * (rules/access.md#sharing).
 */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { DocumentId, OrganizationId, SEARCH_PAGING, UserId } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { Via } from './decisions.ts'
import { AccessRole, AccessType } from './permissions.ts'

/** A setting of the API key. */
export const UserSharing = Type.Enum(['none', 'editors', 'editorsAndReaders'], {
  description:
    'What users may do with `auth/sharing/*` and a user token: `none`: nothing. `editors`: editors of a document see who has access to it, and share it. `editorsAndReaders`: everybody else with access by a grant or membership also sees who has access.',
})
export type UserSharing = Type.Static<typeof UserSharing>

/** A document, and the user who shares it. */
export const ofSharedDocument = {
  organizationId: OrganizationId,
  documentId: DocumentId,
  userId: Type.Optional({
    ...UserId,
    description: 'The user who shares. Required with an auth token; with a user token, its own user or nothing.',
  }),
}

/** The reasons of every call about sharing. */
export const SHARING_REASONS = [
  'organization_does_not_exist',
  'document_does_not_exist',
  'other_user',
  'user_disabled',
  'user_sharing_off',
  'access_role_missing',
] as const

const UnixSeconds = (description: string) => Type.Integer({ description })

/** The source of access, with names where they are known. */
export const SharedVia = Type.Object(
  {
    ...Via.properties,
    name: Type.Optional(Type.String({ description: 'The name of the folder.' })),
    groupName: Type.Optional(Type.String()),
  },
  {
    description:
      'What gives the access. Access from above the document, or by a user group, stays when the grant of the user is removed. Absent if the user who asks may not know it.',
  },
)

/** The access of somebody to the document. */
export const SharedAccess = Type.Object({
  accessRole: AccessRole,
  expiresAt: Type.Optional(UnixSeconds('Unix seconds; present when the access expires.')),
  via: Type.Optional(SharedVia),
})
export type SharedAccess = Type.Static<typeof SharedAccess>

const OwnGrant = Type.Object({
  accessRole: AccessRole,
  expiresAt: Type.Optional(UnixSeconds('Unix seconds; present on a temporary grant.')),
})

const principalFields = {
  userId: Type.Optional(Type.String()),
  groupId: Type.Optional(Type.String({ description: 'The user group, if it is not a user.' })),
  name: Type.Optional(Type.String()),
  photoUrl: Type.Optional(Type.String()),
  email: Type.Optional(Type.String({ description: 'The address. A user token gets only that of its own user.' })),
}

/** A user or user group that has access to the document. */
export const SharingEntry = Type.Object({
  ...principalFields,
  access: Type.Optional({ ...SharedAccess, description: 'The decision about a user; absent for a user group.' }),
  grants: Type.Array(OwnGrant, {
    description:
      'The live grants on the document itself, which sharing can change: at most a standing and a temporary one.',
  }),
})
export type SharingEntry = Type.Static<typeof SharingEntry>

export const getSharing = operation({
  name: 'sharing.get',
  path: '/v2/auth/sharing/get',
  credentials: 'apiKey',
  scope: 'read',
  userToken: true,
  summary: 'Get who has access to a document, for its users',
  description:
    'Returns what a user may share of a document, and page by page who has access to it: user groups with a grant on it, then users, each with what gives the access. A user who is not a member of the organization gets only users with a grant of their own on the document. With a user token, `userSharing` of the API key must allow it.',
  data: ClosedObject({ ...ofSharedDocument, ...SEARCH_PAGING }),
  result: Type.Object({
    user: Type.Object(
      { userId: Type.String(), ...SharedAccess.properties },
      { description: 'The user who asks, and their access.' },
    ),
    canShare: Type.Boolean({ description: 'Whether this user may call `auth/sharing/update`.' }),
    accessRoles: Type.Array(AccessRole, { description: 'The roles that this user may give; none without `canShare`.' }),
    accessType: AccessType,
    everyone: Type.Boolean({ description: 'The document is public: users without a grant have access too.' }),
    everyoneRole: Type.Optional({ ...AccessRole, description: 'Their role. Present when `everyone` is true.' }),
    isComplete: Type.Boolean({
      description:
        'False: the user is not a member of the organization, and the list has only users with a grant of their own.',
    }),
    entries: Type.Array(SharingEntry, {
      description: 'A page may be short; only one without `nextPageToken` is the last.',
    }),
  }),
  success: 'Sharing retrieved successfully.',
  warns: true,
  reasons: SHARING_REASONS,
  example: { organizationId: 'acme', documentId: 'roadmap', userId: 'ada' },
})

/** A user or a user group of the organization. */
export const SharingTarget = Type.Object(principalFields)
export type SharingTarget = Type.Static<typeof SharingTarget>

export const listSharingTargets = operation({
  name: 'sharing-targets.list',
  path: '/v2/auth/sharing/targets/list',
  credentials: 'apiKey',
  scope: 'read',
  userToken: true,
  summary: 'List the users and groups with whom a document can be shared',
  description:
    'Lists the user groups of the organization, then its members, in the order of their ids and without the user who asks; only for users who may share the document. A user who is not a member of the organization gets only users with a grant of their own on the document. A page may be short or even empty; only a page without `nextPageToken` is the last one.',
  data: ClosedObject({
    ...ofSharedDocument,
    text: Type.Optional(
      Type.String({
        description:
          'Only users and user groups with this at the beginning of a word of their name or of their id, without regard to case and accents.',
        maxLength: LIMITS.searchQueryCharactersMax,
      }),
    ),
    ...SEARCH_PAGING,
  }),
  result: Type.Array(SharingTarget),
  success: 'Sharing targets listed successfully.',
  reasons: SHARING_REASONS,
  example: { organizationId: 'acme', documentId: 'roadmap', userId: 'ada', text: 'bo' },
})

export const SHARING_OPERATIONS = [getSharing, listSharingTargets]
