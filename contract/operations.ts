/** Every operation of the API. The server, the OpenAPI document, the tests and the clients use this list. */
import { listPermittedResources, listPermittedUsers } from './access-lists.ts'
import { createApiKey, deleteApiKey, disableApiKey, enableApiKey, getApiKeys, updateApiKey } from './api-keys.ts'
import { createAuthToken, getAuthTokens, resetAuthToken, revokeAuthToken } from './auth-tokens.ts'
import { checkPermissions, getPermissions } from './decisions.ts'
import {
  addDocuments,
  countDocuments,
  deleteDocuments,
  disableDocuments,
  getDocuments,
  moveDocuments,
  setDocumentAccess,
  updateDocuments,
} from './documents.ts'
import { addDomains, deleteDomains, getDomains } from './domains.ts'
import { listAccountEvents, listEvents } from './events.ts'
import { explainPermissions } from './explanations.ts'
import { addFolders, deleteFolder, getFolders, setFolderAccess, updateFolders } from './folders.ts'
import { addGrants, listGrants } from './grants.ts'
import { getKeyConfig, updateKeyConfig } from './key-config.ts'
import { getMigrationStatus, listMigrations, migrateDocument } from './migrations.ts'
import type { Operation } from './operation.ts'
import {
  addOrganizations,
  deleteOrganizations,
  disableOrganizations,
  getOrganizations,
  updateOrganizations,
} from './organizations.ts'
import { addPermissions, removePermissions } from './permissions.ts'
import { listProfiles, setProfiles } from './profiles.ts'
import {
  getEmailConfig,
  getWebhookConfig,
  testEmailConfig,
  updateEmailConfig,
  updateWebhookConfig,
} from './service-configs.ts'
import { listSigningKeys, rotateSigningKeys } from './signing-keys.ts'
import { simulatePermissions } from './simulations.ts'
import { deleteUserData, getUserData, getUserDataDeletion } from './user-data.ts'
import {
  addUserGroups,
  addUserGroupUsers,
  deleteUserGroups,
  deleteUserGroupUsers,
  getUserGroups,
  updateUserGroups,
} from './user-groups.ts'
import { generateToken, revokeTokens, verifyToken } from './user-tokens.ts'
import { addUsers, countUsers, deleteUsers, getUsers, updateUsers } from './users.ts'
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getAdvancedWebhookConfig,
  getWebhookEndpoints,
  getWebhookSecret,
  rotateWebhookSecret,
  updateAdvancedWebhookConfig,
  updateWebhookEndpoint,
} from './webhook-endpoints.ts'
import { listWebhookAttempts, replayWebhookMessages, resendWebhookMessage, testWebhook } from './webhooks.ts'
import { createWorkspace, getWorkspace } from './workspaces.ts'

export const OPERATIONS: readonly Operation[] = [
  createWorkspace,
  getWorkspace,
  createApiKey,
  updateApiKey,
  getApiKeys,
  disableApiKey,
  enableApiKey,
  deleteApiKey,
  getAuthTokens,
  resetAuthToken,
  createAuthToken,
  revokeAuthToken,
  getKeyConfig,
  updateKeyConfig,
  getEmailConfig,
  updateEmailConfig,
  testEmailConfig,
  getWebhookConfig,
  updateWebhookConfig,
  getAdvancedWebhookConfig,
  updateAdvancedWebhookConfig,
  createWebhookEndpoint,
  getWebhookEndpoints,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookSecret,
  rotateWebhookSecret,
  listWebhookAttempts,
  resendWebhookMessage,
  replayWebhookMessages,
  testWebhook,
  addDomains,
  deleteDomains,
  getDomains,
  listEvents,
  listAccountEvents,
  addOrganizations,
  getOrganizations,
  updateOrganizations,
  disableOrganizations,
  deleteOrganizations,
  addFolders,
  getFolders,
  updateFolders,
  setFolderAccess,
  deleteFolder,
  addDocuments,
  getDocuments,
  countDocuments,
  updateDocuments,
  moveDocuments,
  setDocumentAccess,
  disableDocuments,
  deleteDocuments,
  migrateDocument,
  getMigrationStatus,
  listMigrations,
  addUsers,
  getUsers,
  countUsers,
  updateUsers,
  deleteUsers,
  listProfiles,
  setProfiles,
  addUserGroups,
  getUserGroups,
  updateUserGroups,
  deleteUserGroups,
  addUserGroupUsers,
  deleteUserGroupUsers,
  deleteUserData,
  getUserDataDeletion,
  getUserData,
  addPermissions,
  removePermissions,
  getPermissions,
  checkPermissions,
  explainPermissions,
  listPermittedResources,
  listPermittedUsers,
  simulatePermissions,
  listGrants,
  addGrants,
  generateToken,
  verifyToken,
  revokeTokens,
  rotateSigningKeys,
  listSigningKeys,
]
