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

/** Returns the statements of one service, whose columns these are. `set` runs under the lock of the key. */
const serviceStatements = (name: string, enabled: string, config: string, sealed: string) => ({
  get: statement<ServiceRow>(
    `${name}.get`,
    `select ${enabled} as enabled, ${config} as config, ${sealed} as sealed from api_keys where api_key_id = $1`,
  ),
  set: statement<never>(
    `${name}.update`,
    `update api_keys set ${enabled} = $2, ${config} = $3::jsonb, ${sealed} = $4::bytea where api_key_id = $1`,
  ),
})

export const EMAIL_STATEMENTS = serviceStatements(
  'email-config',
  'use_email_service',
  'email_service_config',
  'email_service_key_sealed',
)
export const WEBHOOK_STATEMENTS = serviceStatements(
  'webhook-config',
  'use_webhook_service',
  'webhook_service_config',
  'webhook_service_token_sealed',
)
export const PERMISSION_PROVIDER_STATEMENTS = serviceStatements(
  'permission-provider-config',
  'use_permission_provider',
  'permission_provider_config',
  'permission_provider_token_sealed',
)

/** Settings whose fields nest, as they were given; null if they never were. */
export interface NestedRow {
  config: object | null
  nowMs: number
}

const NOW_MS = `floor(extract(epoch from coalesce($now, clock_timestamp())) * 1000)::float8 as "nowMs"`

/** Returns the statements for settings that are stored in one column. */
const nestedStatements = (name: string, config: string) => ({
  get: statement<NestedRow>(`${name}.get`, `select ${config} as config, ${NOW_MS} from api_keys where api_key_id = $1`),
  set: statement<never>(`${name}.update`, `update api_keys set ${config} = $2::jsonb where api_key_id = $1`),
})

export const NOTIFICATION_STATEMENTS = nestedStatements('notification-config', 'notification_config')
export const ACTIVITY_STATEMENTS = nestedStatements('activity-config', 'activity_config')
