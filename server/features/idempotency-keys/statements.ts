/** The SQL statements of idempotency keys. */
import { statement } from '#platform/db/statement.ts'
import { deletionOfOld } from '#platform/jobs/old-rows.ts'

/** Claims a key until the transaction ends, even by a crash of the process. Returns false if another call has claimed it. */
export const CLAIM_KEY = statement<{ claimed: boolean }>(
  'idempotency-keys.claim',
  `select pg_try_advisory_xact_lock(hashtextextended($1 || ' ' || $2, 0)) as claimed`,
)

/**
 * Locks the API key before the call takes any other lock (lock order: key, users, organizations). Storing the response
 * would otherwise take this lock last and deadlock with a deletion of the API key that waits for the call.
 */
export const HOLD_API_KEY = statement<never>(
  'idempotency-keys.hold-api-key',
  'select from api_keys where api_key_id = $1 for key share',
)

/** Returns the stored response. A separate statement after the claim, so that it sees the response of the previous holder. */
export const GET_ANSWER = statement<{ sealed: Buffer }>(
  'idempotency-keys.get',
  /* sql */ `
  select answer_sealed as sealed from idempotency_keys
   where caller = $1 and key = $2 and expires_at > coalesce($now, clock_timestamp())`,
)

/** Stores a response for the API key `$1` or the workspace `$2`; replaces an expired one that was not swept yet. */
export const SET_ANSWER = statement<never>(
  'idempotency-keys.set',
  /* sql */ `
  insert into idempotency_keys (api_key_id, workspace_id, key, answer_sealed, expires_at)
  values ($1, $2, $3, $4::bytea, coalesce($now, clock_timestamp()) + interval '24 hours')
  on conflict (caller, key) do update set answer_sealed = excluded.answer_sealed, expires_at = excluded.expires_at`,
)

export const DELETE_EXPIRED_ANSWERS = deletionOfOld('idempotency-keys.delete-expired', {
  table: 'idempotency_keys',
  column: 'expires_at',
})

/** Deletes the responses of API key `$1` whose keys begin with one of `$2`, each of which ends in a space. */
export const FORGET_ANSWERS = statement<never>(
  'idempotency-keys.forget',
  /* sql */ `
  delete from idempotency_keys k using unnest($2::text[]) as asked (prefix)
   where k.caller = $1 and k.key >= asked.prefix and k.key < rtrim(asked.prefix) || '!'`,
)
