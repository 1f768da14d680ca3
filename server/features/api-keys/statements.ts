/** The SQL statements of API keys. */
import type { ApiKeySummary } from '#contract/keys/api-keys.ts'
import { statement } from '#platform/db/statement.ts'
import { byName, type Positioned } from '#tenancy/name-order.ts'

/** Inserts a key with its signing key and, if requested, its first auth token. */
export const INSERT_API_KEY = statement<{ authTokenId: string | null }>(
  'api-keys.create',
  /* sql */ `
  with key as (
    insert into api_keys (api_key_id, workspace_id, type, name, owner_email, plan, allowed_domains, require_known_resources,
                          use_email_service, email_service_config, email_service_key_sealed,
                          use_webhook_service, webhook_service_config, webhook_service_token_sealed, default_access_type,
                          default_access_role, require_auto_org_user, notification_config, private_comments_enabled, has_commenter)
    values ($1, $2, $3, $4, $5, $6::jsonb, $7::text[], $8, $9, $10::jsonb, $11::bytea, $12, $13::jsonb, $14::bytea,
            $21::access_type, $22::access_role, $23, $25::jsonb, $26, $27)
  ),
  token as (
    insert into auth_tokens (token_hash, api_key_id, name, token_sealed, origin)
    select $15::bytea, $1, $16::text, $17::bytea, $24::jsonb where $15::bytea is not null returning auth_token_id
  ),
  signing as (
    insert into signing_keys (api_key_id, kid, public_jwk, private_key_sealed) values ($1, $18, $19::jsonb, $20::bytea)
  )
  select (select auth_token_id from token) as "authTokenId"`,
)

export const COUNT_PRODUCTION_KEYS = statement<{ count: number }>(
  'api-keys.count-production',
  `select count(*) as count from api_keys where workspace_id = $1 and type = 'production'`,
)

/** Renames a key; returns the previous name, or no row if it is the same. Runs under the lock of the key. */
export const RENAME_API_KEY = statement<{ before: string }>(
  'api-keys.update',
  /* sql */ `
  with old as (select api_key_id, name from api_keys where api_key_id = $1)
  update api_keys k set name = $2 from old where k.api_key_id = old.api_key_id and old.name <> $2
  returning old.name as before`,
)

/** Disables or enables a key; returns a row if that changed anything. Runs under the lock of the key. */
export const DISABLE_API_KEY = statement<{ apiKeyId: string }>(
  'api-keys.disable',
  /* sql */ `
  update api_keys set disabled_at = case when $2::boolean then clock_timestamp() end
   where api_key_id = $1 and (disabled_at is not null) <> $2::boolean
  returning api_key_id as "apiKeyId"`,
)

/** Lists at most `$4` keys of a workspace in id order, after `$3`; only keys in `$2` and keys that `$5` finds; null: no such condition. */
export const GET_API_KEYS = statement<ApiKeySummary>(
  'api-keys.get',
  /* sql */ `
  select api_key_id as id, name as "apiKeyName", type, disabled_at is not null as disabled from api_keys
   where workspace_id = $1 and ($2::text[] is null or api_key_id = any ($2)) and api_key_id > coalesce($3::text, '')
     and ($5::text is null or position(search_fold($5) in search_fold(name)) > 0 or starts_with(api_key_id, $5))
   order by api_key_id limit $4::int`,
)

/** Lists them by name, after the position `$3`. No index has this order: a workspace has few keys. */
export const GET_API_KEYS_BY_NAME = byName(
  { name: 'k.name', id: 'k.api_key_id', after: '$3' },
  ({ orderBy, position, following, order }) =>
    statement<ApiKeySummary & Positioned>(
      `api-keys.get by ${orderBy}`,
      /* sql */ `
  select k.api_key_id as id, k.name as "apiKeyName", k.type, k.disabled_at is not null as disabled, ${position} from api_keys k
   where k.workspace_id = $1 and ($2::text[] is null or k.api_key_id = any ($2)) and ${following}
     and ($5::text is null or position(search_fold($5) in search_fold(k.name)) > 0 or starts_with(k.api_key_id, $5))
   order by ${order} limit $4::int`,
    ),
)
