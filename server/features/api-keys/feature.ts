/** API keys of a workspace. */
import {
  createApiKey,
  deleteApiKey,
  disableApiKey,
  enableApiKey,
  getApiKeys,
  updateApiKey,
} from '#contract/keys/api-keys.ts'
import { sendingWarnings } from '#features/service-configs/shared.ts'
import type { CreateFeature } from '#kernel'
import { publicByDefault } from '#tenancy/public-access.ts'
import { createApiKeys } from './operations.ts'

export const apiKeys: CreateFeature = (kernel) => ({
  routes(routes) {
    const apiKeys = kernel.use(createApiKeys)
    const hasSmtp = kernel.config.SMTP_URL !== undefined
    routes.withWorkspace(createApiKey, async (caller, data) => {
      const created = await apiKeys.create(caller, data)
      const { defaultDocumentAccessType: defaultAccessType = 'public', defaultAccessRole = 'editor' } = data
      const sending = sendingWarnings(data.useEmailService ?? false, data.emailServiceConfig ?? {}, hasSmtp)
      const open = publicByDefault({ defaultAccessType, defaultAccessRole })
      const warnings = [...(sending.warnings ?? []), ...(open.warnings ?? [])]
      return { data: created, ...(warnings.length > 0 && { warnings }) }
    })
    routes.withKeyOfWorkspace(updateApiKey, async (caller, data) => {
      await apiKeys.update(caller, data)
      return undefined
    })
    routes.withWorkspace(getApiKeys, (caller, data) => apiKeys.get(caller, data))
    routes.withKeyOfWorkspace(disableApiKey, async (caller, data) => {
      await apiKeys.setDisabled(caller, data, true)
      return undefined
    })
    routes.withKeyOfWorkspace(enableApiKey, async (caller, data) => {
      await apiKeys.setDisabled(caller, data, false)
      return undefined
    })
    routes.withKeyOfWorkspace(deleteApiKey, async (caller, data) => {
      await apiKeys.delete(caller, data)
      return undefined
    })
  },
})
