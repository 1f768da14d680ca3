/**
 * Lists every table of the schema once, with the owner of its rows and the effect of a deletion on them. The statements that
 * delete an API key, an organization or a user are generated from this list. A test compares it with the catalog, so that
 * every deletion covers a new table.
 */

/**
 * - `deleted`: a statement deletes the rows.
 * - `cascades`: a foreign key deletes the rows with the row that they refer to.
 * - `emptied`: the rows stay; the data of the API key, organization or user is removed from them.
 * - `follows`: a trigger deletes the rows with the row that they are about.
 * - `kept`: the rows stay unchanged; a comment says why.
 */
type OnDelete = 'deleted' | 'cascades' | 'follows' | 'emptied' | 'kept'

export interface Table {
  /** `organization`: every key contains the organization, so its rows could move to another database. Other tables are shared. */
  belongsTo: 'installation' | 'organization'
  /** The effect of deleting an API key on its rows; absent: no row belongs to an API key. */
  apiKey?: OnDelete
  /** The effect of deleting an organization on its rows; absent: no row belongs to an organization. */
  organization?: OnDelete
  /** The effect of erasing a user on the user's rows; absent: no row names a user. */
  user?: OnDelete
}

/** In the order in which rows are deleted: a table precedes the tables to which its foreign keys refer. */
export const TABLES = {
  search_entries: { belongsTo: 'installation', apiKey: 'follows', organization: 'follows', user: 'follows' },
  // The row of a job forgets its users when the job is finished.
  user_access_revocations: { belongsTo: 'installation', apiKey: 'deleted', user: 'kept' },
  user_data_deletions: { belongsTo: 'installation', apiKey: 'deleted', user: 'emptied' },
  mails: { belongsTo: 'installation', apiKey: 'deleted', user: 'deleted' },
  users: { belongsTo: 'installation', apiKey: 'deleted', user: 'deleted' },
  disabled_users: { belongsTo: 'installation', apiKey: 'cascades', user: 'deleted' },

  document_migrations: { belongsTo: 'organization', apiKey: 'deleted', organization: 'deleted' },
  user_group_members: { belongsTo: 'organization', apiKey: 'deleted', organization: 'cascades', user: 'deleted' },
  user_groups: { belongsTo: 'organization', apiKey: 'deleted', organization: 'deleted' },
  invitations: { belongsTo: 'organization', apiKey: 'deleted', organization: 'deleted', user: 'deleted' },
  grants: { belongsTo: 'organization', apiKey: 'deleted', organization: 'deleted', user: 'deleted' },
  notification_recipients: { belongsTo: 'organization', apiKey: 'deleted', organization: 'cascades', user: 'deleted' },
  // A notification is deleted with the user who acted.
  notifications: { belongsTo: 'organization', apiKey: 'deleted', organization: 'cascades', user: 'deleted' },
  comment_mail_items: { belongsTo: 'organization', apiKey: 'cascades', organization: 'cascades', user: 'deleted' },
  comment_mail_results: { belongsTo: 'organization', apiKey: 'cascades', organization: 'cascades', user: 'deleted' },
  comment_mailings: { belongsTo: 'organization', apiKey: 'cascades', organization: 'cascades' },
  // The users of a thread are in three tables; thread_users names everybody whom the others name.
  thread_users: { belongsTo: 'organization', apiKey: 'cascades', organization: 'cascades', user: 'deleted' },
  thread_comments: { belongsTo: 'organization', apiKey: 'cascades', organization: 'cascades', user: 'emptied' },
  threads: { belongsTo: 'organization', apiKey: 'cascades', organization: 'cascades', user: 'emptied' },
  deleted_private_threads: { belongsTo: 'organization', apiKey: 'cascades', organization: 'cascades' },
  notification_preferences: { belongsTo: 'organization', apiKey: 'deleted', organization: 'cascades', user: 'deleted' },
  // The record of what a user did stays without the user and what it says.
  activities: { belongsTo: 'organization', apiKey: 'deleted', organization: 'cascades', user: 'emptied' },
  document_aliases: { belongsTo: 'organization', apiKey: 'deleted', organization: 'cascades' },
  resources: { belongsTo: 'organization', apiKey: 'deleted', organization: 'deleted' },
  // The row keeps the number of the last event: an organization that is added again under its id continues from there.
  organizations: { belongsTo: 'organization', apiKey: 'deleted', organization: 'emptied' },

  // Events outlive their subject; their retention deletes them. The table also holds those of workspaces and API keys.
  events: { belongsTo: 'organization', apiKey: 'kept', organization: 'kept', user: 'emptied' },
  // The counters belong to events, which are kept.
  event_streams: { belongsTo: 'installation', apiKey: 'kept' },
  // A session without its credentials is refused; it is deleted when it expires.
  console_sessions: { belongsTo: 'installation', apiKey: 'kept' },

  auth_tokens: { belongsTo: 'installation', apiKey: 'cascades' },
  signing_keys: { belongsTo: 'installation', apiKey: 'cascades' },
  idempotency_keys: { belongsTo: 'installation', apiKey: 'cascades' },
  domain_requests: { belongsTo: 'installation', apiKey: 'cascades' },
  // The sketch of active users keeps no id: their hashes of 32 bits belong to many ids each.
  usage_hours: { belongsTo: 'installation', apiKey: 'cascades' },
  usage_days: { belongsTo: 'installation', apiKey: 'cascades' },
  event_followers: { belongsTo: 'installation', apiKey: 'cascades' },
  webhook_attempts: { belongsTo: 'installation', apiKey: 'cascades' },
  webhook_deliveries: { belongsTo: 'installation', apiKey: 'cascades' },
  webhook_endpoints: { belongsTo: 'installation', apiKey: 'cascades' },
  webhook_settings: { belongsTo: 'installation', apiKey: 'cascades' },
  api_keys: { belongsTo: 'installation', apiKey: 'deleted' },

  // An address is that of an owner, who may have other keys, and need not be asked again.
  mail_addresses: { belongsTo: 'installation', apiKey: 'kept' },
  login_links: { belongsTo: 'installation' },
  invitation_mails: { belongsTo: 'installation' },
  device_authorizations: { belongsTo: 'installation' },
  sso_sign_ins: { belongsTo: 'installation' },
  sso_domains: { belongsTo: 'installation' },
  sso_configs: { belongsTo: 'installation' },
  operator_identities: { belongsTo: 'installation' },
  findings_mails: { belongsTo: 'installation' },
  passkey_challenges: { belongsTo: 'installation' },
  passkeys: { belongsTo: 'installation' },
  operators: { belongsTo: 'installation' },
  workspace_tokens: { belongsTo: 'installation' },
  // The place of a deleted key leads to the events about it that its workspace can list.
  key_places: { belongsTo: 'installation', apiKey: 'kept' },
  // The ids of a finished move remain, because the list of events of a workspace needs them.
  key_moves: { belongsTo: 'installation', apiKey: 'kept' },
  bucket_moves: { belongsTo: 'installation' },
  buckets: { belongsTo: 'installation' },
  workspaces: { belongsTo: 'installation' },
  installation: { belongsTo: 'installation' },
  schema_migrations: { belongsTo: 'installation' },
  database_epochs: { belongsTo: 'installation' },
  database_clock: { belongsTo: 'installation' },
} as const satisfies Record<string, Table>

export type TableName = keyof typeof TABLES

const USER_COLUMNS: Partial<Record<TableName, string>> = {
  activities: 'actor_id',
  grants: 'principal',
  invitations: 'invitee',
  notifications: 'actor_id',
}

/** Returns the column of a table that names the user of a row. */
export const userColumn = (table: TableName): string => USER_COLUMNS[table] ?? 'user_id'

const NAMING_COLUMNS: Partial<Record<TableName, readonly string[]>> = {
  // The user who shared a document.
  events: ['user_id', "actor ->> 'userId'"],
  invitations: ['invitee', 'inviter'],
  thread_comments: [],
  threads: [],
}

/** Returns all columns of a table that name users; none if another table names the same users. */
export const namingColumns = (table: TableName): readonly string[] => NAMING_COLUMNS[table] ?? [userColumn(table)]

/** Returns the tables that `matches` accepts, in the order of deletion. */
export const tablesWhere = (matches: (table: Table) => boolean): TableName[] =>
  Object.entries<Table>(TABLES).flatMap(([name, table]) => (matches(table) ? [name as TableName] : []))

/** Tables of workspaces, operators and their sessions: they stand in the home database alone. */
const OF_HOME: readonly TableName[] = [
  'bucket_moves',
  'buckets',
  'console_sessions',
  'device_authorizations',
  'findings_mails',
  'invitation_mails',
  'key_moves',
  'key_places',
  'login_links',
  'mail_addresses',
  'operator_identities',
  'operators',
  'passkey_challenges',
  'passkeys',
  'sso_configs',
  'sso_domains',
  'sso_sign_ins',
  'workspace_tokens',
  'workspaces',
]

/** Tables of which the home database and each bucket has its own. */
const OF_EACH: readonly TableName[] = [
  'database_clock',
  'database_epochs',
  'event_streams',
  'events',
  'idempotency_keys',
  'installation',
  'schema_migrations',
]

export const DATABASES = ['home', 'bucket', 'each'] as const

/**
 * Returns the kind of database that has a table (ADR 0066). All other tables belong to the data set of an API key,
 * which is always in one bucket as a whole. No statement touches tables of the home database and of a bucket
 * (`test/golden/databases.txt`).
 */
export function databaseOf(table: TableName): (typeof DATABASES)[number] {
  if (OF_HOME.includes(table)) return 'home'
  return OF_EACH.includes(table) ? 'each' : 'bucket'
}
