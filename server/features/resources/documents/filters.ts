/** Checks the filters of a call, and converts them into the conditions of the statements (rules/resources.md#document-filters). */
import { PROTECTING_NAMES } from '#contract/access/access-words.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { resembling, sizeFaults } from '#contract/core/metadata.ts'
import { type DocumentFilter, DocumentInput, DocumentRecord } from '#contract/resources/documents.ts'
import { invalidArgument } from '#platform/status-error.ts'

/** A filter as the statements read it. A comparison with one value has a list of one. */
interface Condition {
  key: string
  operator: 'in' | 'not-in' | 'array-contains-any' | '<' | '<=' | '>' | '>='
  values: readonly unknown[]
}

type Operator = DocumentFilter['operator']

/** The operators that compare for equality: with one value, and with several. */
const OF_LISTS: Partial<Record<Operator, Condition['operator']>> = {
  '==': 'in',
  '!=': 'not-in',
  'array-contains': 'array-contains-any',
}

const takesList = (operator: Operator): boolean =>
  operator === 'in' || operator === 'not-in' || operator === 'array-contains-any'

/** Clients of the hosted original put it before each key. */
const PREFIX = 'metadata.'

/** Fields of a document, beside its metadata, that filters compare. */
const COMPARED_FIELDS = ['documentName', 'createdAt', 'lastUpdated']

const DOCUMENT_FIELDS = new Set([...Object.keys(DocumentInput.properties), ...Object.keys(DocumentRecord.properties)])

const ALTERNATIVES: Readonly<Record<string, string>> = {
  id: 'name the documents in documentIds',
  documentId: 'name the documents in documentIds',
  folderId: 'give the folderId of the call',
}

/** Filters in the form of the statements, as JSON. */
export interface Conditions {
  all: string
  /** An object that the metadata of every match contains; null: the filters do not say. */
  contained: string | null
}

/** Checks filters. Returns undefined if there are none. */
export function conditionsOf(filters: readonly DocumentFilter[] | undefined): Conditions | undefined {
  if (filters === undefined) return undefined
  const all = filters.map(conditionOf)
  const contained = new Map(all.flatMap(containedIn))
  return {
    all: JSON.stringify(all),
    contained: contained.size === 0 ? null : JSON.stringify(Object.fromEntries(contained)),
  }
}

/** Returns the metadata field of a condition with one value that the field equals, or has in its list. */
function containedIn({ key, operator, values }: Condition): [string, unknown][] {
  if (values.length !== 1 || COMPARED_FIELDS.includes(key)) return []
  if (operator === 'in') return [[key, values[0]]]
  return operator === 'array-contains-any' ? [[key, values]] : []
}

function conditionOf({ key, operator, value }: DocumentFilter, index: number): Condition {
  const path = `filters[${index}]`
  const faults = sizeFaults({ [key]: value }, path)
  if (faults.length > 0) throw invalidArgument(faults)
  const name = nameOf(key, `${path}.key`)
  if (takesList(operator) && !(Array.isArray(value) && value.length > 0 && value.length <= LIMITS.filterValuesMax))
    throw wrongValue(`must be a list of 1 to ${LIMITS.filterValuesMax} values`)
  const compared = OF_LISTS[operator] ?? (operator as Condition['operator'])
  const values = takesList(operator) ? (value as unknown[]) : [value]
  if (compared !== operator || takesList(operator)) return { key: name, operator: compared, values }
  if (!['number', 'string', 'boolean'].includes(typeof value)) throw wrongValue('must be a number, a text or a boolean')
  return { key: name, operator: compared, values }

  function wrongValue(rule: string) {
    const field = `${path}.value`
    return invalidArgument([{ field, message: `${field} ${rule} when operator is "${operator}"` }])
  }
}

/** Returns the name of the field, without the prefix. Throws for a name that no document has as metadata. */
function nameOf(key: string, field: string): string {
  const name = key.startsWith(PREFIX) ? key.slice(PREFIX.length) : key
  if (name === '') throw invalidArgument([{ field, message: `${field} must name a field after "${PREFIX}"` }])
  if (COMPARED_FIELDS.includes(name)) return name
  if (!DOCUMENT_FIELDS.has(name) && resembling(name, PROTECTING_NAMES) === undefined) return name
  const alternative = ALTERNATIVES[name] ?? 'read the documents and compare there'
  const message = `${field} must be a metadata field, documentName, createdAt or lastUpdated; "${name}" cannot be metadata, so ${alternative}`
  throw invalidArgument([{ field, message }])
}
