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
  triggers: 'sent when',
  documentUrl: 'page of a document',
  webhookServiceConfig: 'basic webhooks',
  useWebhookService: 'send webhooks to the basic URLs',
  rawNotificationUrl: 'URL for raw notifications',
  processedNotificationUrl: 'URL for processed notifications',
  advancedWebhookConfig: 'signed webhooks',
  'signed.isEnabled': 'send to signed endpoints',
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
  // The triggers of mails and webhooks.
  'permission.added': 'access was granted',
  'permission.expiring': 'a grant is about to expire',
  'invitation.added': 'a person was invited',
  'api_key.created': 'an API key was created',
  'auth_token.reset': 'all auth tokens were replaced',
  'document.migration.completed': 'a document was migrated',
  'document.migration.failed': 'a document migration failed',
  'comment_annotation.add': 'a thread is started',
  'comment.add': 'a comment is added',
  'comment.update': 'a comment is changed',
  'comment.delete': 'a comment or thread is deleted',
  'comment_annotation.delete': 'a thread is deleted',
  'comment_annotation.custom_list_change': 'the list of a thread is changed',
  'comment_annotation.approve': 'a thread is approved',
  'comment_annotation.accept': 'a thread is accepted',
  'comment.accept': 'a comment is accepted',
  'comment_annotation.reject': 'a thread is rejected',
  'comment.reject': 'a comment is rejected',
  'comment.reaction_add': 'a reaction is added',
  'comment.reaction_delete': 'a reaction is removed',
  'comment_annotation.assign': 'a thread is assigned',
  'comment_annotation.status_change': 'the status is changed',
  'comment_annotation.priority_change': 'the priority is changed',
  'comment_annotation.access_mode_change': 'a thread becomes private or public',
  'comment_annotation.subscribe': 'somebody follows a thread',
  'comment_annotation.unsubscribe': 'somebody mutes a thread',
  'comment_annotation.suggestion_accept': 'a suggestion is accepted',
  'comment_annotation.suggestion_reject': 'a suggestion is rejected',
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

/** `emailServiceConfig.triggers.permission.added` → `e-mail: sent when: access was granted`; names of events have dots. */
export function pathInWords(path: string): string {
  if (NAMES[path] !== undefined) return NAMES[path]
  const [first = '', ...rest] = path.split('.')
  return rest.length === 0 ? fieldInWords(first) : `${fieldInWords(first)}: ${pathInWords(rest.join('.'))}`
}

export const capitalized = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

/** The name of a setting as the label of its field. */
export const labelOf = (field: string): string => capitalized(fieldInWords(field))
