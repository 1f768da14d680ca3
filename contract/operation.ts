/** What an operation is: its name, path, credentials, shapes and sentences. Server routes, validation and OpenAPI derive from it. */
import type { Static, TSchema } from 'typebox'

/**
 * Who may call:
 * - `none`: anybody, limited by address.
 * - `workspace`: `x-service-workspace-id` and the workspace's token.
 * - `apiKey`: `x-service-api-key` and one of the key's auth tokens.
 */
export type Credentials = 'none' | 'workspace' | 'apiKey'

/** What an auth token of an API key may do; a token without the scope of an operation is PERMISSION_DENIED (rules/keys.md#scopes). */
export const SCOPES = ['read', 'write', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/**
 * With `apiKey` credentials an operation names the scope that the auth token must have. `userToken`: a user token is
 * taken too, from browsers as well, and asks about its own user alone (rules/access.md#what-a-user-token-may-ask).
 */
type CredentialsAndScope =
  | { credentials: Exclude<Credentials, 'apiKey'>; scope?: undefined; userToken?: undefined }
  | { credentials: 'apiKey'; scope: Scope; userToken?: undefined }
  | { credentials: 'apiKey'; scope: 'read'; userToken: true }

interface Definition<Data extends TSchema, Result extends TSchema> {
  /** `permissions.add`: the same in logs, metrics, statements and tests. */
  name: string
  path: `/v2/${string}`
  summary: string
  description: string
  /** The schema of `data` in the request. */
  data: Data
  /** The schema of `result.data` in the answer, absent when there is none. */
  result?: Result
  /** `result.message` of a success. */
  success: string
  /** The `reason` codes that the operation can answer beyond those of every operation. */
  reasons?: readonly string[]
  /** A request that is valid as it stands; checked by the tests and shown in the reference. */
  example: Static<Data>
}

export type Operation<Data extends TSchema = TSchema, Result extends TSchema = TSchema> = Definition<Data, Result> &
  CredentialsAndScope

/** Whether calls change something. */
export const writes = ({ name, scope }: Operation): boolean => scope !== 'read' && !/\.(get|list)$/.test(name)

/** Calls that change something with credentials take an `Idempotency-Key` (rules/contract.md#idempotency-keys), but for a test: what it sends cannot be taken back. */
export const takesIdempotencyKey = (operation: Operation): boolean =>
  operation.credentials !== 'none' && writes(operation) && !operation.name.endsWith('.test')

export type DataOf<Op> = Op extends Operation<infer Data, TSchema> ? Static<Data> : never
export type ResultOf<Op> = Op extends Operation<TSchema, infer Result> ? Static<Result> : never

/** Types an operation by its schemas; adds nothing at run time. */
export const operation = <Data extends TSchema, Result extends TSchema>(
  definition: Operation<Data, Result>,
): Operation<Data, Result> => definition
