/** The reference page of limits: those of the contract, each with its meaning, and those that the operator sets. */
import { LIMITS } from '#contract/core/limits.ts'
import { SETTINGS } from '../../server/settings.ts'
import { code, page, table } from './markdown.ts'

/** The meaning of each limit; the compiler requires one for each. */
const LIMIT_MEANINGS: Readonly<Record<keyof typeof LIMITS, string>> = {
  itemsPerCallMax: 'items in one call: organizations, documents, users, resources, ids to get',
  sharingChangesMax: 'grants, and removals, of one `sharing.update`',
  sharingGroupMembersMax:
    'users of all named user groups together whose access `sharing.update` compares; of a single larger group, only the first ones',
  permissionCellsMax: 'users × resources of one `permissions.get`, the organization counted as one resource',
  insideResourcesMax:
    'folders and documents inside a folder or organization, up to which `auth/permissions/users/list` with `inside` says who has access to some',
  countedUsersMax:
    'users with grants in the organization that `auth/permissions/explain` with `countPeople` considers for an alternative; of more, the first in the order of their ids',
  simulatedPairsMax: 'pairs of a user and a resource that one `auth/permissions/simulate` evaluates',
  effectGroupUsersShownMax: 'users that a group in the answer of `auth/permissions/simulate` lists',
  keptGroupsMax: 'groups of users who keep their access, in the answer of `auth/permissions/simulate`',
  bodyBytesMax: 'bytes of a request body; the default of `BODY_BYTES_MAX`',
  smallBodyBytesMax:
    'bytes of the body of a call without credentials, or of one that replaces or revokes workspace tokens',
  idCharactersMax: 'characters of an id given by the caller',
  nameCharactersMax: 'characters of a name',
  workspaceNameCharactersMax: "characters of a workspace's name and its owner's",
  emailCharactersMin: 'characters of an e-mail address (minimum)',
  emailCharactersMax: 'characters of an e-mail address',
  urlCharactersMax: 'characters of a URL',
  secretCharactersMax: 'characters of a secret that is stored for another service',
  tokenCharactersMax: 'characters of an API key in a body',
  pageTokenCharactersMax: 'characters of a `pageToken`',
  metadataBytesMax: 'bytes of the metadata of one object, as JSON',
  metadataKeysMax: 'metadata fields of one object',
  metadataDepthMax: 'levels that metadata nests',
  pageSizeMax: 'items on a page, and the default',
  responseBytesMax:
    'bytes of metadata of the records that one `documents/get` or `organizations/get` names by their ids',
  pageBytesMax:
    'bytes of metadata after which a page of organizations, documents, users or profiles ends, with a `nextPageToken`',
  findingsPerKindMax: 'findings of one kind that `findings.list` lists',
  findingsExaminedMax: 'grants, and folders and documents, that one `findings.list` examines',
  unusedDays: 'days after which a token or an API key counts as unused in `findings.list`',
  usageKeysPageSizeMax: 'API keys on a page of `account-usage.list`, and the default',
  eventsExaminedPerPageMax:
    'events that are scanned for one page of `events.list`; a page that is short for this reason has a `nextPageToken`',
  momentMillisecondsMax: 'the largest time in milliseconds: the end of the year 9999',
  resourcesExaminedPerPageMax:
    'resources that are scanned for one page of `auth/permissions/grants/list`, which may therefore be short',
  historyEventsExaminedMax:
    'latest events of a user, and of a resource, in which `auth/permissions/grants/list` looks for the history of a grant',
  documentsExaminedPerPageMax:
    'documents that are scanned for one page of `documents.get`; a page that is short for this reason has a `nextPageToken`',
  usersExaminedPerPageMax:
    'users that are scanned for one page of `users.get`; a page that is short for this reason has a `nextPageToken`',
  keysPageSizeMax: 'API keys on a page, and the default',
  invitationsPageSize: 'invitations on a page without `pageSize`',
  userDataPageSize: 'of each kind of data on a page of `user-data.get`',
  searchQueryCharactersMax: 'characters of what `search.find` searches',
  searchPageSizeMax: 'results on a page of `search.find`, and the default',
  searchEntriesExaminedPerPageMax:
    'organizations, folders, documents, users and user groups that are scanned for one page of `search.find`; a page that is short for this reason has a `nextPageToken`',
  searchCommentsExaminedPerPageMax:
    'comments that are scanned for one page of `search.find`; a page that is short for this reason has a `nextPageToken`',
  searchExcerptCharactersMax: 'characters of the `text` of a thread that `search.find` finds, without the `…` of a cut',
  revokedItemsShownMax:
    'organizations, grants and user groups of each user that a page of a dry run of `user-access.revoke` names, each',
  revokedItemsCountedMax:
    'resources with grants, and user groups, of a user in an organization that such a dry run counts; `hasMore` says that there may be more',
  revokedPairsExaminedPerPageMax:
    'pairs of a user and an organization that are examined for one page of such a dry run, which has a `nextPageToken` when more are left',
  folderDepthMax: 'levels that folders nest',
  foldersPerTreeMax: 'folders in one result of `folders.get` with `folderId`',
  ancestorsPerTreeMax: 'entries in the `ancestors` of all folders of such a result together',
  documentFiltersMax: 'filters of one call on documents',
  filterValuesMax: 'values of one document filter',
  involvedUsersMax: 'users of one `users.get` or `document-users.get` with `includeInvolvedDocuments`',
  involvedDocumentsMax: 'documents of each user in its result; `hasMoreInvolvedDocuments` says that there are more',
  domainsMax: 'allowed domains of an API key',
  domainCharactersMax: 'characters of a domain as the caller writes it',
  domainRequestsMax: 'requests for domains that an API key keeps, pending and answered',
  authTokensPerKeyMax: 'valid auth tokens of an API key; `authtoken/reset` always creates one more',
  workspaceTokensMax: 'valid tokens of a workspace; `workspace/token/reset` always creates one more',
  expiringSoonSecondsMax: 'seconds before a grant expires at which its event is written',
  userTokenLifetimeSecondsMin: 'lifetime of a user token in seconds (minimum)',
  userTokenLifetimeSecondsMax: 'lifetime of a user token in seconds',
  userTokenCharactersMax: 'characters of a user token in a body',
  signingKeysPerKeyMax: 'active signing keys of an API key: the one that signs, and those that still verify',
  webhookEndpointsPerKeyMax: 'signed webhook endpoints of an API key',
  webhookEndpointsPageSizeMax: 'signed webhook endpoints on a page, and the default',
  webhookHealthHours: 'hours that the health of a webhook looks back',
  webhookHealthAttemptsMax: 'attempts that the health of a webhook looks at, the last ones',
  webhookWaitingCountedMax: 'waiting messages that the health of a webhook counts',
  webhookRateLimitMax: 'messages a second that the `rateLimit` of a webhook endpoint can allow',
  filterTypesMax: 'types of events that a webhook endpoint filters by',
  eventTypeCharactersMax: 'characters of such a type',
  channelsMax: 'channels of a webhook endpoint',
  replayedMessagesMax: 'messages that one `webhook-messages.replay` sends again',
  gracePeriodSecondsMax: 'seconds that the old secret of a webhook continues to sign beside the new one',
  loginLinkSeconds: 'seconds for which a link to sign in to the console works',
  loginLinksPerHourMax: 'links to sign in to the console that an operator is sent in an hour while one is usable',
  operatorsPerWorkspaceMax: 'operators of a workspace',
  ssoRoleRulesMax: 'rules that give roles to operators who sign in with single sign-on',
  ssoDomainsMax: 'domains by which addresses find the workspace at single sign-on',
  invitationLinkSeconds: 'seconds for which the link of an invitation is valid',
  workspacesPerEmailMax: 'workspaces that one e-mail address can own',
  templateCharactersMax: 'characters of a template of an activity or a notification',
  recordsExaminedPerPageMax:
    'activities or notifications that are scanned for one page of a list, which may therefore be short',
  recordsDeletedMax: 'activities or notifications that one call deletes',
  notificationIdsMax: 'notifications that one `notifications/get` names',
  preferenceDocumentsMax: 'documents that one call about notification preferences names',
  notificationDelaySecondsMin: 'seconds for which notifications are held back or collected (minimum)',
  notificationDelaySecondsMax: 'seconds for which notifications are held back',
  notificationBatchSecondsMax: 'seconds for which a digest collects notifications',
  notificationBatchActivitiesMin: 'notifications with which a digest is full (minimum)',
  notificationBatchActivitiesMax: 'notifications with which a digest is full',
  idempotencyKeyCharactersMax: 'characters of an `Idempotency-Key`',
  expiresAtSecondsMax: 'the largest `expiresAt`: it is in seconds, and a larger value must be in milliseconds',
  threadsPerCallMax: 'threads that one `commentannotations/add` adds',
  commentsPerThreadMax: 'comments of a thread',
  liveThreadBytesMax: 'bytes of a thread that a live stream sends',
  liveBufferBytesMax: 'bytes that may wait for a page that does not read its live stream',
  liveStreamsPerUserMax: 'live streams of a user on one server',
  liveStreamsMax: 'live streams of one server',
  threadBytesMax: 'bytes of a thread with all its comments, as JSON',
  webhookThreadBytesMax:
    'bytes of the comments in one webhook message; of a longer thread it has the first and the last comments',
  commentTextCharactersMax: 'characters of `commentText`',
  commentHtmlCharactersMax: 'characters of `commentHtml`',
  commentBytesMax: 'bytes of one comment, or of a thread without its comments, as JSON',
  commentIdMax: 'the largest `commentId`',
  mentionsMax: 'users that one comment mentions',
  attachmentsMax: 'attachments of one comment',
  actionsMax: 'actions of a comment or thread',
  stepsMax: 'steps in the progress of a comment',
  contextFieldsMax: 'fields of a `context`',
  svgCharactersMax: 'characters of an icon that is sent as SVG',
  pixelsMax: 'the largest coordinate of a thread on its page',
  visibilityNamesMax: 'users, or organizations, that the visibility of a thread names',
  filteredIdsMax: 'ids in one filter of `commentannotations/get`',
  positionMax: 'the position of a comment in its thread: how many were ever written',
  threadsSearchedPerPageMax: 'threads that one page with `text` scans',
  threadsExaminedPerPageMax:
    'threads that are scanned for one filtered page of `commentannotations/get`, which may therefore be short',
  faultsMax: 'faults listed in `error.details` of one refused body',
}

/** Limits that the operator sets. */
const LIMIT_SETTINGS = [
  'BODY_BYTES_MAX',
  'RATE_LIMIT_PER_KEY',
  'RATE_LIMIT_PUBLIC',
  'PRODUCTION_KEYS_PER_WORKSPACE',
  'STATEMENT_TIMEOUT_MS',
  'DATABASE_CONNECTIONS',
  'EVENT_RETENTION_DAYS',
  'EXPIRED_GRANTS_KEPT_DAYS',
  'WEBHOOK_ATTEMPTS_KEPT_DAYS',
] as const satisfies (keyof typeof SETTINGS)[]

export function limitsPage(): string {
  const rows = Object.entries(LIMIT_MEANINGS).map(([name, meaning]) => [
    code(name),
    LIMITS[name as keyof typeof LIMITS].toLocaleString('en'),
    meaning,
  ])
  return page(
    'Limits',
    'A request that exceeds a limit is refused with `INVALID_ARGUMENT` and a message that names the limit. Exceeding a limit on how many of something may exist is refused with `RESOURCE_EXHAUSTED` and a [reason](errors.md#reasons-of-single-operations) `too_many_…`. Nothing is truncated silently. Pages with a limit on scanned records may be short, and then have a `nextPageToken`.',
    table(['limit', 'value', 'meaning'], rows),
    '## Limits set by the operator',
    'These are settings of the server, see [configuration](configuration.md).',
    table(
      ['setting', 'default', 'meaning'],
      LIMIT_SETTINGS.map((name) => [code(name), code(SETTINGS[name].default ?? ''), SETTINGS[name].description]),
    ),
  )
}
