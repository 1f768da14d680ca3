/** Every operation of the API, in the order of the reference. The server, the OpenAPI document, the tests and the clients use this list. */
import { ACCESS_LIST_OPERATIONS } from './access-lists.ts'
import { ADVANCED_WEBHOOK_CONFIG_OPERATIONS } from './advanced-webhook-config.ts'
import { API_KEY_OPERATIONS } from './api-keys.ts'
import { AUTH_TOKEN_OPERATIONS } from './auth-tokens.ts'
import { DECISION_OPERATIONS } from './decisions.ts'
import { DISABLED_USER_OPERATIONS } from './disabled-users.ts'
import { DOCUMENT_USER_OPERATIONS } from './document-users.ts'
import { DOCUMENT_OPERATIONS } from './documents.ts'
import { DOMAIN_REQUEST_OPERATIONS } from './domain-requests.ts'
import { DOMAIN_OPERATIONS } from './domains.ts'
import { EVENT_OPERATIONS } from './events.ts'
import { EXPLANATION_OPERATIONS } from './explanations.ts'
import { FOLDER_OPERATIONS } from './folders.ts'
import { GRANT_OPERATIONS } from './grants.ts'
import { INVITATION_OPERATIONS } from './invitations.ts'
import { KEY_CONFIG_OPERATIONS } from './key-config.ts'
import { MIGRATION_OPERATIONS } from './migrations.ts'
import type { Operation } from './operation.ts'
import { OPERATOR_OPERATIONS } from './operators.ts'
import { ORGANIZATION_OPERATIONS } from './organizations.ts'
import { OWNER_EMAIL_OPERATIONS } from './owner-email.ts'
import { PERMISSION_PROVIDER_OPERATIONS } from './permission-provider.ts'
import { PERMISSION_OPERATIONS } from './permissions.ts'
import { PROFILE_OPERATIONS } from './profiles.ts'
import { SEARCH_OPERATIONS } from './search.ts'
import { SERVICE_CONFIG_OPERATIONS } from './service-configs.ts'
import { SIGNING_KEY_OPERATIONS } from './signing-keys.ts'
import { SIMULATION_OPERATIONS } from './simulations.ts'
import { SSO_CONFIG_OPERATIONS } from './sso-config.ts'
import { USER_ACCESS_OPERATIONS } from './user-access.ts'
import { USER_DATA_OPERATIONS } from './user-data.ts'
import { USER_GROUP_OPERATIONS } from './user-groups.ts'
import { USER_TOKEN_OPERATIONS } from './user-tokens.ts'
import { USER_OPERATIONS } from './users.ts'
import { WEBHOOK_ENDPOINT_OPERATIONS } from './webhook-endpoints.ts'
import { WEBHOOK_SECRET_OPERATIONS } from './webhook-secrets.ts'
import { WEBHOOK_OPERATIONS } from './webhooks.ts'
import { WORKSPACE_TOKEN_OPERATIONS } from './workspace-tokens.ts'
import { WORKSPACE_OPERATIONS } from './workspaces.ts'

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
  ...PERMISSION_PROVIDER_OPERATIONS,
  ...ADVANCED_WEBHOOK_CONFIG_OPERATIONS,
  ...WEBHOOK_ENDPOINT_OPERATIONS,
  ...WEBHOOK_SECRET_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...DOMAIN_OPERATIONS,
  ...DOMAIN_REQUEST_OPERATIONS,
  ...EVENT_OPERATIONS,
  ...ORGANIZATION_OPERATIONS,
  ...FOLDER_OPERATIONS,
  ...DOCUMENT_OPERATIONS,
  ...MIGRATION_OPERATIONS,
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
  ...USER_TOKEN_OPERATIONS,
  ...SIGNING_KEY_OPERATIONS,
  ...SEARCH_OPERATIONS,
]
