/** Every SQL text of user tokens: the keys that sign them. */
import type { JWK } from 'jose'
import type { AccessType } from '#contract/permissions.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import type { RequestRow } from '#tenancy/organization-writes.ts'

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

export interface UserTokenAnswer extends RequestRow {
  defaultAccessType: AccessType
  disabled: boolean
  allowedDomains: string[]
  /** Null when the API key has no such key pair, or it is retired. */
  publicJwk: JWK | null
  now: Date
}

/** What a user token is checked against: a row for each API key that is there. Never cached: a retired key pair ends its tokens with the next request. */
export const CHECK_USER_TOKEN = setStatement<{ apiKeyId: string; kid: string } & RequestRow, UserTokenAnswer>(
  'user-tokens.check',
  { req: 'int', apiKeyId: 'text', kid: 'text' },
  /* sql */ `
  select item.req, k.default_access_type as "defaultAccessType", k.disabled_at is not null as disabled,
         k.allowed_domains as "allowedDomains", s.public_jwk as "publicJwk", coalesce($now, clock_timestamp()) as now
    from $input
    join api_keys k on k.api_key_id = item.api_key_id
    left join signing_keys s on s.api_key_id = item.api_key_id and s.kid = item.kid and s.retired_at is null`,
)
