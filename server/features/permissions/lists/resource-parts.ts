/** The parts, except the decision, of the SQL statements that list what a user has access to: text about one row `a` of `asked`. */
import { userDisabled } from '#tenancy/disabled-users.ts'
import { isLive, isMember, kindOnPath, liveRole } from '#tenancy/grants.ts'
import { groupPrincipal } from '#tenancy/principals.ts'

export const LAST_KEY = `'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`

/**
 * The maximum number of levels, times principals, at which one statement searches grants above folders. Without a limit, a statement would
 * take a hundred times as long among the deepest folders as at the top.
 */
export const LEVELS_MAX = 200_000

/**
 * Up to this number of grants of a user on the organization and its folders, decisions compare them with chains; more are
 * probed level by level.
 */
const COMPARED_MAX = 100

export const opens = (accessType: string): string =>
  /* sql */ `(${accessType} = 'public' or ${accessType} = 'organizationPrivate' and a.is_member)`

/**
 * Whether the user can have the requested role on resources in folder `f`: not if the nearest grant gives less, or
 * without one the default role of the API key.
 */
export const ROLE_SUFFICES = /* sql */ `(coalesce(a.at_least, 'viewer') = 'viewer' or a.at_least <= coalesce((
           select g.role from unnest(f.path) with ordinality as above(resource_key, position)
            cross join lateral (
              select max(g.role) as role
                from unnest(a.principals) as p(principal)
               cross join lateral (
                  select ${liveRole('g')} as role from grants g
                   where g.organization_key = a.organization_key and g.resource_key = above.resource_key and g.principal = p.principal
                     and g.kind = ${kindOnPath('above.resource_key', 'a.organization_key')} limit 1
                ) g
            ) g
             where g.role is not null order by above.position desc limit 1), a.default_access_role))`

/**
 * The grants of `held` as rows `g`. They are records: PostgreSQL would copy the definition of the table with its
 * constraints for each `unnest` of its rows, which took more than a twentieth of the time of a list.
 */
export const grantsOf = (held: string, g: string): string =>
  `unnest(${held}) as ${g}(resource_key uuid, principal text, standing_role access_role, temporary_role access_role, expires_at timestamptz)`

/**
 * The question, and the facts about the user. `principals`: the holders of the user's grants, the user first. `held`: the
 * grants on the organization and its folders, one more than `heldMax` of each principal at most. `scope_path`: the path of the
 * organization or folder that is listed.
 */
export const asked = (heldMax: string): string => /* sql */ `
  asked as materialized (
    select item.*, o.organization_id, o.added_at is not null and scope.path is not null as found, not o.disabled and not ${userDisabled('o.api_key_id', 'item.user_id')} as is_open,
           scope.path as scope_path, scope.path[cardinality(scope.path)] as scope_key, member.is_member, holder.principals, held.held,
           cardinality(held.held) <= ${COMPARED_MAX} and cardinality(held.held) <= ${heldMax} as compares
      from $input
      left join organizations o on o.organization_key = item.organization_key
      left join lateral (
        select r.path from resources r
         where r.organization_key = o.organization_key and r.id = coalesce(item.folder_id, o.organization_id)
           and r.kind = case when item.folder_id is null then 'organization'::resource_kind else 'folder' end limit 1
      ) scope on true
     cross join lateral (
        select ${isMember('item.organization_key', 'item.user_id')} as is_member
      ) member
     cross join lateral (
        select array[item.user_id] || case when member.is_member and o.has_group_grants
                                           then array(select ${groupPrincipal('m.group_id')} from user_group_members m
                                                       where m.organization_key = item.organization_key and m.user_id = item.user_id
                                                       order by m.group_id) end as principals
      ) holder
     cross join lateral (
        select array(select g.held
                       from unnest(holder.principals) as p(principal)
                      cross join lateral (
                         select (g.resource_key, g.principal, g.standing_role, g.temporary_role, g.expires_at) as held from grants g
                          where g.organization_key = item.organization_key and g.principal = p.principal and g.kind < 'document'
                          limit ${heldMax} + 1
                      ) g) as held
        offset 0
      ) held
  )`

/**
 * The path of folder `f` down to the boundary and the lowest grant. Folders below do not affect documents without grants and
 * access types of their own (ADR 0037). Applied to its own result, it changes nothing.
 */
export const decisivePath = (f: string): string => /* sql */ `
      ${f}.path[:case when a.compares then greatest(${f}.boundary_depth, (select max(array_position(${f}.path, h.resource_key)) from ${grantsOf('a.held', 'h')}))
                      else cardinality(${f}.path) end]`

/** The columns beside the key of a resource that was not found by a grant on it. */
export const ALONE = 'null::bigint, null::access_role, null::access_role, null::timestamptz'

/** The grants on documents, at most $decisions of each principal: `nth` is the number of the principal. */
export const GRANTED = /* sql */ `
      (select g.resource_key, p.nth, g.standing_role, g.temporary_role, g.expires_at
         from unnest(a.principals) with ordinality as p(principal, nth)
        cross join lateral (
           select g.resource_key, g.standing_role, g.temporary_role, g.expires_at from grants g
            where g.organization_key = a.organization_key and g.principal = p.principal and g.kind = 'document' and g.resource_key > a.after_key
            order by g.resource_key limit a.decisions
         ) g)`

/** The grants `own` on a document as rows `o`. */
export const ownGrants = (own: string, o: string): string =>
  `unnest(${own}) as ${o}(nth bigint, standing_role access_role, temporary_role access_role, expires_at timestamptz)`

/** Documents that an access type of their own may open, at most $decisions of each type. */
export const TYPED = /* sql */ `
      (select r.resource_key, ${ALONE} from resources r
        where r.organization_key = a.organization_key and r.own_access_type = 'public' and r.kind = 'document' and r.resource_key > a.after_key
        order by r.resource_key limit a.decisions)
      union all
      (select r.resource_key, ${ALONE} from resources r
        where r.organization_key = a.organization_key and r.own_access_type = 'organizationPrivate' and r.kind = 'document'
          and r.resource_key > a.after_key and a.is_member
        order by r.resource_key limit a.decisions)`

/**
 * The CTE `entrance`: boundaries, each with a path at and below which everything that shares the boundary is
 * accessible, at most `max` and one more by access types. `open_boundary` has as many rows.
 */
export const entrances = (max: string): string => /* sql */ `
  open_boundary as materialized (
    select b.resource_key
      from (select a.organization_key as resource_key where ${opens('a.default_access_type')}
            union all
            select f.resource_key from resources f
             where f.organization_key = a.organization_key and f.own_access_type = 'public' and f.kind = 'folder'
            union all
            select f.resource_key from resources f
             where f.organization_key = a.organization_key and f.own_access_type = 'organizationPrivate' and f.kind = 'folder'
               and a.is_member) b
     limit ${max} + 1
  ),
  entrance as (
    select b.resource_key as boundary_key, a.scope_path as path from open_boundary b
    union all
    select top.boundary_key, greatest(top.path, a.scope_path)
      from ${grantsOf('a.held', 'h')}
     cross join lateral (
        select r.boundary_key, r.path from resources r
         where r.organization_key = a.organization_key and r.resource_key = h.resource_key limit 1
      ) top
     where ${isLive('h')} and not exists (select from open_boundary b where b.resource_key = top.boundary_key)
       and (top.path[cardinality(a.scope_path)] = a.scope_key or a.scope_path[cardinality(top.path)] = h.resource_key)
  )`

/** The CTE `inside` of lists of folders, each of which has a decision of its own. */
export const NOTHING_INSIDE = /* sql */ `
  inside as (select null::uuid[] as path, null::int as boundary_depth, null::access_type as boundary_access_type, null::uuid[] as keys, null::text[] as ids where false)`
