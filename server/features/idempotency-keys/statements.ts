/** Every SQL text of idempotency keys. */
import { statement } from '#platform/db/statement.ts'

/** Held until the transaction ends, and with it: what a dead process had claimed is free. False: another call has it. */
export const CLAIM_KEY = statement<{ claimed: boolean }>(
  'idempotency-keys.claim',
  `select pg_try_advisory_xact_lock(hashtextextended($1 || ' ' || $2, 0)) as claimed`,
)

/**
 * Before the call takes any other lock (lock order: key, users, organizations): storing the answer would take this one
 * last, and wait for whoever deletes the API key and waits for the call.
 */
export const HOLD_API_KEY = statement<never>(
  'idempotency-keys.hold-api-key',
  'select from api_keys where api_key_id = $1 for key share',
)

/** In a statement of its own after the claim, so that it sees what the holder before has stored. */
export const GET_ANSWER = statement<{ sealed: Buffer }>(
  'idempotency-keys.get',
  /* sql */ `
  select answer_sealed as sealed from idempotency_keys
   where caller = $1 and key = $2 and expires_at > coalesce($now, clock_timestamp())`,
)

/** Of the API key `$1` or the workspace `$2`; in place of one that has expired, if the sweep has not come by. */
export const SET_ANSWER = statement<never>(
  'idempotency-keys.set',
  /* sql */ `
  insert into idempotency_keys (api_key_id, workspace_id, key, answer_sealed, expires_at)
  values ($1, $2, $3, $4::bytea, coalesce($now, clock_timestamp()) + interval '24 hours')
  on conflict (caller, key) do update set answer_sealed = excluded.answer_sealed, expires_at = excluded.expires_at`,
)

/** At most 1,000 at a time, and not those that another process deletes. The time is read once: else no index leads to it. By `ctid`, which the lock keeps. */
export const DELETE_EXPIRED_ANSWERS = statement<{ count: number }>(
  'idempotency-keys.delete-expired',
  /* sql */ `
  with clock as materialized (select coalesce($now, clock_timestamp()) as now),
  expired as (
    select ctid from idempotency_keys
     where expires_at <= (select now from clock) order by expires_at limit 1000 for update skip locked
  ),
  deleted as (
    delete from idempotency_keys k using expired where k.ctid = expired.ctid returning 1
  )
  select count(*) as count from deleted`,
)
