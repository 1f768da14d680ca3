/**
 * Every table of the schema, once: whose rows it holds, and what a deletion does with them. The statements that delete an
 * API key, an organization or a user are made from this list, and a test compares it with the catalog: a new table is
 * declared here, and every deletion knows it.
 */

/**
 * - `deleted`: a statement deletes the rows.
 * - `cascades`: the rows are deleted by a foreign key, with the row that they refer to.
 * - `emptied`: the rows stay, without what belongs to the API key, organization or user.
 * - `kept`: the rows stay as they are; a comment says why.
 */
type Fate = 'deleted' | 'cascades' | 'emptied' | 'kept'

export interface Table {
  /** Rows of one organization name it in each key, and could move to another database with it. All others are shared. */
  belongsTo: 'installation' | 'organization'
  /** What happens to the rows of an API key that is deleted; absent: no row belongs to an API key. */
  apiKey?: Fate
  /** What happens to the rows of an organization that is deleted; absent: no row belongs to an organization. */
  organization?: Fate
  /** What happens to the rows of a user who is erased; absent: no row names a user. */
  user?: Fate
}

/** In the order in which rows are deleted: a table stands before those that its foreign keys refer to. */
export const TABLES = {
  user_data_deletions: { belongsTo: 'installation', apiKey: 'deleted', user: 'emptied' },
  mails: { belongsTo: 'installation', apiKey: 'deleted', user: 'deleted' },
  users: { belongsTo: 'installation', apiKey: 'deleted', user: 'deleted' },

  document_migrations: { belongsTo: 'organization', apiKey: 'deleted', organization: 'deleted' },
  user_group_members: { belongsTo: 'organization', apiKey: 'deleted', organization: 'cascades', user: 'deleted' },
  user_groups: { belongsTo: 'organization', apiKey: 'deleted', organization: 'deleted' },
  grants: { belongsTo: 'organization', apiKey: 'deleted', organization: 'deleted', user: 'deleted' },
  document_aliases: { belongsTo: 'organization', apiKey: 'deleted', organization: 'cascades' },
  resources: { belongsTo: 'organization', apiKey: 'deleted', organization: 'deleted' },
  // The row keeps the number of the last event: an organization that is added again under its id continues from there.
  organizations: { belongsTo: 'organization', apiKey: 'deleted', organization: 'emptied' },

  // Events outlive what they are about; their retention deletes them. Those of a workspace or an API key are here too.
  events: { belongsTo: 'organization', apiKey: 'kept', organization: 'kept', user: 'emptied' },
  // The counters of events that are kept.
  event_streams: { belongsTo: 'installation', apiKey: 'kept' },
  // A session without its credentials is refused, and deleted when it expires.
  console_sessions: { belongsTo: 'installation', apiKey: 'kept' },

  auth_tokens: { belongsTo: 'installation', apiKey: 'cascades' },
  signing_keys: { belongsTo: 'installation', apiKey: 'cascades' },
  idempotency_keys: { belongsTo: 'installation', apiKey: 'cascades' },
  event_followers: { belongsTo: 'installation', apiKey: 'cascades' },
  webhook_attempts: { belongsTo: 'installation', apiKey: 'cascades' },
  webhook_deliveries: { belongsTo: 'installation', apiKey: 'cascades' },
  webhook_endpoints: { belongsTo: 'installation', apiKey: 'cascades' },
  webhook_settings: { belongsTo: 'installation', apiKey: 'cascades' },
  api_keys: { belongsTo: 'installation', apiKey: 'deleted' },

  workspaces: { belongsTo: 'installation' },
  installation: { belongsTo: 'installation' },
  schema_migrations: { belongsTo: 'installation' },
} as const satisfies Record<string, Table>

export type TableName = keyof typeof TABLES

/** The tables that `holds`, in the order of deletion. */
export const tablesWhere = (holds: (table: Table) => boolean): TableName[] =>
  Object.entries<Table>(TABLES).flatMap(([name, table]) => (holds(table) ? [name as TableName] : []))
