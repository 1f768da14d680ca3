/**
 * Reads the response of a permission provider. If any part of it violates the protocol, nothing of it counts
 * (rules/access.md#permission-providers).
 */

import type { ProviderFailure } from '#contract/access/permission-provider.ts'
import { type AccessRole, accessRoles, type ResourceType } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { resembling } from '#contract/core/metadata.ts'
import { hasRepeated, repeatedName } from '#contract/validation/repeated.ts'
import { meansLess } from '#contract/validation/stand-ins.ts'

/** A resource to which the stored grants give the user no access. */
export interface AskedResource {
  type: ResourceType
  id: string
  organizationId: string
  /** The folder of a document in a folder. */
  parentFolderId?: string
}

/** A resource to which the provider gives the user access. */
export interface ProvidedGrant extends AskedResource {
  accessRole: AccessRole
  expiresAt: Date
}

export interface Question {
  userId: string
  resources: readonly AskedResource[]
  /** Whether the API key has the role `commenter`. */
  hasCommenter: boolean
  /** The time of the question. */
  now: Date
  /** Whether a signature belongs to the entries. */
  isSignedBy(signature: string, entries: readonly object[]): boolean
}

/** The failure of a permission provider, which is never taken for a denial. */
export class ProviderFailed extends Error {
  readonly failure: ProviderFailure

  /** `what` completes the sentence “The permission provider of the API key …”, which the user reads: it names no address. */
  constructor(failure: ProviderFailure, what: string) {
    super(`The permission provider of the API key ${what}.`)
    this.failure = failure
  }
}

/** How long access lasts if the provider does not say. */
const DEFAULT_MS = 60 * 60 * 1000

type Entry = Record<string, unknown>

const isObject = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the grants in a response. Throws `ProviderFailed` for any response that the protocol does not allow. */
export function grantsIn(body: Buffer, question: Question): ProvidedGrant[] {
  const answer = parsed(body)
  if (!isObject(answer)) throw malformed('the response must be a JSON object')
  const { success, statusCode, data, signature, ...beside } = answer
  if (success !== true || statusCode !== 200)
    throw new ProviderFailed(
      'unsuccessful',
      'did not report success: success must be true, and statusCode that of a success',
    )
  if (!Array.isArray(data)) throw malformed('data must be an array')
  const entries = data.map((entry: unknown, index) =>
    isObject(entry) ? entry : fail(malformed(`data[${index}] must be an object`)),
  )
  const isSigned = signature !== undefined && signature !== null
  if (isSigned && !(typeof signature === 'string' && question.isSignedBy(signature, entries)))
    throw new ProviderFailed('signature_wrong', 'sent a wrong signature')
  refuseMisspelt(beside, '')
  const open = new Map(question.resources.map((resource) => [nameOf(resource), resource]))
  const grants = entries.flatMap((entry, index) => grantIn(entry, `data[${index}]`, open, question))
  if (open.size > 0) throw new ProviderFailed('unanswered', `did not answer ${open.size} of the questions`)
  return grants
}

const nameOf = ({ type, organizationId, id }: Pick<AskedResource, 'type' | 'organizationId' | 'id'>): string =>
  JSON.stringify([type, organizationId, id])

const malformed = (must: string) => new ProviderFailed('malformed', `sent an invalid answer: ${must}`)

function fail(error: Error): never {
  throw error
}

function parsed(body: Buffer): unknown {
  let text: string
  let value: unknown
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    value = JSON.parse(text)
  } catch {
    throw malformed('the response must be JSON in UTF-8')
  }
  const repeated = repeatedName(text, value)
  if (repeated !== undefined) throw malformed(hasRepeated(repeated))
  return value
}

const LIMITING_NAMES = ['accessRole', 'expiresAt']

/** Throws if an unknown field may stand for a role or an expiry: without these an entry gives more, for example the role `editor`. */
function refuseMisspelt(fields: Entry, at: string): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || !(resembling(name, LIMITING_NAMES) !== undefined || meansLess(name, value))) continue
    throw malformed(`${at}${name.slice(0, 40)} is not a known field; an entry has accessRole and expiresAt`)
  }
}

/**
 * Returns the grant in an entry, or nothing if the entry denies. Removes its resource from `open`, which has the
 * resources without an answer.
 */
function grantIn(
  { userId, resourceId, type, organizationId, hasAccess, accessRole, expiresAt, ...unknown }: Entry,
  at: string,
  open: Map<string, AskedResource>,
  question: Question,
): ProvidedGrant[] {
  if (typeof hasAccess !== 'boolean') throw malformed(`${at}.hasAccess must be a boolean`)
  const name = JSON.stringify([type, organizationId, resourceId])
  const resource = open.get(name)
  if (resource === undefined || userId !== question.userId)
    throw question.resources.some((one) => nameOf(one) === name) && userId === question.userId
      ? new ProviderFailed('answered_twice', `answered a question twice: ${at}`)
      : new ProviderFailed('unasked', `answered a question that was not asked: ${at}`)
  open.delete(name)
  if (!hasAccess) return []
  refuseMisspelt(unknown, `${at}.`)
  const roles = accessRoles(question.hasCommenter)
  const role = roles.find((known) => known === (accessRole ?? 'editor'))
  if (role === undefined) {
    const names = new Intl.ListFormat('en', { type: 'disjunction' }).format(roles.map((known) => `"${known}"`))
    throw new ProviderFailed('role_unknown', `gave an unknown role: ${at}.accessRole must be ${names}`)
  }
  return [{ ...resource, accessRole: role, expiresAt: expiryIn(expiresAt, `${at}.expiresAt`, question.now) }]
}

/** Returns the expiry in an entry, rounded up to the second: milliseconds, or an hour if there is none. */
function expiryIn(expiresAt: unknown, at: string, now: Date): Date {
  const ms = expiresAt ?? now.getTime() + DEFAULT_MS
  if (typeof ms !== 'number' || Math.ceil(ms / 1000) > LIMITS.expiresAtSecondsMax)
    throw new ProviderFailed('expiry_invalid', `gave an invalid expiry: ${at} must be a Unix time in milliseconds`)
  const rounded = Math.ceil(ms / 1000) * 1000
  if (rounded <= now.getTime()) {
    const isSeconds = ms * 1000 > now.getTime() ? '; this value looks like seconds' : ''
    throw new ProviderFailed('expired', `gave an expiry in the past: ${at} must be in milliseconds${isSeconds}`)
  }
  return new Date(rounded)
}
