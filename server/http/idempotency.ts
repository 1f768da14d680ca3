/** The `Idempotency-Key` header: a call that writes and is repeated gets the answer of the first (rules/contract.md#idempotency-keys). */
import type { FastifyRequest } from 'fastify'
import { LIMITS } from '#contract/limits.ts'
import type { Status } from '#contract/status.ts'
import { invalidArgument, type StatusError } from '#platform/status-error.ts'
import type { Caller, WorkspaceCaller } from '#tenancy/callers/caller.ts'

export const IDEMPOTENCY_KEY = 'idempotency-key'

export interface IdempotentCall {
  caller: Caller | WorkspaceCaller
  key: string
  /** The same for a repeat alone: the operation, and a hash of the body. */
  request: string
}

/** What there is to do when no answer is kept. */
export interface Attempt {
  /** Makes the call; answers the body of its success. May be tried several times; only one of them counts. */
  make(): Promise<string>
  /** The body that tells of a refusal. */
  refusal(error: StatusError): string
}

export interface StoredResponse {
  status: 'success' | Status
  body: string
}

/** Injected by `app.ts`. */
export type RespondOnce = (call: IdempotentCall, attempt: Attempt) => Promise<StoredResponse & { replayed: boolean }>

const PRINTABLE = new RegExp(`^[\\x20-\\x7e]{1,${LIMITS.idempotencyKeyCharactersMax}}$`)

/** The key of a request, if it has one. */
export function idempotencyKeyOf(request: FastifyRequest): string | undefined {
  const key = request.headers[IDEMPOTENCY_KEY]
  if (key === undefined || (typeof key === 'string' && PRINTABLE.test(key))) return key as string | undefined
  const message = `The header Idempotency-Key must have 1 to ${LIMITS.idempotencyKeyCharactersMax} printable ASCII characters.`
  throw invalidArgument([{ field: 'Idempotency-Key', message }], 'idempotency_key_invalid')
}
