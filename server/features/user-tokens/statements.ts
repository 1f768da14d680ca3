/** Every SQL text of user tokens: the keys that sign them. */
import { statement } from '#platform/db/statement.ts'

/** The key pair that signs now: the newest that is not retired; and how long what it signs is to live. */
export const GET_SIGNING_KEY = statement<{ kid: string; sealed: Buffer; lifetimeSeconds: number }>(
  'user-tokens.signing-key',
  /* sql */ `
  select s.kid, s.private_key_sealed as sealed, k.user_token_lifetime_seconds as "lifetimeSeconds"
    from signing_keys s join api_keys k on k.api_key_id = s.api_key_id
   where s.api_key_id = $1 and s.retired_at is null order by s.created_at desc, s.kid limit 1`,
)

/** The public keys that verify tokens of an API key; none for an unknown key. */
export const GET_PUBLIC_KEYS = statement<{ jwk: object }>(
  'user-tokens.jwks',
  'select public_jwk as jwk from signing_keys where api_key_id = $1 and retired_at is null order by created_at, kid',
)
