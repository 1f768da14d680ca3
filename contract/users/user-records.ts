/** The records of users in calls and responses: the profile with its metadata, and what `users/*` add to it. */
import Type from 'typebox'
import { ACCESS_ADVICE } from '../access/access-words.ts'
import { AccessRole } from '../access/permissions.ts'
import { nullable, optional } from '../core/fields.ts'
import { Email, HttpUrl, UserId } from '../core/ids.ts'
import { LIMITS, thousands } from '../core/limits.ts'

export const ProfileEmail = { ...Email("The user's address. Empty: absent."), emptyIsAbsent: true }

const text = () => Type.String({ maxLength: LIMITS.nameCharactersMax })

/** The profile fields that have a meaning; the rest of an open user object is metadata. */
const profileFields = {
  name: text(),
  email: ProfileEmail,
  photoUrl: { ...HttpUrl("The URL of the user's picture. Empty: absent."), emptyIsAbsent: true },
  plan: text(),
  color: text(),
  textColor: text(),
  type: text(),
  initial: Type.String({
    description: 'Default: the first letter of the name, computed when the user is read.',
    maxLength: LIMITS.nameCharactersMax,
  }),
  isReadOnly: Type.Boolean(),
  isAnonymous: Type.Boolean(),
  isGuest: Type.Boolean(),
  isAdmin: Type.Boolean({ description: 'Included in the tokens of the user; it gives no access in Commonhold.' }),
}

/** The profile fields as optional properties, for every object that includes a profile. */
export const profileProperties = optional(profileFields)

/** The fields of a profile in an update, where `null` clears a field. */
export const nullableProfileProperties = nullable(profileFields)

/** One of two live grants of a user on a resource. */
export const LiveGrant = Type.Object({ accessRole: AccessRole, expiresAt: Type.Optional(Type.Integer()) })

/** A user as `users.get` returns it: the profile with its metadata, and the grant if the query is about one resource. */
export const UserRecord = Type.Object(
  {
    userId: Type.String(),
    ...profileProperties,
    disabled: Type.Optional(Type.Literal(true, { description: 'Present when the user is disabled.' })),
    accessRole: Type.Optional(AccessRole),
    expiresAt: Type.Optional(Type.Integer({ description: 'Unix seconds; present when the role ends.' })),
    liveGrants: Type.Optional(
      Type.Array(LiveGrant, {
        description:
          'Present when the user has two live grants on the resource: the standing one, then the temporary one. `accessRole` is the stronger of their roles.',
      }),
    ),
  },
  { additionalProperties: true },
)
export type UserRecord = Type.Static<typeof UserRecord>

/** A document on which a user has a live grant. */
export const InvolvedDocument = Type.Object({
  documentId: Type.String(),
  documentName: Type.Optional(Type.String()),
  accessRole: AccessRole,
  expiresAt: Type.Optional(Type.Integer({ description: 'Unix seconds; present when the role ends.' })),
})
export type InvolvedDocument = Type.Static<typeof InvolvedDocument>

/** A user with the documents that `includeInvolvedDocuments` adds. */
export const DocumentUser = Type.Object(
  {
    ...UserRecord.properties,
    involvedDocuments: Type.Optional(
      Type.Array(InvolvedDocument, {
        description: `With \`includeInvolvedDocuments\`: the documents on which the user has a live grant, in id order, at most ${thousands(LIMITS.involvedDocumentsMax)}.`,
      }),
    ),
    hasMoreInvolvedDocuments: Type.Optional(
      Type.Literal(true, { description: 'Present when there are more; `auth/permissions/grants/list` has all.' }),
    ),
  },
  { additionalProperties: true },
)

export type DocumentUser = Type.Static<typeof DocumentUser>

export const IncludeInvolvedDocuments = Type.Boolean({
  description: `Add the documents of each user; needs \`userIds\`, at most ${LIMITS.involvedUsersMax}.`,
  default: false,
})

export const OPEN_USER = {
  additionalProperties: true,
  metadata: true,
  /** Applications repeat the calls that add users at each sign-in; in those that change users, null clears. */
  nullMetadataIsAbsent: true,
  recordFields: Object.keys(UserRecord.properties),
} as const

/** Open: other fields are metadata, stored and returned (rules/contract.md#metadata). */
export const UserInput = Type.Object(
  {
    userId: UserId,
    ...profileProperties,
    accessRole: Type.Optional(AccessRole),
    organizationId: Type.Optional(callerOrganization()),
  },
  { ...OPEN_USER, accessAdvice: ACCESS_ADVICE.user },
)
export type UserInput = Type.Static<typeof UserInput>

export const UserChange = Type.Object(
  {
    userId: UserId,
    ...nullableProfileProperties,
    accessRole: Type.Optional(AccessRole),
    organizationId: Type.Optional(callerOrganization()),
  },
  { ...OPEN_USER, accessAdvice: ACCESS_ADVICE.user },
)

function callerOrganization() {
  return Type.String({
    description: 'Accepted only if it equals the `organizationId` of the call.',
    minLength: 1,
    maxLength: LIMITS.idCharactersMax,
  })
}
