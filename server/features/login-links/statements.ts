/** The SQL statements of login links. Statements that change links run under the lock of the workspace. */

import type { WorkspaceId } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { NOW, setStatement, statement } from '#platform/db/statement.ts'
import { deletionOfOld } from '#platform/jobs/old-rows.ts'
import { isWithin } from '#platform/times.ts'
import { foldedInSql } from '#tenancy/addresses.ts'

/** A mail names no more workspaces: anybody can make any address an operator of a workspace. */
const WORKSPACES_MAX = 20

export interface KnownOperatorRow {
  workspaceId: WorkspaceId
  /** When the workspace was created. */
  createdAt: Date
  operatorId: string
  /** As stored: an address is found without regard to case, but mail servers need not ignore it. */
  email: string
}

/**
 * Lists the operators with an address (`$1`, as it is compared), the newest workspaces first. Those come last that strangers can
 * make, any number of them, because they must not push out the workspaces of the address: invitations that were never used, and
 * operators for whom the provider of a workspace has vouched. Only few workspaces can be created with the address as the owner's.
 */
export const LIST_OPERATORS_OF_ADDRESS = statement<KnownOperatorRow>(
  'login-links.list-operators',
  /* sql */ `
  select o.workspace_id as "workspaceId", w.created_at as "createdAt", o.operator_id as "operatorId", o.email
    from operators o
   cross join lateral (
     select created_at, owner_email from workspaces w where w.workspace_id = o.workspace_id limit 1
   ) w
   where ${foldedInSql('o.email')} = $1::text
   order by ${foldedInSql('w.owner_email')} <> $1::text and (
              o.invited_by is not null and o.last_seen_at is null
              or exists (select from operator_identities i
                          where i.workspace_id = o.workspace_id and i.operator_id = o.operator_id offset 0)
            ),
            w.created_at desc, o.workspace_id
   limit ${WORKSPACES_MAX}`,
)

interface LinkKey {
  workspaceId: WorkspaceId
  operatorId: string
  linkHash: Buffer
}

/**
 * Adds a link that is sent by mail on request, and returns a row; none if the operator has had too many in the last hour. One that
 * can still be used is in their mailbox then: anybody can request links for an address, and must not keep its owner out.
 */
export const ADD_LOGIN_LINK = setStatement<LinkKey, { added: true }>(
  'login-links.create',
  { workspaceId: 'text', operatorId: 'uuid', linkHash: 'bytea' },
  /* sql */ `
  with clock as materialized (select ${NOW} as now)
  insert into login_links (link_hash, workspace_id, operator_id, is_mailed, created_at, expires_at)
  select item.link_hash, item.workspace_id, item.operator_id, true, clock.now,
         clock.now + make_interval(secs => ${LIMITS.loginLinkSeconds})
    from $input cross join clock
   cross join lateral (
     select count(*) as links, count(*) filter (where l.is_mailed and l.used_at is null and l.expires_at > clock.now) as usable
       from login_links l
      where l.workspace_id = item.workspace_id and l.operator_id = item.operator_id
        and ${isWithin('l.created_at', `interval '1 hour'`, 'clock.now')}
   ) sent
   where sent.links < ${LIMITS.loginLinksPerHourMax} or sent.usable = 0
  returning true as added`,
)

export const ADD_INVITATION_LINK = setStatement<LinkKey & { isMailed: boolean }, never>(
  'login-links.invite',
  { workspaceId: 'text', operatorId: 'uuid', linkHash: 'bytea', isMailed: 'boolean' },
  /* sql */ `
  insert into login_links (link_hash, workspace_id, operator_id, is_mailed, created_at, expires_at)
  select item.link_hash, item.workspace_id, item.operator_id, item.is_mailed, clock.now,
         clock.now + make_interval(secs => ${LIMITS.invitationLinkSeconds})
    from $input cross join (select ${NOW} as now) clock`,
)

/** Ends the links of an operator that were not used. */
export const DELETE_UNUSED_LINKS = statement<never>(
  'login-links.delete-unused',
  'delete from login_links where workspace_id = $1 and operator_id = $2::uuid and used_at is null',
)

export interface LinkRow {
  workspaceId: WorkspaceId
  workspaceName: string
  createdAt: Date
  operatorId: string
  email: string
  name: string
  /** Whether only the reader of the operator's mail knows the link. */
  isMailed: boolean
}

/** Returns whose link it is, if it can still be used. */
export const FIND_LOGIN_LINK = statement<LinkRow>(
  'login-links.find',
  /* sql */ `
  select w.workspace_id as "workspaceId", w.name as "workspaceName", w.created_at as "createdAt",
         o.operator_id as "operatorId", o.email, o.name, l.is_mailed as "isMailed"
    from login_links l
    join operators o on o.workspace_id = l.workspace_id and o.operator_id = l.operator_id
    join workspaces w on w.workspace_id = l.workspace_id
   where l.link_hash = $1::bytea and l.used_at is null and l.expires_at > ${NOW}`,
)

/** Uses a link up, and returns a row; none if another call was first, or the link has expired. */
export const USE_LOGIN_LINK = statement<{ used: true }>(
  'login-links.use',
  /* sql */ `
  update login_links set used_at = ${NOW}
   where link_hash = $1::bytea and used_at is null and expires_at > ${NOW} returning true as used`,
)

export const DELETE_OLD_LOGIN_LINKS = deletionOfOld('login-links.delete-old', {
  table: 'login_links',
  column: 'expires_at',
  keptFor: '1 hour',
})
