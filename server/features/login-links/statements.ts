/** The SQL statements of login links. */
import type { WorkspaceId } from '#contract/ids.ts'
import { LIMITS } from '#contract/limits.ts'
import { setStatement, statement } from '#platform/db/statement.ts'

const NOW = 'coalesce($now, clock_timestamp())'

export interface OwnedWorkspaceRow {
  workspaceId: WorkspaceId
  /** As given at the sign-up: what the owner of the address is known by ignores case, mail servers need not. */
  ownerEmail: string
  createdAt: Date
}

/** Lists the workspaces of an owner, newest first. */
export const LIST_OWNED_WORKSPACES = statement<OwnedWorkspaceRow>(
  'login-links.list-workspaces',
  /* sql */ `
  select workspace_id as "workspaceId", owner_email as "ownerEmail", created_at as "createdAt"
    from workspaces where owner_id = $1 order by created_at desc, workspace_id`,
)

/** Adds a link, and returns a row; none if the workspace has had too many in the last hour. Runs under the lock of the workspace. */
export const ADD_LOGIN_LINK = setStatement<{ workspaceId: WorkspaceId; linkHash: Buffer }, { added: true }>(
  'login-links.create',
  { workspaceId: 'text', linkHash: 'bytea' },
  /* sql */ `
  with clock as materialized (select ${NOW} as now)
  insert into login_links (link_hash, workspace_id, created_at, expires_at)
  select item.link_hash, item.workspace_id, clock.now, clock.now + make_interval(secs => ${LIMITS.loginLinkSeconds})
    from $input cross join clock
   where (select count(*) from login_links l
           where l.workspace_id = item.workspace_id and l.created_at > clock.now - interval '1 hour') < ${LIMITS.loginLinksPerHourMax}
  returning true as added`,
)

/** Returns the workspace of a link that can still be used. */
export const FIND_LOGIN_LINK = statement<{ workspaceId: WorkspaceId }>(
  'login-links.find',
  /* sql */ `
  select workspace_id as "workspaceId" from login_links
   where link_hash = $1::bytea and used_at is null and expires_at > ${NOW}`,
)

/** Uses a link up, and returns when a session of `$2` hours ends; no row if another call was first, or the link has expired. */
export const USE_LOGIN_LINK = statement<{ sessionUntil: Date }>(
  'login-links.use',
  /* sql */ `
  update login_links set used_at = ${NOW}
   where link_hash = $1::bytea and used_at is null and expires_at > ${NOW}
  returning used_at + $2::int * interval '1 hour' as "sessionUntil"`,
)

/** Deletes links that no longer count, a limited number of them. */
export const DELETE_OLD_LOGIN_LINKS = statement<{ count: number }>(
  'login-links.delete-old',
  /* sql */ `
  with old as (
    select ctid from login_links
     where created_at <= ${NOW} - interval '1 hour' order by created_at limit 1000 for update skip locked
  ),
  deleted as (
    delete from login_links l using old where l.ctid = old.ctid returning 1
  )
  select count(*) as count from deleted`,
)
