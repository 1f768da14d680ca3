/** Every SQL text of signing keys. A pair without an end signs, one with an end verifies until then, and one that has ended counts for nothing. */
import type { JWK } from 'jose'
import { statement } from '#platform/db/statement.ts'

/** SQL: whether the pair `s` verifies now. */
const LIVE = '(s.retired_at is null or s.retired_at > coalesce($now, clock_timestamp()))'

/** The key pair that signs now. */
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

/** The live key pairs of an API key, newest first; none for an unknown key. */
export const LIST_SIGNING_KEYS = statement<SigningKeyRow>(
  'signing-keys.list',
  /* sql */ `
  select s.kid, s.public_jwk as "publicJwk", s.created_at as "createdAt", s.retired_at as "retiredAt"
    from signing_keys s where s.api_key_id = $1 and ${LIVE}
   order by s.retired_at is null desc, s.created_at desc, s.kid`,
)

/** Ends every pair of a key in `$2` seconds, null: after the lifetime of its tokens; none later than before. Their private halves go at once. Runs under the lock of the key. */
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
export const DELETE_ENDED_SIGNING_KEYS = statement<never>(
  'signing-keys.delete-ended',
  `delete from signing_keys s where s.api_key_id = $1 and not ${LIVE}`,
)

export const INSERT_SIGNING_KEY = statement<never>(
  'signing-keys.insert',
  'insert into signing_keys (api_key_id, kid, public_jwk, private_key_sealed) values ($1, $2, $3::jsonb, $4::bytea)',
)
