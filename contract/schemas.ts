/** The schemas that have names of their own: components of the OpenAPI document, and types of the client. */

import { ListedResource, ListedUser } from './access/access-lists.ts'
import * as authZen from './access/authzen.ts'
import { Decision, DecisionReason, PermissionEntry, PermissionsByUser, Via } from './access/decisions.ts'
import {
  AffectedPeople,
  Alternative,
  ExplainedGrant,
  ExplainedResource,
  Explanation,
  NearGrant,
  ThreadExplanation,
} from './access/explanations.ts'
import { AccountFinding, Finding, FindingFix } from './access/findings.ts'
import { GrantInput, ListedGrant } from './access/grants.ts'
import { GrantSource, PermissionProviderConfig, ProvidedPermission } from './access/permission-provider.ts'
import {
  AccessRole,
  AccessRoles,
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
} from './access/permissions.ts'
import * as sharing from './access/sharing.ts'
import * as sharingChanges from './access/sharing-changes.ts'
import {
  AffectedUser,
  EffectGroup,
  Membership,
  ResourceInside,
  SimulatedChange,
  Simulation,
} from './access/simulations.ts'
import { Activity, ActivityChange, ActivityId, ActivityInput, FeatureType } from './activities/activities.ts'
import { CommentAgent, ThreadSuggestion, ThreadVisibility } from './comments/agents.ts'
import { StoredDataKind, StoredListName } from './comments/comment-data.ts'
import { CommentChange, CommentInput, FirstComment, ThreadChange, ThreadInput } from './comments/inputs.ts'
import { LiveBody, LiveEvent, LiveRequest } from './comments/live.ts'
import { CommentMail, DelayedMail } from './comments/mails.ts'
import { MentionableUser } from './comments/mentionable.ts'
import {
  CommentAction,
  CommentActions,
  CommentAttachment,
  CommentContext,
  CommentId,
  CommentProgress,
  CommentStep,
  MentionedUser,
  PageInfo,
  TaggedUser,
  TargetElement,
  ThreadId,
  ThreadLocation,
  ThreadPriority,
  ThreadStatus,
} from './comments/parts.ts'
import { CommentAgentRecord, CommentRecord, ThreadRecord, ThreadSubscriber } from './comments/records.ts'
import { CommentResults } from './comments/results.ts'
import {
  ActivityData,
  CommentData,
  NotificationData,
  NotificationPreferenceData,
  NotificationRecipientData,
  ThreadData,
  ThreadUserData,
} from './comments/stored-data.ts'
import { Subscription } from './comments/subscriptions.ts'
import { CommentTriggers, HuddleTriggers } from './comments/triggers.ts'
import { BatchResult, ErrorEnvelope, ItemCode, ItemResult, WriteResult } from './core/envelope.ts'
import {
  DocumentId,
  FolderId,
  OrderBy,
  OrganizationId,
  PageSize,
  PageToken,
  TimeOrder,
  UserGroupId,
  UserId,
} from './core/ids.ts'
import { Warning, WarningCode, Warnings } from './core/warnings.ts'
import {
  Event,
  EventActor,
  EventActorFilter,
  EventFilter,
  EventName,
  EventPage,
  EventResource,
  EventType,
  EventTypes,
} from './events/events.ts'
import { ActivityConfig } from './keys/activity-config.ts'
import { ApiKeyName, ApiKeySummary, KeyType } from './keys/api-keys.ts'
import { AuthToken, ListedAuthToken, TokenGracePeriod, TokenId, TokenOrigin } from './keys/auth-tokens.ts'
import { DomainRequest } from './keys/domain-requests.ts'
import { Domain } from './keys/domains.ts'
import { KeyConfig, OpenedByDefault } from './keys/key-config.ts'
import {
  NotificationBatch,
  NotificationBatchChange,
  NotificationConfig,
  NotificationServiceConfig,
} from './keys/notification-config.ts'
import { EmailConfig, EmailServiceConfig, WebhookConfig, WebhookServiceConfig } from './keys/service-configs.ts'
import { PublicKeys, SigningKeys } from './keys/signing-keys.ts'
import {
  Notification,
  NotificationChange,
  NotificationContext,
  NotificationId,
  NotificationLocation,
  NotificationSource,
} from './notifications/notifications.ts'
import {
  InboxLevel,
  NotificationChannels,
  NotificationLevel,
  NotificationPreferences,
} from './notifications/preferences.ts'
import { DocumentChange, DocumentFilter, DocumentInput, DocumentRecord } from './resources/documents.ts'
import { FolderInput, FolderRecord } from './resources/folders.ts'
import {
  Invitation,
  InvitationStatus,
  InvitationsPageSize,
  InvitationType,
  InvitedBy,
} from './resources/invitations.ts'
import { Migration, MigrationFailure } from './resources/migrations.ts'
import { OrganizationChange, OrganizationInput, OrganizationRecord } from './resources/organizations.ts'
import { SearchKind, SearchResult } from './resources/search.ts'
import { UsageGranularity, UsagePeriod } from './usage/usage.ts'
import { ProfileInput, ProfileRecord } from './users/profiles.ts'
import { HeldAccess, RevocationPreview, UserAccessRevocation } from './users/user-access.ts'
import { UserDataDeletion, UserEvent, UserGrant, UserNotification } from './users/user-data.ts'
import { UserGroupRecord, UserGroupUserResult } from './users/user-groups.ts'
import {
  DocumentUser,
  IncludeInvolvedDocuments,
  InvolvedDocument,
  LiveGrant,
  UserChange,
  UserInput,
  UserRecord,
} from './users/user-records.ts'
import { User, UserRef } from './users/user-refs.ts'
import { UserProperties } from './users/user-tokens.ts'
import { PublicKey, WebhookSettings } from './webhooks/config.ts'
import { EndpointId, ListedWebhookEndpoint, WebhookEndpoint } from './webhooks/endpoints.ts'
import { WebhookHealth } from './webhooks/health.ts'
import { WebhookAttempt } from './webhooks/messages.ts'
import { WebhookSecret } from './webhooks/secrets.ts'
import { NamedOperator, Operator, OperatorId, OperatorRole } from './workspace/operators.ts'
import { SsoConfig, SsoDomain, SsoProblem, SsoRoleRule } from './workspace/sso-config.ts'
import { NewWorkspaceToken, WorkspaceToken } from './workspace/workspace-tokens.ts'
import { Workspace } from './workspace/workspaces.ts'

export const SCHEMAS = {
  AccessRole,
  AccessRoles,
  AccessType,
  AccountFinding,
  Activity,
  ActivityChange,
  ActivityConfig,
  ActivityData,
  ActivityId,
  ActivityInput,
  AffectedMembers: sharingChanges.AffectedMembers,
  AffectedPeople,
  AffectedUser,
  Alternative,
  ApiKeyName,
  ApiKeySummary,
  AuthToken,
  AuthZenAction: authZen.AuthZenAction,
  AuthZenResource: authZen.AuthZenResource,
  AuthZenSubject: authZen.AuthZenSubject,
  BatchResult,
  BatchResultOfAccess,
  CommentAction,
  CommentActions,
  CommentAgent,
  CommentAgentRecord,
  CommentAttachment,
  CommentChange,
  CommentContext,
  CommentData,
  CommentId,
  CommentInput,
  CommentMail,
  CommentProgress,
  CommentRecord,
  CommentResults,
  CommentStep,
  CommentTriggers,
  Configuration: authZen.Configuration,
  Decision,
  DecisionContext: authZen.DecisionContext,
  DecisionReason,
  DefaultAccessRole,
  DelayedMail,
  DescribedEvaluations: authZen.DescribedEvaluations,
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
  Evaluation: authZen.Evaluation,
  EvaluationAnswer: authZen.EvaluationAnswer,
  EvaluationError: authZen.EvaluationError,
  Evaluations: authZen.Evaluations,
  EvaluationsAnswer: authZen.EvaluationsAnswer,
  Event,
  EventActor,
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
  FeatureType,
  Finding,
  FindingFix,
  FirstComment,
  FolderId,
  FolderInput,
  FolderRecord,
  GrantInput,
  GrantSource,
  GrantedResource,
  GroupName,
  HeldAccess,
  HuddleTriggers,
  InboxLevel,
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
  LiveBody,
  LiveEvent,
  LiveGrant,
  LiveRequest,
  Membership,
  MentionableUser,
  MentionedUser,
  Migration,
  MigrationFailure,
  NamedOperator,
  NearGrant,
  NewWorkspaceToken,
  Notification,
  NotificationBatch,
  NotificationBatchChange,
  NotificationChange,
  NotificationChannels,
  NotificationConfig,
  NotificationContext,
  NotificationData,
  NotificationId,
  NotificationLevel,
  NotificationLocation,
  NotificationPreferenceData,
  NotificationPreferences,
  NotificationRecipientData,
  NotificationServiceConfig,
  NotificationSource,
  OpenedByDefault,
  Operator,
  OperatorId,
  OperatorRole,
  OrderBy,
  OrganizationChange,
  OrganizationId,
  OrganizationInput,
  OrganizationRecord,
  PageInfo,
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
  SharedAccess: sharing.SharedAccess,
  SharedVia: sharing.SharedVia,
  SharingChange: sharingChanges.SharingChange,
  SharingEntry: sharing.SharingEntry,
  SharingTarget: sharing.SharingTarget,
  SigningKeys,
  SimulatedChange,
  Simulation,
  SsoConfig,
  SsoDomain,
  SsoProblem,
  SsoRoleRule,
  StoredDataKind,
  StoredListName,
  Subscription,
  TaggedUser,
  TargetElement,
  TemporaryOnly,
  ThreadChange,
  ThreadData,
  ThreadExplanation,
  ThreadId,
  ThreadInput,
  ThreadLocation,
  ThreadPriority,
  ThreadRecord,
  ThreadStatus,
  ThreadSubscriber,
  ThreadSuggestion,
  ThreadUserData,
  ThreadVisibility,
  TimeOrder,
  TokenGracePeriod,
  TokenId,
  TokenOrigin,
  UsageGranularity,
  UsagePeriod,
  User,
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
  UserNotification,
  UserProperties,
  UserRecord,
  UserRef,
  UserSharing: sharing.UserSharing,
  Via,
  Warning,
  WarningCode,
  Warnings,
  WebhookAttempt,
  WebhookConfig,
  WebhookEndpoint,
  WebhookHealth,
  WebhookSecret,
  WebhookServiceConfig,
  WebhookSettings,
  Workspace,
  WorkspaceToken,
  WriteResult,
}
