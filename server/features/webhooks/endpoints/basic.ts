/** The two basic webhook URLs of an API key, which are set when the key is created or by `workspace/webhookconfig/update`. */
import { COMMENT_EVENT_TYPES } from '#contract/comments/triggers.ts'
import type { WebhookServiceConfig } from '#contract/keys/service-configs.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { assertOutgoingUrl } from '#platform/outbound/outgoing-url.ts'
import type { KeyOfActor } from '#tenancy/callers/caller.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { assertPublicKey, plainPublicKey } from './public-keys.ts'
import { setBasic } from './settings.ts'

const FIELD = 'webhookServiceConfig'

export function createBasicWebhooks({ config }: Pick<Kernel, 'config'>) {
  const allowPrivate = config.WEBHOOK_ALLOW_PRIVATE
  return {
    /** Returns the given fields in stored form; refuses an invalid URL or key. */
    check<Given extends WebhookServiceConfig>(given: Given, before: WebhookServiceConfig = {}): Given {
      assertOutgoingUrl(`${FIELD}.rawNotificationUrl`, given.rawNotificationUrl, allowPrivate)
      assertOutgoingUrl(`${FIELD}.processedNotificationUrl`, given.processedNotificationUrl, allowPrivate)
      const { publicKey } = given
      const key = publicKey === undefined ? {} : { publicKey: plainPublicKey(`${FIELD}.publicKey`, publicKey) }
      const triggers = given.triggers === undefined ? {} : { triggers: nested(given.triggers) }
      const checked = { ...given, ...key, ...triggers }
      assertPublicKey(`${FIELD}.publicKey`, { ...before, ...checked })
      return checked
    },

    /** Called when a key is created. */
    async created(session: Session, apiKeyId: string, isOn: boolean, config: WebhookServiceConfig): Promise<void> {
      if (isOn) await setBasic(session, apiKeyId, isOn, config)
    },

    /** Called for every update; enables endpoints that were disabled after failures. */
    async updated(
      session: Session,
      { apiKeyId, workspaceId, actor }: KeyOfActor,
      { enabled, config }: { enabled: boolean; config: WebhookServiceConfig },
    ): Promise<void> {
      const again = await setBasic(session, apiKeyId, enabled, config)
      if (again.length === 0) return
      const event = { type: 'webhook_endpoint.enabled' as const, workspaceId, apiKeyId, actor }
      await recordStreamEvents(
        session,
        again.map((endpointId) => ({ ...event, after: { endpointId } })),
      )
    },
  }
}

/** Returns triggers with the event types of comments in their group, whichever way they were given. */
function nested({ comment, ...given }: NonNullable<WebhookServiceConfig['triggers']>) {
  const entries = Object.entries(given)
  const types = entries.filter(([name]) => COMMENT_EVENT_TYPES.includes(name))
  const others = entries.filter(([name]) => !COMMENT_EVENT_TYPES.includes(name))
  const hasAny = comment !== undefined || types.length > 0
  return { ...Object.fromEntries(others), ...(hasAny && { comment: { ...Object.fromEntries(types), ...comment } }) }
}
