/** The SQL statements of the e-mail and webhook settings of an API key. */
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
