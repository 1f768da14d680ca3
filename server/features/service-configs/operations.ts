/**
 * Reads and updates the settings of the services of an API key: e-mail, webhooks, the permission provider,
 * notifications and activities (rules/keys.md#service-settings).
 */

import type { PermissionProviderConfig, updatePermissionProviderConfig } from '#contract/access/permission-provider.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { ActivityConfig, updateActivityConfig } from '#contract/keys/activity-config.ts'
import type { NotificationConfig, updateNotificationConfig } from '#contract/keys/notification-config.ts'
import {
  type EmailConfig,
  MAIL_KINDS,
  type MailKind,
  type MailRecipient,
  type updateEmailConfig,
  type updateWebhookConfig,
  type WebhookConfig,
} from '#contract/keys/service-configs.ts'
import { createBasicWebhooks } from '#features/webhooks/shared.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { assertOutgoingUrl } from '#platform/outbound/outgoing-url.ts'
import type { Caller, KeyOfActor } from '#tenancy/callers/caller.ts'
import { startFollowing, stopFollowing } from '#tenancy/events/feed.ts'
import {
  activityConfig,
  createActivitySettings,
  createNotificationSettings,
  notificationConfig,
  webhookTriggers,
} from './notifications-and-activities.ts'
import { sendingWarnings } from './sending.ts'
import { createService, type Settings } from './service.ts'
import { EMAIL_STATEMENTS, PERMISSION_PROVIDER_STATEMENTS, WEBHOOK_STATEMENTS } from './statements.ts'

type EmailService = EmailConfig['emailServiceConfig']
type WebhookService = WebhookConfig['webhookServiceConfig']
type PermissionProvider = PermissionProviderConfig['permissionProviderConfig']

const eachKind = <Value>(value: (recipient: MailRecipient) => Value) =>
  Object.fromEntries(Object.entries(MAIL_KINDS).map(([kind, to]) => [kind, value(to)])) as Record<MailKind, Value>

const UNSET_EMAIL: EmailService = {
  type: 'default',
  apiKey: '',
  fromEmail: '',
  fromCompany: '',
  commentTemplateId: '',
  tagTemplateId: '',
  documentUrl: '',
  triggers: eachKind((recipient) => recipient !== 'user'),
  templateIds: eachKind(() => ''),
}

export function createServiceConfigs({ config, db, sealer, use }: Kernel) {
  const { check, updated } = use(createBasicWebhooks)
  const hasSmtp = config.SMTP_URL !== undefined
  const deps = { db, sealer, revealSecrets: config.REVEAL_SECRETS }
  const email = createService<EmailService>(deps, {
    ...EMAIL_STATEMENTS,
    column: 'email_service_key_sealed',
    secret: 'apiKey',
    unset: UNSET_EMAIL,
    names: ['useEmailService', 'emailServiceConfig'],
    switched: (session, apiKeyId, enabled) => (enabled ? startFollowing : stopFollowing)(session, 'mail', apiKeyId),
  })
  const webhook = createService<WebhookService>(deps, {
    ...WEBHOOK_STATEMENTS,
    column: 'webhook_service_token_sealed',
    secret: 'authToken',
    sentTo: ['rawNotificationUrl', 'processedNotificationUrl'],
    unset: {
      authToken: '',
      rawNotificationUrl: '',
      processedNotificationUrl: '',
      encodeData: false,
      encryptData: false,
      publicKey: '',
      triggers: webhookTriggers(),
    },
    names: ['useWebhookService', 'webhookServiceConfig'],
    check,
    updated,
  })
  const permissionProvider = createService<PermissionProvider>(deps, {
    ...PERMISSION_PROVIDER_STATEMENTS,
    column: 'permission_provider_token_sealed',
    secret: 'authToken',
    sentTo: ['permissionProviderUrl'],
    unset: { authToken: '', permissionProviderUrl: '' },
    names: ['usePermissionProvider', 'permissionProviderConfig'],
    check(given) {
      const field = 'permissionProviderConfig.permissionProviderUrl'
      assertOutgoingUrl(field, given.permissionProviderUrl, config.WEBHOOK_ALLOW_PRIVATE)
      return given
    },
  })

  const notifications = createNotificationSettings(db)
  const activities = createActivitySettings(db)

  const emailConfig = ({ enabled, config }: Settings<EmailService>): EmailConfig => ({
    useEmailService: enabled,
    emailServiceConfig: config,
  })
  const webhookConfig = ({ enabled, config }: Settings<WebhookService>): WebhookConfig => ({
    useWebhookService: enabled,
    webhookServiceConfig: config,
  })
  const permissionProviderConfig = ({ enabled, config }: Settings<PermissionProvider>): PermissionProviderConfig => ({
    usePermissionProvider: enabled,
    permissionProviderConfig: config,
  })

  return {
    /** Gives a key whose row is locked the settings of another, without secrets. */
    async copy(from: Session, sourceId: string, session: Session, target: KeyOfActor): Promise<void> {
      await email.copy(from, sourceId, session, target)
      await webhook.copy(from, sourceId, session, target)
      await permissionProvider.copy(from, sourceId, session, target)
      await notifications.copy(from, sourceId, session, target)
      await activities.copy(from, sourceId, session, target)
    },
    getEmail: async (caller: Caller) => emailConfig(await email.get(caller)),
    async updateEmail(caller: Caller, data: DataOf<typeof updateEmailConfig>) {
      const settings = await email.update(caller, data.useEmailService, data.emailServiceConfig)
      return { data: emailConfig(settings), ...sendingWarnings(settings.enabled, settings.config, hasSmtp) }
    },
    getWebhook: async (caller: Caller) => webhookConfig(await webhook.get(caller)),
    updateWebhook: async (caller: Caller, data: DataOf<typeof updateWebhookConfig>) =>
      webhookConfig(await webhook.update(caller, data.useWebhookService, data.webhookServiceConfig)),
    getNotifications: async (caller: Caller): Promise<NotificationConfig> =>
      notificationConfig(await notifications.get(caller)),
    updateNotifications: async (
      caller: Caller,
      data: DataOf<typeof updateNotificationConfig>,
    ): Promise<NotificationConfig> => notificationConfig(await notifications.update(caller, data)),
    getActivities: async (caller: Caller): Promise<ActivityConfig> => activityConfig(await activities.get(caller)),
    updateActivities: async (caller: Caller, data: DataOf<typeof updateActivityConfig>): Promise<ActivityConfig> =>
      activityConfig(await activities.update(caller, data)),
    getPermissionProvider: async (caller: Caller) => permissionProviderConfig(await permissionProvider.get(caller)),
    async updatePermissionProvider(caller: Caller, data: DataOf<typeof updatePermissionProviderConfig>) {
      const { usePermissionProvider, permissionProviderConfig: given } = data
      return permissionProviderConfig(await permissionProvider.update(caller, usePermissionProvider, given))
    },
  }
}
