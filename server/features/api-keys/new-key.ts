/** Validates the settings of a new API key and fills in defaults (rules/keys.md#api-keys). */

import { accessRoles, rolesFault } from '#contract/access/permissions.ts'
import type { WorkspaceId } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { createApiKey, KeyType } from '#contract/keys/api-keys.ts'
import { allowableDomains, LOCAL_HOSTS } from '#features/domains/shared.ts'
import { mergedDeeply, standardTriggers, triggersOff } from '#features/service-configs/shared.ts'
import { invalidArgument } from '#platform/status-error.ts'
import { accessRoleIsUnknown } from '#tenancy/writes/commenter.ts'

export type NewApiKey = DataOf<typeof createApiKey>

/** Converts “ada.l@example.com” to “Ada.l Test API Key” (rules/keys.md#api-keys). */
export function defaultKeyName(ownerEmail: string, type: KeyType): string {
  const local = ownerEmail.slice(0, ownerEmail.lastIndexOf('@'))
  return `${local.charAt(0).toUpperCase()}${local.slice(1)} ${type === 'production' ? 'Production' : 'Test'} API Key`
}

/** Returns the normalized allowed domains, with the local hosts if requested. */
export function allowedDomains({ allowedDomains = [], addLocalHostToAllowedDomains }: NewApiKey): string[] {
  const field = 'allowedDomains'
  const given = allowableDomains(field, allowedDomains)
  const domains = addLocalHostToAllowedDomains ? [...new Set([...given, ...LOCAL_HOSTS])] : given
  if (domains.length > LIMITS.domainsMax)
    throw invalidArgument([
      { field, message: `${field} must not have more than ${LIMITS.domainsMax} items, including the local hosts` },
    ])
  return domains
}

/** Refuses a production key without a plan. */
export function requirePlan({ type, planInfo, customPlanInfo }: NewApiKey): void {
  if (type === 'production' && planInfo?.type === undefined && customPlanInfo !== true)
    throw invalidArgument([
      {
        field: 'planInfo',
        message: 'planInfo with a type, or customPlanInfo: true, is required when type is "production"',
      },
    ])
}

/** Refuses a key for a workspace to which the credentials do not belong. */
export function requireOwnWorkspace({ workspaceId }: NewApiKey, own: WorkspaceId): void {
  if (workspaceId !== undefined && workspaceId !== own)
    throw invalidArgument([
      { field: 'workspaceId', message: 'workspaceId must be equal to the workspace id of the credentials' },
    ])
}

/** Returns the plan to store. `customPlanInfoData` is ignored without `customPlanInfo: true` (rules/keys.md#api-keys). */
export const planOf = ({ planInfo, customPlanInfo, customPlanInfoData }: NewApiKey): object => ({
  ...(planInfo === undefined ? {} : { planInfo }),
  ...(customPlanInfo ? { customPlanInfo, customPlanInfoData: customPlanInfoData ?? {} } : {}),
})

/** Returns the settings of notifications to store, as JSON; null if the call gives none. */
export const notificationSettings = ({
  useNotificationService,
  setDefaultNotificationTriggers = true,
}: NewApiKey): string | null =>
  useNotificationService
    ? JSON.stringify({
        useNotificationService,
        notificationServiceConfig: {
          triggers: setDefaultNotificationTriggers ? standardTriggers() : triggersOff(),
        },
      })
    : null

/** Returns the e-mail settings, with the triggers of comments beneath the given ones if the call asks for them. */
export function emailSettings({ emailServiceConfig = {}, useEmailService, setDefaultEmailTriggers }: NewApiKey) {
  if (!useEmailService || !setDefaultEmailTriggers) return emailServiceConfig
  return { ...emailServiceConfig, triggers: mergedDeeply(standardTriggers(), emailServiceConfig.triggers ?? {}) }
}

/** Returns whether the key has the role `commenter`. Refuses roles that no key can have, and a default role that this one does not have. */
export function hasCommenterRole({ accessRoles: roles = accessRoles(false), defaultAccessRole }: NewApiKey): boolean {
  const fault = rolesFault(roles)
  if (fault !== undefined) throw invalidArgument([fault])
  const hasCommenter = roles.includes('commenter')
  if (!hasCommenter && defaultAccessRole === 'commenter') throw accessRoleIsUnknown('defaultAccessRole')
  return hasCommenter
}
