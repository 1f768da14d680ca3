/** Every SQL text of user tokens: the keys that sign them. */
import { statement } from '#platform/db/statement.ts'

/** The key pair that signs now: the newest that is not retired. */
export const GET_SIGNING_KEY = statement<{ kid: string; sealed: Buffer }>(
  'user-tokens.signing-key',
  /* sql */ `
  select kid, private_key_sealed as sealed from signing_keys
   where api_key_id = $1 and retired_at is null order by created_at desc, kid limit 1`,
)

/** The public keys that verify tokens of an API key; none for an unknown key. */
export const GET_PUBLIC_KEYS = statement<{ jwk: object }>(
  'user-tokens.jwks',
  'select public_jwk as jwk from signing_keys where api_key_id = $1 and retired_at is null order by created_at, kid',
)
