/** The settings of signed endpoints and the two basic URLs of an API key. An API key follows its events if either is enabled. */
import { isDeepStrictEqual } from 'node:util'
import type { DataOf } from '#contract/core/operation.ts'
import type { WebhookServiceConfig } from '#contract/keys/service-configs.ts'
import type { updateAdvancedWebhookConfig, WebhookSettings } from '#contract/webhooks/config.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { credentialsInvalid, StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { startFollowing, stopFollowing } from '#tenancy/events/feed.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { changeApiKey } from '#tenancy/writes/api-key.ts'
import {
  DROP_IDLE_DELIVERIES,
  GET_WEBHOOK_SETTINGS,
  NEEDS_EVENTS,
  SET_BASIC_ENDPOINTS,
  SET_WEBHOOK_SETTINGS,
  SWITCH_WEBHOOK_ENDPOINTS,
} from './endpoint-statements.ts'
import { assertPublicKey, plainPublicKey } from './public-keys.ts'

const UNSET: Omit<WebhookSettings, 'enableDataProtection'> = {
  isEnabled: false,
  encodeData: false,
  encryptData: false,
  publicKey: '',
}

export function createWebhookSettings({ db }: { db: Db }) {
  const read = async (session: Session, { apiKeyId }: Caller) =>
    (await session.run(GET_WEBHOOK_SETTINGS, [apiKeyId]))[0]
  const shown = (settings: typeof UNSET): WebhookSettings => ({ ...settings, enableDataProtection: false })

  return {
    get: async (caller: Caller): Promise<WebhookSettings> => shown((await read(db, caller)) ?? UNSET),

    async update(caller: Caller, data: DataOf<typeof updateAdvancedWebhookConfig>): Promise<WebhookSettings> {
      const { apiKeyId, workspaceId, actor } = caller
      const { publicKey, ...given } = data
      const key = publicKey === undefined ? {} : { publicKey: plainPublicKey('publicKey', publicKey) }
      const work = async (session: Session) => {
        const before = await read(session, caller)
        if (before === undefined && data.isEnabled !== true) throw neverEnabled()
        const after = { ...(before ?? UNSET), ...given, ...key }
        assertPublicKey('publicKey', after)
        if (isDeepStrictEqual(before, after)) return shown(after)
        const { isEnabled, encodeData, encryptData } = after
        await session.run(SET_WEBHOOK_SETTINGS, [apiKeyId, isEnabled, encodeData, encryptData, after.publicKey])
        await session.run(SWITCH_WEBHOOK_ENDPOINTS, [apiKeyId, isEnabled])
        await applySwitches(session, apiKeyId)
        const change = { before: { advancedWebhookConfig: before ?? UNSET }, after: { advancedWebhookConfig: after } }
        await recordStreamEvents(session, [{ type: 'api_key.updated', workspaceId, apiKeyId, actor, ...change }])
        return shown(after)
      }
      return changeApiKey(db, caller, apiKeyId, work, credentialsInvalid)
    },
  }
}

/** Deletes deliveries to disabled endpoints, and follows the events of a key while any of its webhooks is enabled. */
async function applySwitches(session: Session, apiKeyId: string): Promise<void> {
  await session.run(DROP_IDLE_DELIVERIES, [apiKeyId])
  const [result] = await session.run(NEEDS_EVENTS, [apiKeyId])
  await (result?.needed === true ? startFollowing : stopFollowing)(session, 'webhooks', apiKeyId)
}

/** Applies the basic settings of a key in the transaction that has set them. Returns the URLs that were enabled again after failures. */
export async function setBasic(
  session: Session,
  apiKeyId: string,
  isOn: boolean,
  { rawNotificationUrl: raw = '', processedNotificationUrl: processed = '' }: WebhookServiceConfig,
): Promise<string[]> {
  const rows = Object.entries({ raw, processed } as const).map(([kind, url]) => ({
    ...{ apiKeyId, kind: kind as 'raw' | 'processed', url, active: isOn && url !== '' },
  }))
  const enabled = await session.runSet(SET_BASIC_ENDPOINTS, rows)
  await applySwitches(session, apiKeyId)
  return enabled.map(({ kind }) => kind)
}

const neverEnabled = () =>
  new StatusError(
    'FAILED_PRECONDITION',
    'advanced_webhooks_disabled',
    'Signed webhooks were never enabled; the first call must have isEnabled: true.',
  )
