/**
 * SQL that revokes the access of users in organizations, with the events that any revocation of a grant and any removal from a
 * group writes. Each statement changes at most `ROWS_MAX` rows, and runs under the locks of its organizations.
 */
import { setStatement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { RECORD_EVENTS, REMOVAL_EVENTS } from '#tenancy/events/record.ts'
import { CLOCK_NOW, hasExpired } from '#tenancy/grants.ts'
import { ROWS_MAX } from '#tenancy/user-jobs/statements.ts'

export interface LeavingUser {
  organizationKey: string
  userId: string
  actor: Actor
}

export interface RevokedRow {
  /** The number of pairs of a user and a resource. */
  rows: number
  grants: number
  temporaryGrants: number
}

/**
 * Revokes grants of users, each named once an organization: those on organizations first, because membership carries
 * the access by groups.
 */
export const REVOKE_GRANTS = setStatement<LeavingUser, RevokedRow>(
  'user-access.revoke-grants',
  { organizationKey: 'uuid', userId: 'text', actor: 'jsonb' },
  /* sql */ `
  with clock as materialized (select coalesce($now, clock_timestamp()) as now),
  page as materialized (
    select g.*, item.actor, row_number() over (order by item.ord, g.kind, g.resource_key) as ord
      from $input
     cross join lateral (
        select g.organization_key, g.resource_key, g.principal, g.kind, g.standing_role, g.temporary_role, g.expires_at, g.expiry_event_at
          from grants g
         where g.organization_key = item.organization_key and g.principal = item.user_id
         order by g.kind, g.resource_key limit ${ROWS_MAX}
     ) g
     order by ord limit ${ROWS_MAX}
  ),
  deleted as (
    delete from grants g using page p
     where g.organization_key = p.organization_key and g.resource_key = p.resource_key and g.principal = p.principal
       and g.kind = p.kind
  ),
  removed as materialized (
    select p.*, r.id as resource_id, ${hasExpired('p.expires_at', CLOCK_NOW)} and p.expiry_event_at is null as expiry_unreported
      from page p
     cross join lateral (
        select r.id from resources r where r.organization_key = p.organization_key and r.resource_key = p.resource_key limit 1
     ) r
  ),
  ${REMOVAL_EVENTS},
  ${RECORD_EVENTS}
  select count(*)::int as rows, (count(standing_role) + count(temporary_role))::int as grants,
         count(temporary_role)::int as "temporaryGrants"
    from removed`,
)

/** Removes users, each named once an organization, from its user groups. */
export const LEAVE_USER_GROUPS = setStatement<LeavingUser, { userGroups: number }>(
  'user-access.leave-user-groups',
  { organizationKey: 'uuid', userId: 'text', actor: 'jsonb' },
  /* sql */ `
  with page as materialized (
    select m.*, item.actor, row_number() over (order by item.ord, m.group_id) as ord
      from $input
     cross join lateral (
        select m.organization_key, m.group_id, m.user_id from user_group_members m
         where m.organization_key = item.organization_key and m.user_id = item.user_id
         order by m.group_id limit ${ROWS_MAX}
     ) m
     order by ord limit ${ROWS_MAX}
  ),
  deleted as (
    delete from user_group_members m using page p
     where m.organization_key = p.organization_key and m.group_id = p.group_id and m.user_id = p.user_id
  ),
  event as (
    select organization_key, ord as position, 'user_group.user_removed' as type, null::resource_kind as resource_kind,
           group_id as resource_id, user_id, actor, '{}'::jsonb as before, null::jsonb as after
      from page
  ),
  ${RECORD_EVENTS}
  select count(*)::int as "userGroups" from page`,
)
