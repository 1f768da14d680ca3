/** Every bound of the API with its unit (rules/contract.md#limits). Schemas, the OpenAPI document and error messages use these. */
export const LIMITS = {
  /** Items in one call: organizations, documents, users, resources, ids. */
  itemsPerCallMax: 1_000,
  /** Grants, and removals, of one `auth/sharing/update`. */
  sharingChangesMax: 100,
  /**
   * Users in all groups that such a call names. It examines them up to three times, which takes some tenths of a second
   * under the lock of the organization.
   */
  sharingGroupMembersMax: 2_000,
  /** Users × resources of one `auth/permissions/get`. */
  permissionCellsMax: 10_000,
  /** Pairs of a user and a resource that one `auth/permissions/simulate` compares. */
  simulatedPairsMax: 100_000,
  /** Users that `auth/permissions/explain` counts for an alternative, in about a second. With more, the count is a lower bound. */
  countedUsersMax: 5_000,
  /** Users that a group of its answer lists, and groups of users who keep their access. */
  effectGroupUsersShownMax: 100,
  keptGroupsMax: 20,
  /**
   * Folders and documents inside the resource of `auth/permissions/users/list` with `inside`: for each user as many
   * decisions as one `permissions/get`.
   */
  insideResourcesMax: 10_000,
  bodyBytesMax: 8 * 1024 * 1024,
  /** For calls without credentials, and for calls that replace or revoke workspace tokens. */
  smallBodyBytesMax: 16 * 1024,
  idCharactersMax: 256,
  nameCharactersMax: 500,
  workspaceNameCharactersMax: 200,
  emailCharactersMin: 3,
  emailCharactersMax: 254,
  urlCharactersMax: 2_000,
  secretCharactersMax: 4_000,
  tokenCharactersMax: 200,
  /** A page token of events names the transactions in progress; this is room for a thousand. */
  pageTokenCharactersMax: 32_000,
  metadataBytesMax: 64 * 1024,
  metadataKeysMax: 100,
  metadataDepthMax: 20,
  pageSizeMax: 1_000,
  /** Bytes of the metadata of records that a call names by their ids. */
  responseBytesMax: 16 * 2 ** 20,
  /** A page of records ends early after these bytes of metadata. */
  pageBytesMax: 2 * 1024 * 1024,
  /** Events that one page of `events/list` scans before it ends short. */
  eventsExaminedPerPageMax: 10_000,
  /** The end of the year 9999. */
  momentMillisecondsMax: 253_402_300_799_999,
  /** Users that one page of `users/get` scans before it ends short. */
  usersExaminedPerPageMax: 100_000,
  /** Documents that one page of `documents/get` scans before it ends short. */
  documentsExaminedPerPageMax: 10_000,
  /** Resources that one page of `grants/list` scans before it ends short. */
  resourcesExaminedPerPageMax: 10_000,
  /** Events of a user, and of a resource, in which `grants/list` looks for the history of a grant. */
  historyEventsExaminedMax: 200,
  keysPageSizeMax: 100,
  /** Findings of one kind in a response. */
  findingsPerKindMax: 100,
  /** Grants, and folders and documents, that one `findings.list` judges: about a quarter of a second. */
  findingsExaminedMax: 10_000,
  /** A token that nobody has used for this long is a finding. */
  unusedDays: 90,
  /** API keys on a page of `account-usage.list`: 13 months of days of all these are 10,000 periods. */
  usageKeysPageSizeMax: 25,
  /** Invitations on a page without `pageSize`. */
  invitationsPageSize: 100,
  searchQueryCharactersMax: 200,
  searchPageSizeMax: 100,
  /** Entries that one page of `search` scans in order before it ends short, of all kinds together. */
  searchEntriesExaminedPerPageMax: 20_000,
  /** Comments that one page of `search` scans in order before it ends short: fewer, because their texts are longer. */
  searchCommentsExaminedPerPageMax: 5_000,
  searchExcerptCharactersMax: 200,
  /** The items of each kind of data on a page of `users/data/get`. */
  userDataPageSize: 100,
  /** The items of each kind and user on a page of a dry run of `users/access/revoke`. */
  revokedItemsShownMax: 10,
  /** Resources with grants, and user groups, of one user in one organization that such a dry run counts. */
  revokedItemsCountedMax: 10_000,
  /** Pairs of a user and an organization that a page of such a dry run examines. */
  revokedPairsExaminedPerPageMax: 10_000,
  folderDepthMax: 100,
  /** Folders in one response of `folders/get` with `folderId`. */
  foldersPerTreeMax: 10_000,
  /** Ancestors in such a response, of all its folders together: no more than a page of the list has. */
  ancestorsPerTreeMax: 100_000,
  /** Filters of one call that lists documents. */
  documentFiltersMax: 10,
  /** Users whose documents one call with `includeInvolvedDocuments` lists, and documents of each. */
  involvedUsersMax: 5,
  involvedDocumentsMax: 1_000,
  /** Values in one document filter. */
  filterValuesMax: 100,
  domainsMax: 100,
  domainCharactersMax: 300,
  /** The requests of one API key, pending and answered. */
  domainRequestsMax: 500,
  /** Valid at one time; `authtoken/reset` can always create one more. */
  authTokensPerKeyMax: 100,
  /** Valid at one time; `workspace/token/reset` can always create one more. */
  workspaceTokensMax: 100,
  /** 30 days before a grant expires. */
  expiringSoonSecondsMax: 2_592_000,
  userTokenLifetimeSecondsMin: 60,
  /** 30 days: a verifier that uses only the public keys does not notice that a token was revoked. */
  userTokenLifetimeSecondsMax: 2_592_000,
  /** A user token with the longest name, address and id fits. */
  userTokenCharactersMax: 8_000,
  /** The maximum number of valid keys: the key that signs, and the keys that still verify. */
  signingKeysPerKeyMax: 10,
  /** Signed endpoints of an API key. */
  webhookEndpointsPerKeyMax: 500,
  webhookEndpointsPageSizeMax: 250,
  /** The health of a webhook is based on attempts in this period, and on at most this number of attempts. */
  webhookHealthHours: 24,
  webhookHealthAttemptsMax: 100,
  webhookWaitingCountedMax: 1_000,
  /** Messages a second. */
  webhookRateLimitMax: 10_000,
  filterTypesMax: 200,
  eventTypeCharactersMax: 128,
  channelsMax: 100,
  /** Messages that one call sends again. */
  replayedMessagesMax: 100_000,
  /** How long a replaced token or secret may stay valid: 7 days. */
  gracePeriodSecondsMax: 604_800,
  workspacesPerEmailMax: 5,
  loginLinkSeconds: 900,
  /** Login links that one operator can get in an hour. */
  loginLinksPerHourMax: 5,
  operatorsPerWorkspaceMax: 200,
  ssoRoleRulesMax: 100,
  ssoDomainsMax: 20,
  /** 7 days. */
  invitationLinkSeconds: 604_800,
  /** Characters of a template of an activity or a notification, and of the name of its picture. */
  templateCharactersMax: 5_000,
  /** Activities or notifications that one page of a list scans before it ends short. */
  recordsExaminedPerPageMax: 10_000,
  /** Activities or notifications that one call deletes: about a second. */
  recordsDeletedMax: 10_000,
  /** Notifications that one `notifications/get` names, and documents that one call about preferences names. */
  notificationIdsMax: 30,
  preferenceDocumentsMax: 30,
  /** How long notifications are held back, and how long their digests collect: half a year and 7 days at most. */
  notificationDelaySecondsMin: 10,
  notificationDelaySecondsMax: 15_552_000,
  notificationBatchSecondsMax: 604_800,
  notificationBatchActivitiesMin: 2,
  notificationBatchActivitiesMax: 50,
  idempotencyKeyCharactersMax: 255,
  /** A larger `expiresAt` is taken for milliseconds: seconds reach this in the year 5138 (rules/contract.md#times). */
  expiresAtSecondsMax: 99_999_999_999,
  /** A call with more threads would hold the lock of the organization for long: each thread is a row with rows of its own. */
  threadsPerCallMax: 100,
  /** A thread is read as a whole. */
  commentsPerThreadMax: 10_000,
  /** Bytes of all comments of a thread together with its own fields: no more than a response may have. */
  threadBytesMax: 16 * 2 ** 20,
  /** Bytes of the comments in one webhook message: a process may have many messages in memory. */
  webhookThreadBytesMax: 512 * 1024,
  commentTextCharactersMax: 32 * 1024,
  commentHtmlCharactersMax: 64 * 1024,
  /** Bytes of the JSON of one comment, or of a thread without its comments: room for the longest text, and for as much beside it. */
  commentBytesMax: 512 * 1024,
  /** 15 digits: a larger integer may not be kept exactly. */
  commentIdMax: 999_999_999_999_999,
  /** Positions of comments: of all that were ever written in a thread. */
  positionMax: 1_000_000_000,
  mentionsMax: 100,
  attachmentsMax: 100,
  actionsMax: 20,
  stepsMax: 100,
  contextFieldsMax: 200,
  svgCharactersMax: 20_000,
  pixelsMax: 1_000_000_000,
  /** Users, or organizations, that the visibility of a thread names. */
  visibilityNamesMax: 1_000,
  /** A stream sends no larger thread: a page reads that with `commentannotations/get`. */
  liveThreadBytesMax: 64 * 1024,
  /** Bytes that may wait for a page that does not read its stream; beyond that the stream is closed. */
  liveBufferBytesMax: 2 ** 20,
  /** Open streams of one user, and of one server. */
  liveStreamsPerUserMax: 20,
  liveStreamsMax: 10_000,
  /** Ids in one filter of a read. */
  filteredIdsMax: 30,
  /** Threads that one filtered page of `commentannotations/get` scans before it ends short. */
  threadsExaminedPerPageMax: 10_000,
  /** Threads that a page examines if it has a text, which is searched in all comments of a thread. */
  threadsSearchedPerPageMax: 1_000,
  /** Faults in `error.details` of one refused body. */
  faultsMax: 100,
} as const

/**
 * Writes an integer with commas, as `toLocaleString('en')` does. The first format of a process takes about 40 ms, a tenth of a
 * short command, and descriptions are written when modules load.
 */
export const thousands = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
