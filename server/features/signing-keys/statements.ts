/**
 * The SQL statements of signing keys. A pair without `retired_at` signs; a pair with one verifies until then, and is
 * ignored afterwards.
 */
import type { JWK } from 'jose'
import { statement } from '#platform/db/statement.ts'

/** SQL: whether the pair `s` is valid now. */
const VALID = '(s.retired_at is null or s.retired_at > coalesce($now, clock_timestamp()))'

/** Returns the pair that signs. */
export const GET_SIGNING_KEY = statement<{ kid: string; sealed: Buffer }>(
  'signing-keys.get',
  /* sql */ `
  select kid, private_key_sealed as sealed from signing_keys
   where api_key_id = $1 and retired_at is null order by created_at desc, kid limit 1`,
)

export interface SigningKeyRow {
  kid: string
  publicJwk: JWK
  createdAt: Date
  retiredAt: Date | null
}

/** Lists the valid pairs of an API key, newest first; none for an unknown key. */
export const LIST_SIGNING_KEYS = statement<SigningKeyRow>(
  'signing-keys.list',
  /* sql */ `
  select s.kid, s.public_jwk as "publicJwk", s.created_at as "createdAt", s.retired_at as "retiredAt"
    from signing_keys s where s.api_key_id = $1 and ${VALID}
   order by s.retired_at is null desc, s.created_at desc, s.kid`,
)

/**
 * Expires every pair of a key in `$2` seconds (null: after the lifetime of its tokens), never later than before.
 * Deletes their private keys immediately. Runs under the lock of the key.
 */
export const RETIRE_SIGNING_KEYS = statement<never>(
  'signing-keys.retire',
  /* sql */ `
  update signing_keys s
     set retired_at = least(s.retired_at, coalesce($now, clock_timestamp())
                        + make_interval(secs => coalesce($2::int, k.user_token_lifetime_seconds))),
         private_key_sealed = null
    from api_keys k where k.api_key_id = $1 and s.api_key_id = $1`,
)

/** Runs under the lock of the key. */
export const DELETE_EXPIRED_SIGNING_KEYS = statement<never>(
  'signing-keys.delete-ended',
  `delete from signing_keys s where s.api_key_id = $1 and not ${VALID}`,
)

export const INSERT_SIGNING_KEY = statement<never>(
  'signing-keys.insert',
  'insert into signing_keys (api_key_id, kid, public_jwk, private_key_sealed) values ($1, $2, $3::jsonb, $4::bytea)',
)
