/** SQL that finds grants for findings in a bounded number of rows of one API key. `grants.ts` judges them. */
import type { AccessRole, ResourceType } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { statement } from '#platform/db/statement.ts'
import { isFilled } from '#tenancy/filled-organizations.ts'
import { hasExpired, isLive, isLiveUntil, kindOnPath, liveRole } from '#tenancy/grants.ts'
import { groupPrincipal } from '#tenancy/principals.ts'
import { SCANNED } from './resource-statements.ts'

export interface GrantCandidate {
  scanned: number
  organizationId: string
  type: ResourceType
  id: string
  resourceName: string | null
  isDeclared: boolean
  /** Only grants have named the organization. */
  isBare: boolean
  userId: string
  userName: string | null
  /** The profile, if it may say that somebody is a guest, a trainee, or gone. */
  profile: Readonly<Record<string, unknown>> | null
  /** When the user was disabled in another API key of the workspace. */
  disabledAt: Date | null
  standingRole: AccessRole | null
  temporaryRole: AccessRole | null
  expiresAt: Date | null
  hasExpiredLately: boolean
  isWeaker: boolean
  now: Date
}

const IN_GROUPS_MAX = 64

/**
 * Whether the grant `s` of a member is the reason for the weaker role although groups have grants, which count like own
 * ones: they have none on the resource, and above it none that is nearer than the stronger one, unless it is stronger too.
 */
const WEAKER_BESIDE_GROUPS = /* sql */ `(
                 select count(*) filter (where depth > cardinality(f.path)) = 0
                        and coalesce((array_agg(role order by depth desc, role desc)
                                        filter (where depth > above.nearest_depth and depth <= cardinality(f.path)))[1] > ${liveRole('s')}, true)
                   from (
                      select a.depth, ${liveRole('g')} as role
                        from (select ${groupPrincipal('m.group_id')} as principal from user_group_members m
                               where m.organization_key = s.organization_key and m.user_id = s.principal
                               order by m.group_id limit ${IN_GROUPS_MAX}) m
                       cross join unnest(f.path || s.resource_key) with ordinality as a (resource_key, depth)
                       cross join lateral (
                         select * from grants g where g.organization_key = s.organization_key and g.resource_key = a.resource_key
                            and g.kind = case when a.resource_key = s.resource_key then s.kind else ${kindOnPath('a.resource_key', 's.organization_key')} end
                            and g.principal = m.principal and ${isLive('g')} limit 1
                       ) g
                   ) of_groups)`

/**
 * Finds grants of users in key `$1`, in organization `$3` unless that is null: on resources that were never added, in
 * organizations without a name, folders and documents, of users who are disabled in another key of workspace `$2` (null:
 * nobody is), weaker than the grant of the same user that would count without it, expired within a week, or of users
 * whose profile matches `$4`.
 */
export const FIND_GRANTS = statement<GrantCandidate | (Pick<GrantCandidate, 'scanned'> & { id: null })>(
  'findings.grants',
  /* sql */ `
  with scanned as materialized (
    select g.*, o.organization_id, o.name as organization_name, o.has_group_grants
      from (select * from organizations o
             where o.api_key_id = $1 and ($3::uuid is null or o.organization_key = $3) and not o.disabled offset 0) o
     cross join lateral (
       select * from grants g
        where g.organization_key = o.organization_key and g.principal >= ' '
        order by g.organization_key, g.resource_key, g.principal limit ${SCANNED}
     ) g
     limit ${SCANNED}
  ),
  bare as materialized (
    select o.organization_key
      from (select distinct organization_key, organization_name as name from scanned) o where not ${isFilled}
  ),
  judged as (
    select s.*, r.id, exists (select from bare b where b.organization_key = s.organization_key) as is_bare, coalesce(r.name, case when r.kind = 'organization' then s.organization_name end) as name, r.added_at is null and r.kind <> 'organization' as is_declared, u.profile->>'name' as user_name,
           case when u.profile::text ~* $4::text then u.profile end as profile, elsewhere.disabled_at,
           s.standing_role is null and ${hasExpired('s.expires_at')}
             and ${isLiveUntil('s.expires_at', "coalesce($now, clock_timestamp()) - interval '7 days'")} as has_expired_lately,
           case when ${liveRole('s')} < above.nearest_role
                 and (coalesce(r.own_access_type, f.boundary_access_type, k.default_access_type) = 'public'
                      or coalesce(r.own_access_type, f.boundary_access_type, k.default_access_type) = 'organizationPrivate' and above.is_member
                      or r.own_access_type is null and above.is_within)
                then not (s.has_group_grants and above.is_member) or ${WEAKER_BESIDE_GROUPS} end as is_weaker, ${isLive('s')} as is_live
      from (select default_access_type from api_keys where api_key_id = $1) k
     cross join scanned s
     cross join lateral (
       select * from resources r where r.organization_key = s.organization_key and r.resource_key = s.resource_key limit 1
     ) r
      left join lateral (
        select * from users u where u.api_key_id = $1 and u.user_id = s.principal limit 1
      ) u on true
      left join lateral (
        select min(d.disabled_at) as disabled_at
          from (select * from api_keys k where k.workspace_id = $2 and k.api_key_id <> $1 offset 0) k
         cross join lateral (
           select * from disabled_users d where d.api_key_id = k.api_key_id and d.user_id = s.principal limit 1
         ) d
      ) elsewhere on true
      left join lateral (
        select * from resources f
         where f.organization_key = s.organization_key and f.resource_key = coalesce(r.folder_key, s.organization_key)
           and r.kind <> 'organization' limit 1
      ) f on true
      left join lateral (
        select (array_agg(${liveRole('g')} order by a.depth desc))[1] as nearest_role,
               max(a.depth) as nearest_depth, bool_or(a.depth >= f.boundary_depth) as is_within, bool_or(a.depth = 1) as is_member
          from unnest(f.path) with ordinality as a (resource_key, depth)
         cross join lateral (
           select * from grants g where g.organization_key = s.organization_key and g.resource_key = a.resource_key
              and g.principal = s.principal and g.kind = ${kindOnPath('a.resource_key', 's.organization_key')} and ${isLive('g')} limit 1
         ) g
      ) above on true
  )
  select (select count(*) from scanned)::int as scanned, found.*
    from (select) one
    left join lateral (
      select organization_id as "organizationId", kind as type, id, name as "resourceName", is_declared as "isDeclared", is_bare as "isBare",
             principal as "userId", user_name as "userName", profile, disabled_at as "disabledAt",
             standing_role as "standingRole", case when ${isLiveUntil('expires_at')} then temporary_role end as "temporaryRole",
             expires_at as "expiresAt", coalesce(has_expired_lately, false) as "hasExpiredLately",
             coalesce(is_weaker, false) as "isWeaker", coalesce($now, clock_timestamp()) as now
        from judged
       where has_expired_lately
          or is_live and (is_declared or is_bare or is_weaker or disabled_at is not null or profile is not null)
       order by organization_id, kind, id, principal limit ${LIMITS.findingsExaminedMax}
    ) found on true`,
)
