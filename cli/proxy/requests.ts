/** Checks a request against the contract, as a server would after its credentials. Faults that depend on stored data are not found here. */

import { organizationFault, type ResourceName } from '#contract/access/permissions.ts'
import { LIMITS, thousands } from '#contract/core/limits.ts'
import { resembling } from '#contract/core/metadata.ts'
import { needsNoData, type Operation, pathsOf } from '#contract/core/operation.ts'
import { filterTypeWarnings } from '#contract/events/event-types.ts'
import { whyNotOffered } from '#contract/not-offered.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { findingSteps } from '#contract/validation/findings.ts'
import { unimplementedField, unimplementedMessage } from '#contract/validation/ignored.ts'
import { parseMarked } from '#contract/validation/numbers.ts'
import { prefixRenamer } from '#contract/validation/prefixed-fields.ts'
import { withoutCommenter } from '#contract/validation/roles.ts'
import type { Fault, SchemaNode } from '#contract/validation/schema.ts'
import { atOnce } from '#contract/validation/steps.ts'
import { decodedPart } from '#contract/validation/text.ts'
import type { Finding } from './findings.ts'

const BY_PATH = new Map(OPERATIONS.flatMap((operation) => pathsOf(operation).map((path) => [path, operation])))
const PATHS: readonly string[] = [...BY_PATH.keys()]
const PUBLIC_KEYS = /^\/v2\/auth\/jwks\/[^/]+$/
const FINDINGS_MAX = 20
const FIELDS_MAX = 200
const DEPTH_MAX = 6
const NAME_CHARACTERS_MAX = 100

export interface Request {
  method: string
  /** The path of the request without its query. */
  path: string
  /** The word in the names of the headers with credentials: `acme` of `x-acme-api-key`. */
  headerPrefix: string | undefined
  headers: Readonly<Record<string, string | undefined>>
  /** Undefined if it is too long to be checked. */
  body: Buffer | undefined
  bytes: number
}

export interface Inspected {
  operation?: Operation
  /** The names of the fields of `data`, as paths: `documents[].documentId`. Never values. */
  fields: string[]
  findings: Finding[]
}

const fails = (reason: string, message: string): Finding => ({ verdict: 'fails', reason, message })
const differs = (reason: string, message: string): Finding => ({ verdict: 'differs', reason, message })

export function inspectRequest(request: Request): Inspected {
  const { method, path, bytes } = request
  const operation = BY_PATH.get(path as `/v2/${string}`)
  if (operation === undefined) return { fields: [], findings: onUnknownPath(method, path) }
  if (method === 'OPTIONS') return { operation, fields: [], findings: [] }
  if (method !== 'POST')
    return { operation, fields: [], findings: [fails('method_not_allowed', `it takes POST, not ${method}`)] }
  if (bytes > LIMITS.bodyBytesMax) return { operation, fields: [], findings: [fails('body_too_large', TOO_LARGE)] }
  if (request.body === undefined) return { operation, fields: [], findings: [differs('not_checked', NOT_CHECKED)] }
  const read = dataOf(request, operation, request.body)
  if ('finding' in read) return { operation, fields: [], findings: [read.finding] }
  if (nestsDeeper(read.data, LEVELS_MAX))
    return { operation, fields: [], findings: [fails('invalid_argument', 'data nests too deep')] }
  prefixRenamer(operation.data, request.headerPrefix ?? 'service')(read.data)
  const fields = [...fieldNames(read.data)].slice(0, FIELDS_MAX)
  const findings = [...read.beside, ...onData(operation, read.data), ...onValues(operation, read.data)]
  return { operation, fields, findings: findings.slice(0, FINDINGS_MAX) }
}

const TOO_LARGE = `the body has more than ${thousands(LIMITS.bodyBytesMax)} bytes`
const NOT_CHECKED = 'its body is too long to be checked here; it was passed on'

/** More than in any valid call. A deeper body must be recognized before it exhausts the stack, which would end the proxy. */
const LEVELS_MAX = 100

const nestsDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => nestsDeeper(inner, levels - 1)))

function onUnknownPath(method: string, path: string): Finding[] {
  if (method === 'GET' && PUBLIC_KEYS.test(path)) return []
  const why = whyNotOffered(path)
  if (why !== undefined) return [fails('operation_not_implemented', why)]
  const known = resembling(path, PATHS)
  const hint = known === undefined ? '' : `; did you mean ${known}?`
  return [fails('path_unknown', `this path is not part of the contract${hint}`)]
}

type Read = { finding: Finding } | { data: unknown; beside: Finding[] }

function dataOf({ headers }: Request, operation: Operation, body: Buffer): Read {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity')
    return { finding: fails('body_invalid', `the content-encoding ${encoding} is not supported`) }
  if (body.length === 0)
    return needsNoData(operation)
      ? { data: {}, beside: [] }
      : { finding: fails('body_invalid', 'the body is empty; it must be {"data": {…}}') }
  if (!/^application\/json\b/i.test(headers['content-type'] ?? ''))
    return { finding: fails('content_type_unsupported', 'the content-type must be application/json') }
  const decoded = decodedPart(body)
  if ('fault' in decoded) return { finding: fails('body_invalid', 'the body is not valid UTF-8') }
  let parsed: unknown
  try {
    parsed = parseMarked(decoded.text)
  } catch {
    return { finding: fails('body_invalid', 'the body is not valid JSON') }
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return { finding: fails('invalid_argument', DATA_REQUIRED) }
  const { data, ...others } = parsed as Record<string, unknown>
  const beside = Object.keys(others).map((name): Finding => {
    const message = `${cut(name)} beside data is not a known field`
    return { verdict: 'strict', reason: 'invalid_argument', message }
  })
  if (data !== undefined && data !== null) return { data, beside }
  const isOmitted = 'data' in parsed || beside.length === 0
  return needsNoData(operation) && isOmitted
    ? { data: {}, beside }
    : { finding: fails('invalid_argument', DATA_REQUIRED) }
}

const DATA_REQUIRED = 'data is required: the body must be {"data": {…}}'

/** The checks of each operation are compiled with its first call. */
const checks = new Map<string, Record<'refused' | 'ignored', (data: unknown) => Fault[]>>()

function checksOf({ name, data: schema }: Operation) {
  const known = checks.get(name)
  if (known !== undefined) return known
  const data = withoutCommenter(schema) // a hosted service has no such role
  const checkWith = (unknown: 'refused' | 'ignored') => {
    const steps = findingSteps(data, unknown)
    return (value: unknown) => atOnce(steps(structuredClone(value), true)).faults
  }
  const made = { refused: checkWith('refused'), ignored: checkWith('ignored') }
  checks.set(name, made)
  return made
}

function onData(operation: Operation, data: unknown): Finding[] {
  const { refused, ignored } = checksOf(operation)
  const field = unimplementedField(operation.data as SchemaNode, data)
  const inStrictMode = refused(data)
  const resources = inStrictMode.length === 0 ? resourceFaults(data) : []
  if (inStrictMode.length === 0 && field === undefined)
    return resources.map(({ message }) => fails('invalid_argument', message))
  const always = ignored(data)
  const alwaysIn = new Set(always.map((fault) => fault.field))
  const onlyStrict = inStrictMode.filter((fault) => !alwaysIn.has(fault.field) && fault.field !== field)
  return [
    ...always.map(({ message }) => fails('invalid_argument', message)),
    ...(field === undefined ? [] : [strict('field_not_implemented', unimplementedMessage(field))]),
    ...onlyStrict.map(({ message }) => strict('invalid_argument', message)),
  ]
}

/**
 * Finds faults between several fields of a resource that gets a grant, which no schema expresses. A grant that names
 * only its user is about one document.
 */
function resourceFaults(data: unknown): Fault[] {
  const { permissions, grants } = data as { permissions?: { resources?: ResourceName[] }; grants?: ResourceName[] }
  const named = (list: ResourceName[] | undefined, at: string) =>
    (list ?? []).flatMap(
      (resource, index) => ('type' in resource && organizationFault(resource, `${at}[${index}]`)) || [],
    )
  return [...named(permissions?.resources, 'permissions.resources'), ...named(grants, 'grants')]
}

const strict = (reason: string, message: string): Finding => ({ verdict: 'strict', reason, message })

/** Fields that Commonhold accepts but gives another effect. */
function onValues({ name }: Operation, data: unknown): Finding[] {
  const { filterTypes, documentIds } = Object(data) as { filterTypes?: unknown; documentIds?: unknown }
  if (/^webhook-endpoints\.(create|update)$/.test(name) && Array.isArray(filterTypes)) {
    const { warnings = [] } = filterTypeWarnings(filterTypes.map(String).map(cut))
    return warnings.map(({ code, message }) => differs(code, message))
  }
  if (name === 'permissions.get' && Array.isArray(documentIds) && documentIds.length > 0)
    return [differs('access_type_of_documents', ACCESS_TYPE_OF_DOCUMENTS)]
  if (/^(email|webhook)-config\.get$/.test(name)) return [differs('secrets_masked', SECRETS_MASKED)]
  return []
}

const ACCESS_TYPE_OF_DOCUMENTS =
  'accessType of a document in a folder is the access type of the document itself, if it has one; a hosted service reports the access type of the folder'
const SECRETS_MASKED = 'secrets come back masked, unless the server has REVEAL_SECRETS=true'

const cut = (name: string): string => name.slice(0, NAME_CHARACTERS_MAX)

/** Returns the paths of the fields in a value. */
function fieldNames(value: unknown, at = '', names = new Set<string>(), depth = 0): Set<string> {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX || names.size > FIELDS_MAX) return names
  if (Array.isArray(value)) {
    for (const item of value) fieldNames(item, `${at}[]`, names, depth + 1)
    return names
  }
  for (const [name, inner] of Object.entries(value)) {
    const path = at === '' ? cut(name) : `${at}.${cut(name)}`
    names.add(path)
    fieldNames(inner, path, names, depth + 1)
  }
  return names
}
