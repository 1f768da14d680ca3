/**
 * The records of an export: one JSON object per line, with the fields of the API. Their schemas are derived from those of
 * the contract, so that an invalid line is reported before anything is sent.
 */
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { Check, Errors } from 'typebox/schema'
import { ACCESS_ADVICE, type AccessAdvice, accessFaults } from '#contract/access/access-words.ts'
import { GrantInput } from '#contract/access/grants.ts'
import { STORED_LISTS } from '#contract/comments/comment-data.ts'
import { ClosedObject } from '#contract/core/fields.ts'
import { FolderId, Name, OrganizationId, UserGroupId, UserId } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { ApiKeyName, KeyType } from '#contract/keys/api-keys.ts'
import { Domain } from '#contract/keys/domains.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { DocumentInput, DocumentRecord } from '#contract/resources/documents.ts'
import { FolderInput } from '#contract/resources/folders.ts'
import { addInvitation } from '#contract/resources/invitations.ts'
import { OrganizationInput, OrganizationRecord } from '#contract/resources/organizations.ts'
import { profileProperties, UserRecord } from '#contract/users/user-records.ts'
import { storableFaults } from '#contract/validation/storable.ts'
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

const closed = <Fields extends Type.TProperties>(fields: Fields) => ClosedObject(fields)

const SCHEMAS = { ...DATA, ...FRAME }
type Schemas = typeof SCHEMAS
type RecordOf<Kind extends keyof Schemas> = {
  record: Kind
} & Type.Static<ReturnType<typeof closed<Schemas[Kind]>>>

export type DataKind = keyof typeof DATA
export type DataRecord = { [Kind in DataKind]: RecordOf<Kind> }[DataKind]
export type ExportRecord = { [Kind in keyof Schemas]: RecordOf<Kind> }[keyof Schemas]
export type OneRecord<Kind extends DataKind> = Extract<DataRecord, { record: Kind }>

const KINDS = Object.keys(SCHEMAS) as (keyof Schemas)[]
const FIELDS = new Map(KINDS.map((kind) => [kind, Object.keys(SCHEMAS[kind])]))

/** Schemas are compiled where code may be made of text. The policy of a page forbids that, and browsers report an attempt. */
const mayCompile = !('document' in globalThis)
const checkOf = (schema: Type.TSchema) =>
  mayCompile
    ? Compile(schema)
    : {
        Check: (value: unknown) => Check(schema, value),
        Errors: (value: unknown) => Errors(schema, value)[1],
      }
const CHECKS = new Map(KINDS.map((kind) => [kind, checkOf(closed({ record: Type.Literal(kind), ...SCHEMAS[kind] }))]))

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

export type Checked = { record: ExportRecord } | { fault: Fault }

const invalid = (message: string): Checked => ({ fault: { reason: 'invalid_record', message } })

/** Returns the record of a line, or its fault. */
export function checkRecord(value: unknown): Checked {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return invalid('a line must be a JSON object')
  const { record } = value as { record?: keyof Schemas }
  const check = record === undefined ? undefined : CHECKS.get(record)
  if (record === undefined || check === undefined) {
    const kinds = KINDS.map((kind) => `"${kind}"`).join(', ')
    return invalid(`record must be one of ${kinds}, not ${JSON.stringify(record) ?? 'absent'}`)
  }
  if (!check.Check(value)) {
    const unknown = Object.keys(value).find((name) => name !== 'record' && !fieldsOf(record).includes(name))
    if (unknown !== undefined) return invalid(`${unknown} is not a field of a record "${record}"`)
    return invalid(sentence(record, check.Errors(value)[0] as SchemaError))
  }
  const data = value as DataRecord
  const misplaced = misplacedIn(data)
  if (misplaced !== undefined) return invalid(`${misplaced} is not metadata, but a field of the record itself`)
  const unstorable: { field: string; message: string }[] = []
  storableFaults(value, '', unstorable)
  if (unstorable[0] !== undefined) return invalid(unstorable[0].message.trim())
  const protecting = protectionFault(data)
  if (protecting !== undefined) return invalid(protecting)
  return { record: value as ExportRecord }
}

interface SchemaError {
  keyword: string
  instancePath: string
  params: { allowedValues?: readonly unknown[]; requiredProperties?: readonly string[] }
  message: string
}

/** Returns the fault of a field, in the words of the server. */
function sentence(kind: keyof Schemas, { keyword, instancePath, params, message }: SchemaError): string {
  if (keyword === 'required') return `${params.requiredProperties?.[0]} is required`
  const field = instancePath.slice(1).replaceAll('/', '.')
  const fields = field.startsWith('profile.') ? profileProperties : SCHEMAS[kind]
  const schema = (fields as Record<string, { says?: string; saysMaximum?: string }>)[field.replace('profile.', '')]
  if (keyword === 'enum' && params.allowedValues !== undefined)
    return `${field} must be one of ${params.allowedValues.map((one) => JSON.stringify(one)).join(', ')}`
  if (keyword === 'pattern' && schema?.says !== undefined) return `${field} must ${schema.says}`
  if (keyword === 'maximum' && schema?.saysMaximum !== undefined) return `${field} must ${schema.saysMaximum}`
  return `${field} ${message}`
}

/** Returns the fields of the caller's own in a record, and the field that holds them. */
function ownFieldsOf(record: DataRecord): readonly [where: string, own: object | undefined] {
  if (record.record === 'notification') return ['metadata', undefined]
  if (record.record === 'user') return ['profile', record.profile]
  if (record.record === 'invitation') return ['invitedBy', record.invitedBy]
  return ['metadata', 'metadata' in record ? record.metadata : undefined]
}

const namesOf = (...fields: object[]): readonly string[] => fields.flatMap(Object.keys)

/**
 * Metadata is sent at the same level as the fields of its object, so its names must differ from these fields and from
 * the fields of the returned record.
 */
const NOT_METADATA: Partial<Record<DataKind, readonly string[]>> = {
  organization: namesOf(OrganizationInput.properties, OrganizationRecord.properties),
  document: namesOf(DocumentInput.properties, DocumentRecord.properties),
  user: namesOf(UserRecord.properties).filter((name) => !Object.hasOwn(profileProperties, name)),
}

function misplacedIn(record: DataRecord): string | undefined {
  const [where, own] = ownFieldsOf(record)
  const name = NOT_METADATA[record.record]?.find((field) => own !== undefined && Object.hasOwn(own, field))
  return name === undefined ? undefined : `${where}.${name}`
}

const ADVICE: Partial<Record<DataKind, AccessAdvice>> = {
  organization: ACCESS_ADVICE.organization,
  document: ACCESS_ADVICE.newDocument,
  user: ACCESS_ADVICE.profile,
  invitation: ACCESS_ADVICE.inviter,
}

/** Metadata that looks like protection, which every server refuses: a dry run reports it too. */
function protectionFault(record: DataRecord): string | undefined {
  const [where, own] = ownFieldsOf(record)
  const advice = ADVICE[record.record]
  if (own === undefined || advice === undefined) return undefined
  return accessFaults(own, new Set(), where, advice)[0]?.message
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
