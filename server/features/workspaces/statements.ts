/** The SQL statements of workspaces. */
import type { ApiKeySummary } from '#contract/keys/api-keys.ts'
import { statement } from '#platform/db/statement.ts'

/** Serializes the signups of one owner, so that two cannot both create the last workspace. */
export const LOCK_OWNER = statement<never>(
  'workspaces.lock-owner',
  'select pg_advisory_xact_lock(hashtextextended($1, 0))',
)

export const HAS_WORKSPACE = statement<{ found: boolean }>(
  'workspaces.has-any',
  'select exists (select from workspaces) as found',
)

export const COUNT_WORKSPACES = statement<{ count: number }>(
  'workspaces.count',
  'select count(*) as count from workspaces where owner_id = $1',
)

export const INSERT_WORKSPACE = statement<never>(
  'workspaces.create',
  /* sql */ `
  insert into workspaces (workspace_id, name, owner_id, owner_email, owner_name, owner_avatar)
  values ($1, $2, $3, $4, $5, $6)`,
)

export interface WorkspaceRow {
  name: string
  ownerId: string
  ownerEmail: string
  ownerName: string
  ownerAvatar: string
}

export const GET_WORKSPACE = statement<WorkspaceRow>(
  'workspaces.get',
  /* sql */ `
  select w.name, w.owner_id as "ownerId", w.owner_email as "ownerEmail", w.owner_name as "ownerName",
         w.owner_avatar as "ownerAvatar"
    from workspaces w where w.workspace_id = $1`,
)

/** Lists the API keys of a workspace that are in this database. */
export const LIST_KEYS = statement<ApiKeySummary>(
  'workspaces.list-keys',
  /* sql */ `
  select api_key_id as id, type, disabled_at is not null as disabled, name as "apiKeyName"
    from api_keys where workspace_id = $1 order by api_key_id`,
)
