/** The schemas that have names of their own: components of the OpenAPI document, and types of the client. */
import { ListedResource, ListedUser } from './access-lists.ts'
import { PublicKey, WebhookSettings } from './advanced-webhook-config.ts'
import { ApiKeyName, ApiKeySummary, KeyType } from './api-keys.ts'
import { AuthToken, ListedAuthToken, TokenGracePeriod, TokenId, TokenOrigin } from './auth-tokens.ts'
import {
  AuthZenAction,
  AuthZenResource,
  AuthZenSubject,
  Configuration,
  DescribedEvaluations,
  Evaluation,
  EvaluationAnswer,
  EvaluationError,
  Evaluations,
  EvaluationsAnswer,
} from './authzen.ts'
import { Decision, DecisionReason, PermissionEntry, PermissionsByUser, Via } from './decisions.ts'
import { DocumentChange, DocumentFilter, DocumentInput, DocumentRecord } from './documents.ts'
import { DomainRequest } from './domain-requests.ts'
import { Domain } from './domains.ts'
import { BatchResult, ErrorEnvelope, ItemCode, ItemResult } from './envelope.ts'
import {
  Event,
  EventActorFilter,
  EventFilter,
  EventName,
  EventPage,
  EventResource,
  EventType,
  EventTypes,
} from './events.ts'
import { Alternative, ExplainedGrant, ExplainedResource, Explanation } from './explanations.ts'
import { FolderInput, FolderRecord } from './folders.ts'
import { GrantInput, ListedGrant } from './grants.ts'
import { DocumentId, FolderId, OrderBy, OrganizationId, PageSize, PageToken, UserGroupId, UserId } from './ids.ts'
import { Invitation, InvitationStatus, InvitationsPageSize, InvitationType, InvitedBy } from './invitations.ts'
import { KeyConfig } from './key-config.ts'
import { Migration, MigrationFailure } from './migrations.ts'
import { NamedOperator, Operator, OperatorId, OperatorRole } from './operators.ts'
import { OrganizationChange, OrganizationInput, OrganizationRecord } from './organizations.ts'
import { GrantSource, PermissionProviderConfig, ProvidedPermission } from './permission-provider.ts'
import {
  AccessRole,
  AccessType,
  BatchResultOfAccess,
  DefaultAccessRole,
  ExpiresAt,
  GrantedResource,
  GroupName,
  ReplaceExisting,
  ResourceName,
  ResourceType,
  TemporaryOnly,
} from './permissions.ts'
import { ProfileInput, ProfileRecord } from './profiles.ts'
import { SearchKind, SearchResult } from './search.ts'
import { EmailConfig, EmailServiceConfig, WebhookConfig, WebhookServiceConfig } from './service-configs.ts'
import { PublicKeys, SigningKeys } from './signing-keys.ts'
import { AffectedUser, EffectGroup, Membership, ResourceInside, SimulatedChange, Simulation } from './simulations.ts'
import { SsoConfig, SsoRoleRule } from './sso-config.ts'
import { HeldAccess, RevocationPreview, UserAccessRevocation } from './user-access.ts'
import { UserDataDeletion, UserEvent, UserGrant } from './user-data.ts'
import { UserGroupRecord, UserGroupUserResult } from './user-groups.ts'
import {
  DocumentUser,
  IncludeInvolvedDocuments,
  InvolvedDocument,
  LiveGrant,
  UserChange,
  UserInput,
  UserRecord,
} from './user-records.ts'
import { UserProperties } from './user-tokens.ts'
import { EndpointId, ListedWebhookEndpoint, WebhookEndpoint } from './webhook-endpoints.ts'
import { WebhookHealth } from './webhook-health.ts'
import { WebhookSecret } from './webhook-secrets.ts'
import { WebhookAttempt } from './webhooks.ts'
import { NewWorkspaceToken, WorkspaceToken } from './workspace-tokens.ts'
import { Workspace } from './workspaces.ts'

export const SCHEMAS = {
  AccessRole,
  AccessType,
  AffectedUser,
  Alternative,
  ApiKeyName,
  ApiKeySummary,
  AuthToken,
  AuthZenAction,
  AuthZenResource,
  AuthZenSubject,
  BatchResult,
  BatchResultOfAccess,
  Configuration,
  Decision,
  DecisionReason,
  DefaultAccessRole,
  DescribedEvaluations,
  DocumentChange,
  DocumentFilter,
  DocumentId,
  DocumentInput,
  DocumentRecord,
  DocumentUser,
  Domain,
  DomainRequest,
  EffectGroup,
  EmailConfig,
  EmailServiceConfig,
  EndpointId,
  ErrorEnvelope,
  Evaluation,
  EvaluationAnswer,
  EvaluationError,
  Evaluations,
  EvaluationsAnswer,
  Event,
  EventActorFilter,
  EventFilter,
  EventName,
  EventPage,
  EventResource,
  EventType,
  EventTypes,
  ExpiresAt,
  ExplainedGrant,
  ExplainedResource,
  Explanation,
  FolderId,
  FolderInput,
  FolderRecord,
  GrantInput,
  GrantSource,
  GrantedResource,
  GroupName,
  HeldAccess,
  IncludeInvolvedDocuments,
  Invitation,
  InvitationStatus,
  InvitationType,
  InvitationsPageSize,
  InvitedBy,
  InvolvedDocument,
  ItemCode,
  ItemResult,
  KeyConfig,
  KeyType,
  ListedAuthToken,
  ListedGrant,
  ListedResource,
  ListedUser,
  ListedWebhookEndpoint,
  LiveGrant,
  Membership,
  Migration,
  MigrationFailure,
  NamedOperator,
  NewWorkspaceToken,
  Operator,
  OperatorId,
  OperatorRole,
  OrderBy,
  OrganizationChange,
  OrganizationId,
  OrganizationInput,
  OrganizationRecord,
  PageSize,
  PageToken,
  PermissionEntry,
  PermissionProviderConfig,
  PermissionsByUser,
  ProfileInput,
  ProfileRecord,
  ProvidedPermission,
  PublicKey,
  PublicKeys,
  ReplaceExisting,
  ResourceInside,
  ResourceName,
  ResourceType,
  RevocationPreview,
  SearchKind,
  SearchResult,
  SigningKeys,
  SimulatedChange,
  Simulation,
  SsoConfig,
  SsoRoleRule,
  TemporaryOnly,
  TokenGracePeriod,
  TokenId,
  TokenOrigin,
  UserAccessRevocation,
  UserChange,
  UserDataDeletion,
  UserEvent,
  UserGrant,
  UserGroupId,
  UserGroupRecord,
  UserGroupUserResult,
  UserId,
  UserInput,
  UserProperties,
  UserRecord,
  Via,
  WebhookAttempt,
  WebhookConfig,
  WebhookEndpoint,
  WebhookHealth,
  WebhookSecret,
  WebhookServiceConfig,
  WebhookSettings,
  Workspace,
  WorkspaceToken,
}
