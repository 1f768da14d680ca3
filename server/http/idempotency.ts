/** The `Idempotency-Key` header: a repeat of a writing call gets the response of the first (rules/contract.md#idempotency-keys). */
import type { FastifyRequest } from 'fastify'
import { LIMITS } from '#contract/core/limits.ts'
import type { Status } from '#contract/core/status.ts'
import { prefixOfUser } from '#platform/secrets/tokens.ts'
import { invalidArgument, type StatusError } from '#platform/status-error.ts'
import type { Caller, UserCaller, WorkspaceCaller } from '#tenancy/callers/caller.ts'
import type { RequestContext } from './request-context.ts'

export const IDEMPOTENCY_KEY = 'idempotency-key'

export interface IdempotentCall {
  caller: Caller | UserCaller | WorkspaceCaller
  key: string
  /** The operation and a hash of the body, which only a repeat has in common with the first call. */
  request: string
}

/** How to make the call when no response is stored. */
export interface Attempt {
  /** Makes the call and returns its response. May run several times; only one run takes effect. */
  make(): Promise<StoredResponse>
  /** Returns the body of a refusal. */
  refusal(error: StatusError): string
}

export interface StoredResponse {
  status: 'success' | Status
  body: string
}

/** Makes a call, or returns the stored response of the first with this key. `app.ts` injects it. */
export type RespondOnce = (call: IdempotentCall, attempt: Attempt) => Promise<StoredResponse & { replayed: boolean }>

const PRINTABLE = new RegExp(`^[\\x20-\\x7e]{1,${LIMITS.idempotencyKeyCharactersMax}}$`)

/** Returns the idempotency key of a request, if it has one. Refuses a malformed one. */
export function idempotencyKeyOf(request: FastifyRequest): string | undefined {
  const key = request.headers[IDEMPOTENCY_KEY]
  if (key === undefined || (typeof key === 'string' && PRINTABLE.test(key))) return key as string | undefined
  const message = `The header Idempotency-Key must have 1 to ${LIMITS.idempotencyKeyCharactersMax} printable ASCII characters.`
  throw invalidArgument([{ field: 'Idempotency-Key', message }], 'idempotency_key_invalid')
}

/** Each user has keys of their own: nobody gets the stored response to the call of another. */
export const keyOfCaller = (caller: RequestContext['caller'], key: string): string =>
  caller !== undefined && 'userId' in caller ? prefixOfUser(caller.userId) + key : key

/** An operator gets no stored response to the call of somebody else, who may have had other rights. */
export const ofOperator = (caller: RequestContext['caller']): string => {
  const id = caller !== undefined && 'actor' in caller ? caller.actor.operator?.id : undefined
  return id === undefined ? '' : ` ${id}`
}
