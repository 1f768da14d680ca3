/** Every operation of the API, in the order of the reference. The server, the OpenAPI document, the tests and the clients use this list. */

import { ACCESS_LIST_OPERATIONS } from './access/access-lists.ts'
import { DECISION_OPERATIONS } from './access/decisions.ts'
import { EXPLANATION_OPERATIONS } from './access/explanations.ts'
import { FINDING_OPERATIONS } from './access/findings.ts'
import { GRANT_OPERATIONS } from './access/grants.ts'
import { PERMISSION_PROVIDER_OPERATIONS } from './access/permission-provider.ts'
import { PERMISSION_OPERATIONS } from './access/permissions.ts'
import { SHARING_OPERATIONS } from './access/sharing.ts'
import { SHARING_CHANGE_OPERATIONS } from './access/sharing-changes.ts'
import { SIMULATION_OPERATIONS } from './access/simulations.ts'
import { ACTIVITY_OPERATIONS } from './activities/activities.ts'
import { COMMENT_DATA_OPERATIONS } from './comments/comment-data.ts'
import { COMMENT_OPERATIONS } from './comments/comments.ts'
import { COMMENT_MAIL_OPERATIONS } from './comments/mails.ts'
import { MENTIONABLE_OPERATIONS } from './comments/mentionable.ts'
import { SEEN_OPERATIONS } from './comments/seen.ts'
import { SUBSCRIPTION_OPERATIONS } from './comments/subscriptions.ts'
import { THREAD_OPERATIONS } from './comments/threads.ts'
import type { Operation } from './core/operation.ts'
import { EVENT_OPERATIONS } from './events/events.ts'
import { ACTIVITY_CONFIG_OPERATIONS } from './keys/activity-config.ts'
import { API_KEY_OPERATIONS } from './keys/api-keys.ts'
import { AUTH_TOKEN_OPERATIONS } from './keys/auth-tokens.ts'
import { DOMAIN_REQUEST_OPERATIONS } from './keys/domain-requests.ts'
import { DOMAIN_OPERATIONS } from './keys/domains.ts'
import { EMAIL_PREVIEW_OPERATIONS } from './keys/email-preview.ts'
import { KEY_CONFIG_OPERATIONS } from './keys/key-config.ts'
import { NOTIFICATION_CONFIG_OPERATIONS } from './keys/notification-config.ts'
import { SERVICE_CONFIG_OPERATIONS } from './keys/service-configs.ts'
import { SIGNING_KEY_OPERATIONS } from './keys/signing-keys.ts'
import { NOTIFICATION_OPERATIONS } from './notifications/notifications.ts'
import { NOTIFICATION_PREFERENCE_OPERATIONS } from './notifications/preferences.ts'
import { DOCUMENT_OPERATIONS } from './resources/documents.ts'
import { FOLDER_OPERATIONS } from './resources/folders.ts'
import { INVITATION_OPERATIONS } from './resources/invitations.ts'
import { MIGRATION_OPERATIONS } from './resources/migrations.ts'
import { ORGANIZATION_OPERATIONS } from './resources/organizations.ts'
import { SEARCH_OPERATIONS } from './resources/search.ts'
import { USAGE_OPERATIONS } from './usage/usage.ts'
import { DISABLED_USER_OPERATIONS } from './users/disabled-users.ts'
import { DOCUMENT_USER_OPERATIONS } from './users/document-users.ts'
import { PROFILE_OPERATIONS } from './users/profiles.ts'
import { USER_ACCESS_OPERATIONS } from './users/user-access.ts'
import { USER_DATA_OPERATIONS } from './users/user-data.ts'
import { USER_GROUP_OPERATIONS } from './users/user-groups.ts'
import { USER_TOKEN_OPERATIONS } from './users/user-tokens.ts'
import { USER_OPERATIONS } from './users/users.ts'
import { ADVANCED_WEBHOOK_CONFIG_OPERATIONS } from './webhooks/config.ts'
import { WEBHOOK_ENDPOINT_OPERATIONS } from './webhooks/endpoints.ts'
import { WEBHOOK_OPERATIONS } from './webhooks/messages.ts'
import { WEBHOOK_SECRET_OPERATIONS } from './webhooks/secrets.ts'
import { OPERATOR_OPERATIONS } from './workspace/operators.ts'
import { OWNER_EMAIL_OPERATIONS } from './workspace/owner-email.ts'
import { SSO_CONFIG_OPERATIONS } from './workspace/sso-config.ts'
import { WORKSPACE_TOKEN_OPERATIONS } from './workspace/workspace-tokens.ts'
import { WORKSPACE_OPERATIONS } from './workspace/workspaces.ts'

export const OPERATIONS: readonly Operation[] = [
  ...WORKSPACE_OPERATIONS,
  ...WORKSPACE_TOKEN_OPERATIONS,
  ...OWNER_EMAIL_OPERATIONS,
  ...OPERATOR_OPERATIONS,
  ...SSO_CONFIG_OPERATIONS,
  ...API_KEY_OPERATIONS,
  ...AUTH_TOKEN_OPERATIONS,
  ...KEY_CONFIG_OPERATIONS,
  ...SERVICE_CONFIG_OPERATIONS,
  ...EMAIL_PREVIEW_OPERATIONS,
  ...NOTIFICATION_CONFIG_OPERATIONS,
  ...ACTIVITY_CONFIG_OPERATIONS,
  ...PERMISSION_PROVIDER_OPERATIONS,
  ...ADVANCED_WEBHOOK_CONFIG_OPERATIONS,
  ...WEBHOOK_ENDPOINT_OPERATIONS,
  ...WEBHOOK_SECRET_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...DOMAIN_OPERATIONS,
  ...DOMAIN_REQUEST_OPERATIONS,
  ...EVENT_OPERATIONS,
  ...USAGE_OPERATIONS,
  ...FINDING_OPERATIONS,
  ...ORGANIZATION_OPERATIONS,
  ...FOLDER_OPERATIONS,
  ...DOCUMENT_OPERATIONS,
  ...MIGRATION_OPERATIONS,
  ...THREAD_OPERATIONS,
  ...SEEN_OPERATIONS,
  ...SUBSCRIPTION_OPERATIONS,
  ...MENTIONABLE_OPERATIONS,
  ...COMMENT_OPERATIONS,
  ...COMMENT_MAIL_OPERATIONS,
  ...USER_OPERATIONS,
  ...DOCUMENT_USER_OPERATIONS,
  ...DISABLED_USER_OPERATIONS,
  ...PROFILE_OPERATIONS,
  ...INVITATION_OPERATIONS,
  ...USER_GROUP_OPERATIONS,
  ...USER_DATA_OPERATIONS,
  ...USER_ACCESS_OPERATIONS,
  ...PERMISSION_OPERATIONS,
  ...DECISION_OPERATIONS,
  ...EXPLANATION_OPERATIONS,
  ...ACCESS_LIST_OPERATIONS,
  ...SIMULATION_OPERATIONS,
  ...GRANT_OPERATIONS,
  ...SHARING_OPERATIONS,
  ...SHARING_CHANGE_OPERATIONS,
  ...USER_TOKEN_OPERATIONS,
  ...SIGNING_KEY_OPERATIONS,
  ...ACTIVITY_OPERATIONS,
  ...NOTIFICATION_OPERATIONS,
  ...NOTIFICATION_PREFERENCE_OPERATIONS,
  ...COMMENT_DATA_OPERATIONS,
  ...SEARCH_OPERATIONS,
]

/** Returns the operation with a known name, such as `documents.add`. */
export function operationNamed(name: string): Operation {
  const found = OPERATIONS.find((operation) => operation.name === name)
  if (found === undefined) throw new Error(`no operation is named ${name}`)
  return found
}
