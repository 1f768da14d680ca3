/** The SQL statements of webhook endpoints and their settings. Changes run under the lock of the API key. */
import { setStatement, statement } from '#platform/db/statement.ts'

export type EndpointKind = 'raw' | 'processed' | 'signed'

export interface SettingsRow {
  isEnabled: boolean
  encodeData: boolean
  encryptData: boolean
  publicKey: string
}

export const GET_WEBHOOK_SETTINGS = statement<SettingsRow>(
  'advanced-webhook-config.get',
  /* sql */ `
  select is_enabled as "isEnabled", encode_data as "encodeData", encrypt_data as "encryptData", public_key as "publicKey"
    from webhook_settings where api_key_id = $1`,
)

export const SET_WEBHOOK_SETTINGS = statement<never>(
  'advanced-webhook-config.update',
  /* sql */ `
  insert into webhook_settings (api_key_id, is_enabled, encode_data, encrypt_data, public_key) values ($1, $2, $3, $4, $5)
  on conflict (api_key_id) do update
     set is_enabled = excluded.is_enabled, encode_data = excluded.encode_data, encrypt_data = excluded.encrypt_data,
         public_key = excluded.public_key`,
)

/** Sets `active`. An inactive endpoint has nothing due; one that becomes active receives only events from now on. */
const SET_ACTIVE = (active: string, of = '', dueAt = `${of}due_at`): string =>
  `active = ${active}, due_at = case when ${active} then ${dueAt} end,
         active_since = case when ${of}active then ${of}active_since else clock_timestamp() end`

/** SQL: when an endpoint is due, which may get the URL `url`. What waits for a new URL does not wait for the old one. */
const dueAt = (url: string, of = ''): string =>
  `case when ${of}url = ${url} then ${of}due_at else coalesce($now, clock_timestamp()) end`

/** Enables or disables all signed endpoints of a key. */
export const SWITCH_WEBHOOK_ENDPOINTS = statement<never>(
  'webhook-endpoints.switch',
  /* sql */ `
  update webhook_endpoints set ${SET_ACTIVE('(not disabled and $2::boolean)')}
   where api_key_id = $1 and kind = 'signed' and active <> (not disabled and $2::boolean)`,
)

/** Deletes pending deliveries to inactive endpoints of a key. Runs as a separate statement after they became inactive. */
export const DROP_IDLE_DELIVERIES = statement<never>(
  'webhook-deliveries.drop',
  /* sql */ `
  delete from webhook_deliveries d
   using webhook_endpoints e
   where e.api_key_id = $1 and not e.active and d.endpoint_key = e.endpoint_key`,
)

export interface EndpointRow {
  endpointKey: number
  id: string
  url: string
  description: string | null
  filterTypes: string[] | null
  channels: string[] | null
  rateLimit: number | null
  uid: string | null
  metadata: Record<string, unknown>
  disabled: boolean
  active: boolean
  createdAt: Date
  updatedAt: Date
}

const ENDPOINT = /* sql */ `
  endpoint_key as "endpointKey", endpoint_id as id, url, description, filter_types as "filterTypes", channels,
  rate_limit as "rateLimit", uid, metadata, disabled, active, created_at as "createdAt", updated_at as "updatedAt"`

export const COUNT_WEBHOOK_ENDPOINTS = statement<{ count: number }>(
  'webhook-endpoints.count',
  `select count(*) as count from webhook_endpoints where api_key_id = $1 and kind = 'signed'`,
)

/** Creates an endpoint; returns no row if the `uid` is taken. */
export const CREATE_WEBHOOK_ENDPOINT = statement<EndpointRow>(
  'webhook-endpoints.create',
  /* sql */ `
  insert into webhook_endpoints (api_key_id, endpoint_id, kind, url, description, filter_types, channels, disabled, active,
                                 rate_limit, uid, metadata, secret_sealed, created_at, updated_at)
  select $1, $2, 'signed', $3, $4, $5::text[], $6::text[], $7::boolean, not $7::boolean, $8, $9, $10::jsonb, $11::bytea, now, now
    from (select coalesce($now, clock_timestamp()) as now) moment
  on conflict (api_key_id, uid) where uid is not null do nothing
  returning ${ENDPOINT}`,
)

/** Lists at most `$3` endpoints after `$2` in id order. */
export const LIST_WEBHOOK_ENDPOINTS = statement<EndpointRow>(
  'webhook-endpoints.get',
  /* sql */ `
  select ${ENDPOINT} from webhook_endpoints
   where api_key_id = $1 and kind = 'signed' and endpoint_id > $2 order by endpoint_id limit $3::int`,
)

/** Lists at most `$3` endpoints before `$2` in descending id order. */
export const LIST_WEBHOOK_ENDPOINTS_BEFORE = statement<EndpointRow>(
  'webhook-endpoints.get-before',
  /* sql */ `
  select ${ENDPOINT} from webhook_endpoints
   where api_key_id = $1 and kind = 'signed' and endpoint_id < $2 order by endpoint_id desc limit $3::int`,
)

/** Returns an endpoint of any kind. */
export const GET_WEBHOOK_ENDPOINT = statement<EndpointRow & { kind: EndpointKind; secretSealed: Buffer | null }>(
  'webhook-endpoints.get-one',
  /* sql */ `
  select ${ENDPOINT}, kind, secret_sealed as "secretSealed" from webhook_endpoints where api_key_id = $1 and endpoint_id = $2`,
)

/** Updates an endpoint. Enabling it again clears its failures, as a new URL does, which has not asked for a pause either. */
export const UPDATE_WEBHOOK_ENDPOINT = statement<EndpointRow>(
  'webhook-endpoints.update',
  /* sql */ `
  update webhook_endpoints
     set url = $2, description = $3, filter_types = $4::text[], channels = $5::text[], rate_limit = $6, metadata = $7::jsonb,
         failing_since = case when $8::boolean or disabled or url <> $2 then null else failing_since end,
         paced_until = case when rate_limit is not distinct from $6 and url = $2 then paced_until end,
         disabled = $8::boolean, ${SET_ACTIVE('not $8::boolean', '', dueAt('$2'))}, updated_at = coalesce($now, clock_timestamp())
   where endpoint_key = $1
  returning ${ENDPOINT}`,
)

export const DELETE_WEBHOOK_ENDPOINT = statement<never>(
  'webhook-endpoints.delete',
  'delete from webhook_endpoints where endpoint_key = $1',
)

/** Replaces the secret. The previous one also signs for `$3` seconds. */
export const ROTATE_WEBHOOK_SECRET = statement<never>(
  'webhook-secrets.rotate',
  /* sql */ `
  update webhook_endpoints
     set previous_secret_sealed = case when $3::int > 0 then secret_sealed end,
         previous_secret_until = coalesce($now, clock_timestamp()) + make_interval(secs => $3::int),
         secret_sealed = $2::bytea, updated_at = coalesce($now, clock_timestamp())
   where endpoint_key = $1`,
)

export interface BasicRow {
  kind: 'raw' | 'processed'
  url: string
  active: boolean
}

/** Updates the endpoints of a key's two basic URLs to its settings. Enables those that were disabled after failures, and returns them. */
export const SET_BASIC_ENDPOINTS = setStatement<BasicRow & { apiKeyId: string }, { kind: string }>(
  'webhook-endpoints.set-basic',
  { apiKeyId: 'text', kind: 'text', url: 'text', active: 'boolean' },
  /* sql */ `
  with configured as materialized (select * from $input),
  before as materialized (
    select e.kind, e.disabled from configured w
     cross join lateral (
       select * from webhook_endpoints e where e.api_key_id = w.api_key_id and e.endpoint_id = w.kind limit 1
     ) e
  ),
  changed as (
    insert into webhook_endpoints as e (api_key_id, endpoint_id, kind, url, active)
    select api_key_id, kind, kind, url, active from configured
     where active or exists (select from before b where b.kind = configured.kind)
    on conflict (api_key_id, endpoint_id) do update
       set url = excluded.url, disabled = false, ${SET_ACTIVE('excluded.active', 'e.', dueAt('excluded.url', 'e.'))},
           failing_since = case when e.disabled or e.url <> excluded.url then null else e.failing_since end,
           paced_until = case when e.url = excluded.url then e.paced_until end,
           updated_at = clock_timestamp()
     where e.url <> excluded.url or e.disabled or e.active <> excluded.active
  )
  select kind from before where disabled`,
)

/** Returns whether any webhook of a key needs its events. */
export const NEEDS_EVENTS = statement<{ needed: boolean }>(
  'webhook-endpoints.need-events',
  /* sql */ `
  select exists (select from webhook_settings s where s.api_key_id = $1 and s.is_enabled)
      or exists (select from webhook_endpoints e where e.api_key_id = $1 and e.kind <> 'signed' and e.active) as needed`,
)
