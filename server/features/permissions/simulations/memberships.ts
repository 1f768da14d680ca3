/** The SQL of the users who join and leave groups in a simulation, and of the groups that users are in afterwards (ADR 0017). */
import { groupPrincipal } from '#tenancy/principals.ts'

/** Whether a user has a live grant `own` on the organization after the changes `given`: only such a user can be added to a group. */
const MEMBER_AFTERWARDS = /* sql */ `coalesce(
             case when given.grants ? 'standing' then given.grants ->> 'standing' else own.standing_role::text end is not null
             or case when given.grants ? 'temporary' then (given.grants #>> '{temporary,expiresAt}')::timestamptz else own.expires_at end
                > (select now from clock), false)`

/** The memberships of the call. Users who join without effect, because they are not members of the organization, are marked. */
export const MOVED = /* sql */ `
  moved as materialized (
    select ${groupPrincipal('m."groupId"')} collate "C" as principal, m."userId" as user_id, m.joins,
           not m.joins or ${MEMBER_AFTERWARDS} as takes_effect
      from call cross join lateral jsonb_to_recordset(call.memberships) as m("groupId" text, "userId" text, joins boolean)
      left join lateral (
        select g.standing_role, g.expires_at from grants g
         where g.organization_key = call.organization_key and g.resource_key = call.organization_key and g.principal = m."userId"
           and g.kind = 'organization' limit 1
      ) own on true
      left join (select principal, grants from $input where kind = 'organization' and resource_key is not null) given
        on given.principal = m."userId"
  )`

/** Whether the user leaves or joins the group of the membership `m`: then the stored one does not count. */
const IS_MOVED = `(select moved from overlay) ? (${groupPrincipal('m.group_id')} || chr(1) || m.user_id)`

/** The groups of the user of `t`, as principals, as the changes would leave them. */
export const NEW_GROUPS = /* sql */ `case when o.has_group_grants or (select users <> '{}' or moved <> '{}' from overlay)
                then array(select ${groupPrincipal('m.group_id')} as principal from user_group_members m
                            where m.organization_key = call.organization_key and m.user_id = t.user_id
                              and not ${IS_MOVED}
                           union all
                           select moved.principal from moved
                            where moved.joins and moved.takes_effect and moved.user_id = t.user_id
                           order by principal) end`
