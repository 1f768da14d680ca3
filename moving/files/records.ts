/**
 * The records of an export: one JSON object per line, with the fields of the API. Their schemas are derived from those of
 * the contract; `check-record.ts` checks lines with them.
 */
import Type from 'typebox'
import { GrantInput } from '#contract/access/grants.ts'
import { STORED_LISTS } from '#contract/comments/comment-data.ts'
import { ClosedObject } from '#contract/core/fields.ts'
import { FolderId, Name, OrganizationId, UserGroupId, UserId } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { ApiKeyName, KeyType } from '#contract/keys/api-keys.ts'
import { Domain } from '#contract/keys/domains.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { DocumentInput } from '#contract/resources/documents.ts'
import { FolderInput } from '#contract/resources/folders.ts'
import { addInvitation } from '#contract/resources/invitations.ts'
import { OrganizationInput } from '#contract/resources/organizations.ts'
import { profileProperties } from '#contract/users/user-records.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'

/** The version of the format; a file with another version is refused. */
export const FORMAT = 1

const { url, description, filterTypes, channels, rateLimit } = createWebhookEndpoint.data.properties
const Metadata = Type.Optional(Type.Object({}, { additionalProperties: true }))

/** The records of a data set, by kind. */
const DATA = {
  settings: updateKeyConfig.data.properties,
  domain: { domain: Domain },
  user: {
    userId: UserId,
    profile: Type.Optional(Type.Object({ ...profileProperties }, { additionalProperties: true })),
  },
  disabledUser: { userId: UserId },
  organization: { ...OrganizationInput.properties, metadata: Metadata },
  folder: { organizationId: OrganizationId, ...FolderInput.properties },
  document: {
    organizationId: OrganizationId,
    ...DocumentInput.properties,
    folderId: Type.Optional(FolderId),
    metadata: Metadata,
  },
  grant: GrantInput.properties,
  userGroup: {
    organizationId: OrganizationId,
    groupId: UserGroupId,
    groupName: Type.Optional(Name('The name of the group.')),
  },
  invitation: addInvitation.data.properties,
  userGroupUser: { organizationId: OrganizationId, groupId: UserGroupId, userId: UserId },
  /** Threads, notifications and activities as they are stored; each list is a kind of its own. */
  thread: { organizationId: OrganizationId, ...STORED_LISTS.threads.items.properties },
  comment: { organizationId: OrganizationId, ...STORED_LISTS.comments.items.properties },
  threadUser: { organizationId: OrganizationId, ...STORED_LISTS.threadUsers.items.properties },
  notification: { organizationId: OrganizationId, ...STORED_LISTS.notifications.items.properties },
  notificationRecipient: { organizationId: OrganizationId, ...STORED_LISTS.notificationRecipients.items.properties },
  notificationPreference: { organizationId: OrganizationId, ...STORED_LISTS.notificationPreferences.items.properties },
  activity: { organizationId: OrganizationId, ...STORED_LISTS.activities.items.properties },
  /** Imported as disabled, and never exported: a copy must not begin to send. `uid` identifies it when it is imported again. */
  webhookEndpoint: {
    uid: Type.String({ minLength: 1, maxLength: LIMITS.idCharactersMax }),
    url,
    description,
    filterTypes,
    channels,
    rateLimit,
  },
}

/** The records around them: the first line, the first record of each API key in the export of a workspace, the last line. */
const FRAME = {
  export: { format: Type.Literal(FORMAT), of: Type.Enum(['apiKey', 'workspace']) },
  apiKey: { apiKeyName: ApiKeyName, type: KeyType },
  end: { records: Type.Integer({ minimum: 0 }) },
}

export const closed = <Fields extends Type.TProperties>(fields: Fields) => ClosedObject(fields)

export const SCHEMAS = { ...DATA, ...FRAME }
export type Schemas = typeof SCHEMAS
type RecordOf<Kind extends keyof Schemas> = {
  record: Kind
} & Type.Static<ReturnType<typeof closed<Schemas[Kind]>>>

export type DataKind = keyof typeof DATA
export type DataRecord = { [Kind in DataKind]: RecordOf<Kind> }[DataKind]
export type ExportRecord = { [Kind in keyof Schemas]: RecordOf<Kind> }[keyof Schemas]
export type OneRecord<Kind extends DataKind> = Extract<DataRecord, { record: Kind }>

export const KINDS = Object.keys(SCHEMAS) as (keyof Schemas)[]
const FIELDS = new Map(KINDS.map((kind) => [kind, Object.keys(SCHEMAS[kind])]))

/** Returns the fields of a kind of record, in the order in which they are written. */
export const fieldsOf = (kind: keyof Schemas): readonly string[] => FIELDS.get(kind) ?? []

/** Returns the type of a field, for converting it from text: `boolean`, `integer` or `string`. */
export function typeOf(kind: DataKind, field: string): string | undefined {
  const schema: { type?: string } | undefined = (DATA[kind] as Record<string, { type?: string }>)[field]
  return schema?.type
}

/** Why a line cannot be imported. */
export interface Fault {
  /** A stable code for programs, of the server or of this program. */
  reason: string
  message: string
}

/** Returns the line of a record. Fields have a fixed order, and those of metadata are sorted: equal records are equal lines. */
export function lineOf(record: ExportRecord): string {
  const canonical: Record<string, unknown> = { ...record }
  for (const open of ['metadata', 'profile', 'invitedBy'] as const)
    if (open in record) canonical[open] = sorted(canonical[open])
  return `${JSON.stringify(canonical)}\n`
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(fields.map(([name, inner]) => [name, sorted(inner)]))
}
