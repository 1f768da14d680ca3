/** Checks a line of an import before anything is sent: its schema, its metadata, and the rules of every server. */
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { Check, Errors } from 'typebox/schema'
import { ACCESS_ADVICE, type AccessAdvice, accessFaults } from '#contract/access/access-words.ts'
import { DocumentInput, DocumentRecord } from '#contract/resources/documents.ts'
import { OrganizationInput, OrganizationRecord } from '#contract/resources/organizations.ts'
import { profileProperties, UserRecord } from '#contract/users/user-records.ts'
import { storableFaults } from '#contract/validation/storable.ts'
import { faultOf } from './record-faults.ts'
import {
  closed,
  type DataKind,
  type DataRecord,
  type ExportRecord,
  type Fault,
  fieldsOf,
  KINDS,
  SCHEMAS,
  type Schemas,
} from './records.ts'

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
  const refused = protectionFault(data) ?? faultOf(data)
  if (refused !== undefined) return invalid(refused)
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
