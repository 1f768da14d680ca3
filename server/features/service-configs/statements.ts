/**
 * The SQL statements of the settings of the services of an API key: e-mail, webhooks, the permission provider,
 * notifications and activities.
 */
import { statement } from '#platform/db/statement.ts'

/** The settings of one service. `config` has neither unset fields nor the secret. */
export interface ServiceRow {
  enabled: boolean
  config: object
  sealed: Buffer | null
}

export const GET_EMAIL_CONFIG = statement<ServiceRow>(
  'email-config.get',
  /* sql */ `
  select use_email_service as enabled, email_service_config as config, email_service_key_sealed as sealed
    from api_keys where api_key_id = $1`,
)

/** Runs under the lock of the key. */
export const SET_EMAIL_CONFIG = statement<never>(
  'email-config.update',
  /* sql */ `
  update api_keys set use_email_service = $2, email_service_config = $3::jsonb, email_service_key_sealed = $4::bytea
   where api_key_id = $1`,
)

export const GET_WEBHOOK_CONFIG = statement<ServiceRow>(
  'webhook-config.get',
  /* sql */ `
  select use_webhook_service as enabled, webhook_service_config as config, webhook_service_token_sealed as sealed
    from api_keys where api_key_id = $1`,
)

/** Runs under the lock of the key. */
export const SET_WEBHOOK_CONFIG = statement<never>(
  'webhook-config.update',
  /* sql */ `
  update api_keys set use_webhook_service = $2, webhook_service_config = $3::jsonb, webhook_service_token_sealed = $4::bytea
   where api_key_id = $1`,
)

export const GET_PERMISSION_PROVIDER_CONFIG = statement<ServiceRow>(
  'permission-provider-config.get',
  /* sql */ `
  select use_permission_provider as enabled, permission_provider_config as config, permission_provider_token_sealed as sealed
    from api_keys where api_key_id = $1`,
)

/** Runs under the lock of the key. */
export const SET_PERMISSION_PROVIDER_CONFIG = statement<never>(
  'permission-provider-config.update',
  /* sql */ `
  update api_keys set use_permission_provider = $2, permission_provider_config = $3::jsonb, permission_provider_token_sealed = $4::bytea
   where api_key_id = $1`,
)

/** Settings whose fields nest, as they were given; null if they never were. */
export interface NestedRow {
  config: object | null
  nowMs: number
}

const NOW_MS = `floor(extract(epoch from coalesce($now, clock_timestamp())) * 1000)::float8 as "nowMs"`

export const GET_NOTIFICATION_CONFIG = statement<NestedRow>(
  'notification-config.get',
  `select notification_config as config, ${NOW_MS} from api_keys where api_key_id = $1`,
)

/** Runs under the lock of the key. */
export const SET_NOTIFICATION_CONFIG = statement<never>(
  'notification-config.update',
  'update api_keys set notification_config = $2::jsonb where api_key_id = $1',
)

export const GET_ACTIVITY_CONFIG = statement<NestedRow>(
  'activity-config.get',
  `select activity_config as config, ${NOW_MS} from api_keys where api_key_id = $1`,
)

/** Runs under the lock of the key. */
export const SET_ACTIVITY_CONFIG = statement<never>(
  'activity-config.update',
  'update api_keys set activity_config = $2::jsonb where api_key_id = $1',
)
