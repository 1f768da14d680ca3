/** The values of the form for a new API key, and the call that they lead to. */
import type { AccessRole, AccessType, CreateApiKeyData, DefaultAccessRole, KeyType } from '#sdk/generated/operations.ts'
import { changesOf } from '../../components/forms/use-settings.ts'
import { type EmailConfig, NEW_EMAIL_CONFIG } from './email-fields.tsx'
import { NEW_WEBHOOK_CONFIG, type WebhookConfig } from './webhook-fields.tsx'

export interface NewKey {
  type: KeyType
  ownerEmail: string
  apiKeyName: string
  createAuthToken: boolean
  planType: string
  allowedDomains: string[]
  addLocalHostToAllowedDomains: boolean
  defaultDocumentAccessType: AccessType
  defaultAccessRole: DefaultAccessRole
  accessRoles: AccessRole[]
  requireKnownResources: boolean
  email: EmailConfig
  webhooks: WebhookConfig
}

export const NEW_KEY: NewKey = {
  type: 'testing',
  ownerEmail: '',
  apiKeyName: '',
  createAuthToken: true,
  planType: '',
  allowedDomains: [],
  addLocalHostToAllowedDomains: false,
  defaultDocumentAccessType: 'restricted',
  defaultAccessRole: 'editor',
  accessRoles: ['viewer', 'editor'],
  requireKnownResources: false,
  email: NEW_EMAIL_CONFIG,
  webhooks: NEW_WEBHOOK_CONFIG,
}

/** Returns the faults of the values by field. */
export function faultsOf(key: NewKey): { ownerEmail?: string; planType?: string } {
  return {
    ...(key.ownerEmail.includes('@') ? {} : { ownerEmail: 'Enter an e-mail address.' }),
    ...(key.type === 'production' && key.planType === '' ? { planType: 'A production key needs a plan.' } : {}),
  }
}

export function createData(key: NewKey): CreateApiKeyData {
  const { type, ownerEmail, createAuthToken, addLocalHostToAllowedDomains, requireKnownResources } = key
  const { defaultDocumentAccessType, defaultAccessRole, accessRoles } = key
  return {
    type,
    ownerEmail,
    createAuthToken,
    addLocalHostToAllowedDomains,
    defaultDocumentAccessType,
    defaultAccessRole,
    accessRoles,
    requireKnownResources,
    ...(key.apiKeyName === '' ? {} : { apiKeyName: key.apiKeyName }),
    ...(key.planType === '' ? {} : { planInfo: { type: key.planType } }),
    ...(key.allowedDomains.length === 0 ? {} : { allowedDomains: key.allowedDomains }),
    ...changesOf(NEW_EMAIL_CONFIG, key.email),
    ...changesOf(NEW_WEBHOOK_CONFIG, key.webhooks),
  }
}
