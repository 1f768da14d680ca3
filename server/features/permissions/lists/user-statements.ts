/** The SQL statement that lists the users with access to a resource. */

import type { AccessRole, AccessType, ResourceType } from '#contract/access/permissions.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { setStatement } from '#platform/db/statement.ts'
import { BEFORE_USERS, groupPrincipal } from '#tenancy/principals.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import { OWN_RANK, ownRanks, ranked } from '../decision/ranks.ts'
import { DECISION_COLUMNS, type DecisionRow } from '../decision/rows.ts'
import { CLOCK, decidedAs, type Parts } from '../decision/statement.ts'
import { GROUP_RANKS, kindAt, PLACE } from '../decision/stored-data.ts'

/** Asks for the next `decisions` users after `afterUserId` who may have access to a resource. */
export interface UserListRow {
  organizationKey: OrganizationKey
  kind: ResourceType
  resourceId: string
  /** The default access type of the API key. */
  defaultAccessType: AccessType
  /** The default access role of the API key. */
  defaultAccessRole: AccessRole
  /** The requested role; null: any. */
  atLeast: AccessRole | null
  afterUserId: string
  decisions: number
}

/** One decision and the users to whom it applies. One row of each request has no decision, and says how far the search went. */
export interface ListedUsersRow extends DecisionRow, RequestRow {
  /** False: the organization or the resource does not exist. */
  found: boolean
  everyone: boolean
  /** All users up to this id were examined; null: all users. */
  examinedTo: string | null
  userIds: string[] | null
  /** The numbers of the users in the order of their ids. */
  places: number[] | null
}

/** The facts that are the same for all users: the resource and its chain. */
const TARGET = /* sql */ `
  target as materialized (
    select item.*, o.api_key_id, o.organization_id, o.has_group_grants, o.added_at is not null and r.kind is not null as found, r.chain, r.boundary_at, r.access_type,
           not (o.disabled or r.disabled) as is_open
      from $input
      left join organizations o on o.organization_key = item.organization_key
      left join lateral (
        select r.kind, r.kind = 'document' and r.disabled as disabled,
               ${PLACE}
          from resources r
          left join resources f on f.organization_key = r.organization_key and f.resource_key = r.folder_key
         where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
      ) r on true
  )`

/** Whether a grant at a position of the chain can give access by itself. */
const GIVES_ACCESS = `(c.position >= t.boundary_at or t.access_type = 'public' or t.access_type = 'organizationPrivate' and c.position = 1)`

/** The grants of the next users, in the order of their ids, on the resources where a grant gives access. */
const READ = /* sql */ `(
            select t.req, c.position, g.user_id, g.standing_role, g.temporary_role, g.expires_at
              from target t
             cross join lateral unnest(t.chain) with ordinality as c(resource_key, position)
             cross join lateral (
                select g.principal as user_id, g.standing_role, g.temporary_role, g.expires_at from grants g
                 where g.organization_key = t.organization_key and g.resource_key = c.resource_key
                   and g.principal > greatest(t.after_user_id, ${BEFORE_USERS} collate "C")
                 order by g.principal limit t.decisions
              ) g
             where t.is_open and ${GIVES_ACCESS}) read`

/** The next members of the groups that have a grant there. */
const MEMBERS = /* sql */ `
            select t.req, m.user_id, null, null, null, null
              from target t
             cross join lateral (
                select distinct g.principal
                  from unnest(t.chain) with ordinality as c(resource_key, position)
                 cross join lateral (
                    select g.principal from grants g
                     where g.organization_key = t.organization_key and g.resource_key = c.resource_key and g.principal < ${BEFORE_USERS} offset 0
                  ) g
                 where ${GIVES_ACCESS}
              ) held
             cross join lateral (
                select m.user_id from user_group_members m
                 where m.organization_key = t.organization_key and m.group_id = substr(held.principal, 2) and m.user_id > t.after_user_id
                 order by m.user_id limit t.decisions
              ) m
             where t.is_open and t.has_group_grants`

/** The user's grants on the other resources of the chain: they can give a role or, on the organization, membership. */
const ELSEWHERE = /* sql */ `(
                select c.position, g.standing_role, g.temporary_role, g.expires_at
                  from unnest(t.chain) with ordinality as c(resource_key, position)
                 cross join lateral (
                    select g.standing_role, g.temporary_role, g.expires_at from grants g
                     where g.organization_key = t.organization_key and g.resource_key = c.resource_key and g.principal = n.user_id
                        and g.kind = ${kindAt('c.position', 't.chain', 't.kind')} limit 1
                  ) g
                 where not ${GIVES_ACCESS}) elsewhere`

/**
 * `candidate`: the next users, at most $decisions of each request, with the ranks of their own grants. `class`: the
 * candidates with the same ranks and groups, for whom one decision is made. `reached`: the last candidate, if there may
 * be more.
 */
const CLASSES = /* sql */ `
  candidate as materialized (
    select n.*, case when t.has_group_grants
                     then array(select ${groupPrincipal('m.group_id')} from user_group_members m
                                 where m.organization_key = t.organization_key and m.user_id = n.user_id
                                 order by m.group_id) end as groups
      from (select req, user_id, row_number() over (partition by req order by user_id) as nth,
                   max(own_live) as own_live, max(own_any) as own_any, max(member_until) as member_until, bool_or(was_member) as was_member
              from (select req, user_id, ${OWN_RANK}
                      from ${ranked(READ, ', req, user_id')}
                     union all${MEMBERS}) both_ways
             group by req, user_id) n
      join target t on t.req = n.req and n.nth <= t.decisions
  ),
  class as materialized (
    select n.req, n.groups as list_groups, greatest(n.own_live, e.own_live) as own_live, greatest(n.own_any, e.own_any) as own_any,
           greatest(n.member_until, e.member_until) as own_member_until, coalesce(n.was_member, false) or coalesce(e.was_member, false) as own_was_member,
           json_agg(n.user_id) as user_ids, json_agg(n.nth) as places
      from candidate n
      join target t on t.req = n.req
      left join lateral (
        select true as is_disabled from disabled_users d where d.api_key_id = t.api_key_id and d.user_id = n.user_id limit 1
      ) disabled on true
      left join lateral (
        select ${ownRanks()} from ${ranked(ELSEWHERE)}
         where t.access_type = 'organizationPrivate' or t.has_group_grants
      ) e on true
     where disabled.is_disabled is null
     group by 1, 2, 3, 4, 5, 6
  ),
  reached as materialized (
    select n.req, n.user_id from candidate n join target t on t.req = n.req and t.decisions = n.nth
  )`

/** Decides about users whose own ranks are in the question. */
const LISTED: Parts = {
  target: /* sql */ `select item.list_chain as chain, item.list_boundary_at as boundary_at, item.list_access_type as access_type,
               false as is_disabled, false as is_user_disabled, item.list_organization_id as organization_id, item.list_groups as groups`,
  held: /* sql */ `
        select item.own_live, item.own_any, item.own_member_until as member_until, item.own_was_member as was_member,
               ${GROUP_RANKS}
        offset 0`,
  groups: true,
}

/**
 * Decides access for users with a grant that can matter: from the resource up to its boundary, on the organization if members
 * have access, anywhere above if the resource is public. Grants on each resource are read in the order of users, so the
 * cost does not depend on their number, and so are the members of each group with a grant there. The chain of the resource
 * is found once, and users with equal grants on it get one decision.
 */
export const LIST_PERMITTED_USERS = setStatement<UserListRow & RequestRow, ListedUsersRow>(
  'permitted-users.list',
  {
    req: 'int',
    organizationKey: 'uuid',
    kind: 'resource_kind',
    resourceId: 'text',
    defaultAccessType: 'access_type',
    defaultAccessRole: 'access_role',
    atLeast: 'access_role',
    afterUserId: 'text',
    decisions: 'int',
  },
  /* sql */ `
  with ${CLOCK},${TARGET},${CLASSES},
  question as (
    select t.req, t.organization_key, t.kind, t.resource_id, t.default_access_type, t.default_access_role, t.at_least, null::text as user_id, t.found, t.is_open,
           t.chain as list_chain, t.boundary_at as list_boundary_at, t.access_type as list_access_type, t.organization_id as list_organization_id,
           c.list_groups, c.own_live, c.own_any, c.own_member_until, c.own_was_member, c.user_ids, c.places,
           (select reached.user_id from reached where reached.req = t.req) as examined_to
      from target t
      join (select * from class
            union all
            select req, null, null, null, null, null, null, null from target) c on c.req = t.req
  ),${decidedAs('question item', LISTED)}
  select d.req, coalesce(d.found, false) as found, coalesce(d.is_open and d.access_type = 'public' and d.default_access_role >= coalesce(d.at_least, 'viewer'), false) as everyone, ${DECISION_COLUMNS},
         d.user_ids as "userIds", d.places, d.examined_to as "examinedTo"
    from decided d where d.user_ids is null or d.allowed and d.live_rank is not null`,
)
