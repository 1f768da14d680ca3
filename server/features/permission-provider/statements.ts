/** The SQL statements of permission providers: the settings for asking them, and the secret that signs their answers. */
import { statement } from '#platform/db/statement.ts'

export interface ProviderRow {
  url: string
  tokenSealed: Buffer | null
  /** Null: nothing was signed yet. */
  secretSealed: Buffer | null
  requireKnownResources: boolean
  hasCommenter: boolean
  now: Date
}

/** Returns a row if the provider is on and has a URL, and the API key is not disabled. */
export const GET_PERMISSION_PROVIDER = statement<ProviderRow>(
  'permission-provider.get',
  /* sql */ `
  select permission_provider_config ->> 'permissionProviderUrl' as url, permission_provider_token_sealed as "tokenSealed",
         signature_secret_sealed as "secretSealed", require_known_resources as "requireKnownResources",
         has_commenter as "hasCommenter", coalesce($now, clock_timestamp()) as now
    from api_keys
   where api_key_id = $1 and disabled_at is null
     and use_permission_provider and permission_provider_config ->> 'permissionProviderUrl' <> ''`,
)

/** The secret that signs the answers for an API key. */
export const GET_SIGNATURE_SECRET = statement<{ sealed: Buffer | null }>(
  'permission-signatures.get-secret',
  'select signature_secret_sealed as sealed from api_keys where api_key_id = $1',
)

/** Runs under the lock of the key. */
export const SET_SIGNATURE_SECRET = statement<never>(
  'permission-signatures.set-secret',
  'update api_keys set signature_secret_sealed = $2::bytea where api_key_id = $1',
)
