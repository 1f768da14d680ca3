/** Names of fields as people read them: those of settings are the labels of the console, others are the words of the name. */

const NAMES: Readonly<Record<string, string>> = {
  organizationName: 'name',
  folderName: 'name',
  documentName: 'name',
  groupName: 'name',
  isEnabled: 'enabled',
  url: 'URL',
  clientId: 'client id',
  uid: 'id of the caller',
  apiKey: 'API key',
  // Settings of a key.
  defaultDocumentAccessType: 'default access type',
  requireAutoOrgUser: 'make users members when they sign in',
  userSharing: 'sharing by users',
  userTokenLifetimeSeconds: 'lifetime of user tokens',
  expiringSoonSeconds: 'announcement of expiring grants',
  isPrivateCommentsEnabled: 'private threads',
  enablePrivateComments: 'private threads',
  // Services of a key, and their switches.
  emailServiceConfig: 'e-mail',
  useEmailService: 'send e-mail',
  fromEmail: 'from e-mail',
  commentTemplateId: 'template of replies',
  tagTemplateId: 'template of mentions',
  templateIds: 'templates',
  documentUrl: 'page of a document',
  webhookServiceConfig: 'basic webhooks',
  useWebhookService: 'send webhooks to the basic URLs',
  rawNotificationUrl: 'URL for raw notifications',
  processedNotificationUrl: 'URL for processed notifications',
  advancedWebhookConfig: 'signed webhooks',
  encodeData: 'encode payloads',
  encryptData: 'encrypt payloads',
  permissionProviderConfig: 'permission provider',
  usePermissionProvider: 'ask the permission provider',
  permissionProviderUrl: 'URL of the permission provider',
  notificationServiceConfig: 'notifications',
  useNotificationService: 'notify of comments',
  delayConfig: 'hold back',
  batchConfig: 'batches',
  batchWindowSeconds: 'time from the first comment',
  maxActivities: 'comments that fill it',
  activityServiceConfig: 'activities',
}

/** Whether the value of the field is a number of seconds. */
export const isSpan = (field: string): boolean => /[a-z]Seconds$/.test(field)

/** `defaultDocumentAccessType` → `default access type`, `delaySeconds` → `delay`. */
export const fieldInWords = (field: string): string =>
  NAMES[field] ??
  field
    .replace(/([a-z])Seconds$/, '$1')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
