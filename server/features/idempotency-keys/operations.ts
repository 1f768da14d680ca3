/**
 * Returns the first response to repeated calls: the change and its response are stored in one transaction
 * (rules/contract.md#idempotency-keys, ADR 0009).
 */
import { STATUS, type Status } from '#contract/core/status.ts'
import type { Attempt, IdempotentCall, StoredResponse } from '#http/idempotency.ts'
import type { Db } from '#platform/db/db.ts'
import { deleteOld } from '#platform/jobs/old-rows.ts'
import { repeatLater } from '#platform/jobs/repeat.ts'
import type { Log } from '#platform/log.ts'
import type { Sealer } from '#platform/secrets/seal.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'
import { requireSignedIn } from '#tenancy/writes/signed-in.ts'
import { ambientTransactionInTurn } from '#tenancy/writes/turns.ts'
import { CLAIM_KEY, DELETE_EXPIRED_ANSWERS, GET_ANSWER, HOLD_API_KEY, SET_ANSWER } from './statements.ts'

const SWEEP_INTERVAL_MS = 60_000

export interface IdempotencyKeysDeps {
  db: Db
  sealer: Sealer
  log: Log
}

/** The sealed value: the response, and the request, which may also contain a secret. */
interface Kept extends StoredResponse {
  request: string
}

/** Starts the sweep of expired keys. */
export function startIdempotencyKeys({ db, sealer, log }: IdempotencyKeysDeps) {
  const stop = repeatLater((stopping) => deleteOld(db, DELETE_EXPIRED_ANSWERS, stopping), {
    everyMs: SWEEP_INTERVAL_MS,
    log,
    failure: 'the sweep of idempotency keys failed; it will be retried',
  })

  return {
    /** Makes the attempt and stores its response, or returns the stored response of an earlier attempt. */
    respondOnce(
      { caller, key, request }: IdempotentCall,
      attempt: Attempt,
    ): Promise<StoredResponse & { replayed: boolean }> {
      const apiKeyId = 'apiKeyId' in caller ? caller.apiKeyId : null
      const workspaceId = apiKeyId === null ? caller.workspaceId : null
      const id = apiKeyId ?? caller.workspaceId
      const place = { column: 'idempotency_keys.answer_sealed', row: `${id} ${key}` }
      return ambientTransactionInTurn(db, id, place.row, async () => {
        const [claim] = await db.run(CLAIM_KEY, [id, key])
        if (!claim?.claimed) throw inUse()
        const [stored] = await db.run(GET_ANSWER, [id, key])
        if (stored !== undefined) {
          const { request: first, ...answer }: Kept = JSON.parse(sealer.open(stored.sealed, place))
          if (first !== request) throw reused()
          return { ...answer, replayed: true }
        }
        await db.run(HOLD_API_KEY, [apiKeyId])
        if ('userId' in caller) await requireSignedIn(db, caller)
        const answer = await answerOf(db, attempt)
        const sealed = sealer.seal(JSON.stringify({ ...answer, request } satisfies Kept), place)
        await db.run(SET_ANSWER, [apiKeyId, workspaceId, key, sealed])
        return { ...answer, replayed: false }
      })
    },

    stop,
  }
}

/**
 * Returns the response of the attempt. A definite refusal rolls back its changes and is stored; a retryable error
 * rolls back everything.
 */
async function answerOf(db: Db, attempt: Attempt): Promise<StoredResponse> {
  try {
    return await db.transaction(() => attempt.make())
  } catch (error) {
    if (!(error instanceof StatusError) || !isDefinite(error.status)) throw error
    return { status: error.status, body: attempt.refusal(error) }
  }
}

/** A caller may repeat a request whose token was refused with another token. */
const isDefinite = (status: Status): boolean =>
  status !== 'INTERNAL' && status !== 'UNAUTHENTICATED' && !STATUS[status].retryable

const inUse = () =>
  new StatusError(
    'ABORTED',
    'idempotency_key_in_use',
    'The first call with this Idempotency-Key is still in progress; retry shortly.',
    { retryAfterSeconds: 1 },
  )

const reused = () => {
  const message =
    'The Idempotency-Key was already used for a different operation or body; use a new key for each change.'
  return invalidArgument([{ field: 'Idempotency-Key', message }], 'idempotency_key_reused')
}
