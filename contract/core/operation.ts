/**
 * The definition of an operation: name, path, credentials, schemas and texts. Server routes, validation and OpenAPI are
 * derived from it.
 */
import type { Static, TSchema } from 'typebox'

/**
 * Who may call:
 * - `none`: anybody, limited by address.
 * - `workspace`: `x-service-workspace-id` and the workspace's token.
 * - `apiKey`: `x-service-api-key` and one of the key's auth tokens.
 */
export type Credentials = 'none' | 'workspace' | 'apiKey'

/**
 * The rights of an auth token of an API key; a call with a token that lacks the scope of the operation is
 * PERMISSION_DENIED (rules/keys.md#scopes).
 */
export const SCOPES = ['read', 'write', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/** Returns the message of the refusal of a token, which the console also shows before the call is made. */
export const scopeMissing = (scope: Scope): string => `The auth token does not have the scope "${scope}".`

/**
 * With `apiKey` credentials an operation names the scope that the auth token must have. `userToken`: a user token is
 * accepted too, also from browsers, and only for its own user (rules/access.md#what-a-user-token-may-do).
 */
type CredentialsAndScope =
  | { credentials: Exclude<Credentials, 'apiKey'>; scope?: undefined; userToken?: undefined }
  | { credentials: 'apiKey'; scope: Scope; userToken?: undefined }
  | { credentials: 'apiKey'; scope: 'read' | 'write'; userToken: true }

interface Definition<Data extends TSchema, Result extends TSchema> {
  /** `permissions.add`: the same in logs, metrics, statements and tests. */
  name: string
  path: `/v2/${string}`
  /** Other paths of the same operation, which clients of the hosted original call. */
  aliases?: readonly `/v2/${string}`[]
  summary: string
  description: string
  /** The schema of `data` in the request. */
  data: Data
  /** The schema of `result.data` in the response; absent when there is none. */
  result?: Result
  /** The field of `data` that decides between the alternatives of `result`; without it a call returns the first. */
  resultBy?: string
  /** `result.message` of a success. */
  success: string
  /** The `reason` codes with which the operation can fail, beyond those of every operation. */
  reasons?: readonly string[]
  /** The response has a secret that the caller does not have yet. */
  secret?: true
  /** The limits of an account never refuse the call: it revokes a stolen token, and must work although its thief uses up the limits. */
  unlimited?: true
  /** A success may have `warnings` (rules/contract.md#warnings). */
  warns?: true
  /** A valid request; the tests send it, and the reference shows it. */
  example: Static<Data>
}

export type Operation<Data extends TSchema = TSchema, Result extends TSchema = TSchema> = Definition<Data, Result> &
  CredentialsAndScope

/** Whether a call changes data. */
export const writes = ({ name, scope }: Operation): boolean => scope !== 'read' && !/\.(get|list)$/.test(name)

/** Returns every path of an operation. */
export const pathsOf = ({ path, aliases = [] }: Operation): readonly string[] => [path, ...aliases]

/**
 * Calls with credentials that change data take an `Idempotency-Key` (rules/contract.md#idempotency-keys), except tests, because
 * a sent message cannot be undone.
 */
export const takesIdempotencyKey = (operation: Operation): boolean =>
  operation.credentials !== 'none' && writes(operation) && !operation.name.endsWith('.test')

/** Returns whether a call may have no `data`, or no body, because it needs no field (rules/contract.md#envelope). */
export function needsNoData({ data }: Operation): boolean {
  const { required = [], minProperties = 0 } = data as { required?: readonly string[]; minProperties?: number }
  return required.length === 0 && minProperties === 0
}

export type DataOf<Op> = Op extends Operation<infer Data, TSchema> ? Static<Data> : never
export type ResultOf<Op> = Op extends Operation<TSchema, infer Result> ? Static<Result> : never

/** Infers the types of an operation from its schemas; returns it unchanged. */
export const operation = <Data extends TSchema, Result extends TSchema>(
  definition: Operation<Data, Result>,
): Operation<Data, Result> => definition
