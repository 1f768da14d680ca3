/** The settings of the services of API keys: e-mail, webhooks, the permission provider, notifications and activities. */
import { getPermissionProviderConfig, updatePermissionProviderConfig } from '#contract/access/permission-provider.ts'
import { getActivityConfig, updateActivityConfig } from '#contract/keys/activity-config.ts'
import { getNotificationConfig, updateNotificationConfig } from '#contract/keys/notification-config.ts'
import {
  getEmailConfig,
  getWebhookConfig,
  updateEmailConfig,
  updateWebhookConfig,
} from '#contract/keys/service-configs.ts'
import type { CreateFeature } from '#kernel'
import { createServiceConfigs } from './operations.ts'

export const serviceConfigs: CreateFeature = (kernel) => ({
  routes(routes) {
    const configs = kernel.use(createServiceConfigs)
    routes.withApiKey(getEmailConfig, async (caller) => ({ data: await configs.getEmail(caller) }))
    routes.withApiKey(updateEmailConfig, (caller, data) => configs.updateEmail(caller, data))
    routes.withApiKey(getWebhookConfig, async (caller) => ({ data: await configs.getWebhook(caller) }))
    routes.withApiKey(updateWebhookConfig, async (caller, data) => ({
      data: await configs.updateWebhook(caller, data),
    }))
    routes.withApiKey(getPermissionProviderConfig, async (caller) => ({
      data: await configs.getPermissionProvider(caller),
    }))
    routes.withApiKey(updatePermissionProviderConfig, async (caller, data) => ({
      data: await configs.updatePermissionProvider(caller, data),
    }))
    routes.withApiKey(getNotificationConfig, async (caller) => ({ data: await configs.getNotifications(caller) }))
    routes.withApiKey(updateNotificationConfig, async (caller, data) => ({
      data: await configs.updateNotifications(caller, data),
    }))
    routes.withApiKey(getActivityConfig, async (caller) => ({ data: await configs.getActivities(caller) }))
    routes.withApiKey(updateActivityConfig, async (caller, data) => ({
      data: await configs.updateActivities(caller, data),
    }))
  },
})
