/**
 * The schemas that have names of their own: components of the OpenAPI document, and types of the client. To name another one,
 * export it here; users import the module as a whole, `import * as SCHEMAS`.
 */
export { ListedResource, ListedUser } from './access/access-lists.ts'
export {
  AuthZenAction,
  AuthZenResource,
  AuthZenSubject,
  Configuration,
  DecisionContext,
  DescribedEvaluations,
  Evaluation,
  EvaluationAnswer,
  EvaluationError,
  Evaluations,
  EvaluationsAnswer,
} from './access/authzen.ts'
export { Decision, DecisionReason, PermissionEntry, PermissionsByUser, Via } from './access/decisions.ts'
export {
  AffectedPeople,
  Alternative,
  ExplainedGrant,
  ExplainedResource,
  Explanation,
  NearGrant,
  ThreadExplanation,
} from './access/explanations.ts'
export { AccountFinding, Finding, FindingFix } from './access/findings.ts'
export { GrantInput, ListedGrant } from './access/grants.ts'
export { GrantSource, PermissionProviderConfig, ProvidedPermission } from './access/permission-provider.ts'
export {
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
export { SharedAccess, SharedVia, SharingEntry, SharingTarget, UserSharing } from './access/sharing.ts'
export { AffectedMembers, SharingChange } from './access/sharing-changes.ts'
export {
  AffectedUser,
  EffectGroup,
  Membership,
  ResourceInside,
  SimulatedChange,
  Simulation,
} from './access/simulations.ts'
export { Activity, ActivityChange, ActivityId, ActivityInput, FeatureType } from './activities/activities.ts'
export { CommentAgent, ThreadSuggestion, ThreadVisibility } from './comments/agents.ts'
export { StoredDataKind, StoredListName } from './comments/comment-data.ts'
export { CommentResults } from './comments/comments.ts'
export { CommentChange, CommentInput, FirstComment, ThreadChange, ThreadInput } from './comments/inputs.ts'
export { LiveBody, LiveEvent, LiveRequest } from './comments/live.ts'
export { CommentMail, DelayedMail } from './comments/mails.ts'
export { MentionableUser } from './comments/mentionable.ts'
export {
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
export { CommentAgentRecord, CommentRecord, ThreadRecord, ThreadSubscriber } from './comments/records.ts'
export {
  ActivityData,
  CommentData,
  NotificationData,
  NotificationPreferenceData,
  NotificationRecipientData,
  ThreadData,
  ThreadUserData,
} from './comments/stored-data.ts'
export { Subscription } from './comments/subscriptions.ts'
export { CommentTriggers, HuddleTriggers } from './comments/triggers.ts'
export { BatchResult, ErrorEnvelope, ItemCode, ItemResult, WriteResult } from './core/envelope.ts'
export {
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
export { Warning, WarningCode, Warnings } from './core/warnings.ts'
export {
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
export { ActivityConfig } from './keys/activity-config.ts'
export { ApiKeyName, ApiKeySummary, KeyType } from './keys/api-keys.ts'
export { AuthToken, ListedAuthToken, TokenGracePeriod, TokenId, TokenOrigin } from './keys/auth-tokens.ts'
export { DomainRequest } from './keys/domain-requests.ts'
export { Domain } from './keys/domains.ts'
export { KeyConfig, OpenedByDefault } from './keys/key-config.ts'
export {
  NotificationBatch,
  NotificationBatchChange,
  NotificationConfig,
  NotificationServiceConfig,
} from './keys/notification-config.ts'
export { EmailConfig, EmailServiceConfig, WebhookConfig, WebhookServiceConfig } from './keys/service-configs.ts'
export { PublicKeys, SigningKeys } from './keys/signing-keys.ts'
export {
  Notification,
  NotificationChange,
  NotificationContext,
  NotificationId,
  NotificationLocation,
  NotificationSource,
  StoredNotificationContext,
} from './notifications/notifications.ts'
export {
  InboxLevel,
  NotificationChannelChange,
  NotificationChannels,
  NotificationLevel,
  NotificationPreferences,
} from './notifications/preferences.ts'
export { DocumentChange, DocumentFilter, DocumentInput, DocumentRecord } from './resources/documents.ts'
export { FolderInput, FolderRecord } from './resources/folders.ts'
export {
  Invitation,
  InvitationStatus,
  InvitationsPageSize,
  InvitationType,
  InvitedBy,
} from './resources/invitations.ts'
export { Migration, MigrationFailure } from './resources/migrations.ts'
export { OrganizationChange, OrganizationInput, OrganizationRecord } from './resources/organizations.ts'
export { SearchKind, SearchResult } from './resources/search.ts'
export { UsageGranularity, UsagePeriod } from './usage/usage.ts'
export { ProfileInput, ProfileRecord } from './users/profiles.ts'
export { HeldAccess, RevocationPreview, UserAccessRevocation } from './users/user-access.ts'
export { UserDataDeletion, UserEvent, UserGrant, UserNotification } from './users/user-data.ts'
export { UserGroupRecord, UserGroupUserResult } from './users/user-groups.ts'
export {
  DocumentUser,
  IncludeInvolvedDocuments,
  InvolvedDocument,
  LiveGrant,
  UserChange,
  UserInput,
  UserRecord,
} from './users/user-records.ts'
export { User, UserRef } from './users/user-refs.ts'
export { UserProperties } from './users/user-tokens.ts'
export { PublicKey, WebhookSettings } from './webhooks/config.ts'
export { EndpointId, ListedWebhookEndpoint, WebhookEndpoint } from './webhooks/endpoints.ts'
export { WebhookHealth } from './webhooks/health.ts'
export { WebhookAttempt } from './webhooks/messages.ts'
export { WebhookSecret } from './webhooks/secrets.ts'
export { NamedOperator, Operator, OperatorId, OperatorRole } from './workspace/operators.ts'
export { SsoConfig, SsoDomain, SsoProblem, SsoRoleRule } from './workspace/sso-config.ts'
export { NewWorkspaceToken, WorkspaceToken } from './workspace/workspace-tokens.ts'
export { Workspace } from './workspace/workspaces.ts'
