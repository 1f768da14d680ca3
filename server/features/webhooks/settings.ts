/** Where the events of an API key are sent at all: the switch of its signed endpoints, and its two basic URLs. Whether it follows its events hangs on both. */
import { isDeepStrictEqual } from 'node:util'
import type { DataOf } from '#contract/operation.ts'
import type { WebhookServiceConfig } from '#contract/service-configs.ts'
import type { updateAdvancedWebhookConfig, WebhookSettings } from '#contract/webhook-endpoints.ts'
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
import { assertPublicKey, plainPublicKey } from './targets.ts'

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
        await settle(session, apiKeyId)
        const change = { before: { advancedWebhookConfig: before ?? UNSET }, after: { advancedWebhookConfig: after } }
        await recordStreamEvents(session, [{ type: 'api_key.updated', workspaceId, apiKeyId, actor, ...change }])
        return shown(after)
      }
      return changeApiKey(db, caller, apiKeyId, work, credentialsInvalid)
    },
  }
}

/** What is switched off is sent nothing more, and a key follows its events while something of it is on. */
async function settle(session: Session, apiKeyId: string): Promise<void> {
  await session.run(DROP_IDLE_DELIVERIES, [apiKeyId])
  const [answer] = await session.run(NEEDS_EVENTS, [apiKeyId])
  await (answer?.needed === true ? startFollowing : stopFollowing)(session, 'webhooks', apiKeyId)
}

/** Follows what a key's basic settings say now, in the transaction that has set them. Answers the URLs that it enabled again after their failures. */
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
  await settle(session, apiKeyId)
  return enabled.map(({ kind }) => kind)
}

const neverEnabled = () =>
  new StatusError(
    'FAILED_PRECONDITION',
    'advanced_webhooks_disabled',
    'Advanced webhooks were never switched on; the first call must have isEnabled: true.',
  )
