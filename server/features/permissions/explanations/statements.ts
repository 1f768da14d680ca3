/** The SQL statement that explains a decision. */
import type { AccessRole, AccessType, ResourceType } from '#contract/access/permissions.ts'
import { setStatement } from '#platform/db/statement.ts'
import { isFilled, neighbours } from '#tenancy/filled-organizations.ts'
import { CLOCK_NOW, isLiveUntil, liveRole } from '#tenancy/grants.ts'
import { BEFORE_USERS } from '#tenancy/principals.ts'
import { DECISION_COLUMNS, type DecisionRow, QUESTION_COLUMNS, type QuestionRow } from '../decision/rows.ts'
import { CLOCK, decidedAs, STORED_WITH_ALL_GROUPS } from '../decision/statement.ts'

/** A resource of the chain, with the decision on the requested one. */
export interface ExplanationRow extends DecisionRow {
  /** The decision at the end of the present one; null if that has none. */
  afterwards: DecisionRow | null
  userDisabled: boolean
  /** If null, the requested resource does not exist, and the columns below are null too. */
  type: ResourceType | null
  id: string
  name: string | null
  ownAccessType: AccessType | null
  added: boolean
  disabled: boolean
  boundary: boolean
  standingRole: AccessRole | null
  temporaryRole: AccessRole | null
  /** The expiry of the temporary grant. */
  grantExpiresAt: number | null
  live: boolean
  /** Whether a permission provider gave the temporary grant. */
  isProvided: boolean
  /** The grants of the user's groups here, by group. */
  groupGrants: GroupGrants[]
  /** Whether a grant here can give access. */
  reaches: boolean
  /** The live grants of the user and the user's groups on folders and documents that were never added. */
  undeclared: UndeclaredGrant[]
  /** Null: the organization does not exist, or only grants have named it too. */
  organizationId: string | null
  elsewhere: ElsewhereGrant[]
}

export interface UndeclaredGrant {
  type: ResourceType
  id: string
  accessRole: AccessRole
  /** Null: the user holds it. */
  groupId: string | null
}

/** A live grant of the user in an organization that only grants have named: on all of it, or on the requested resource there. */
interface ElsewhereGrant extends Omit<UndeclaredGrant, 'groupId'> {
  organizationId: string
}

/** The grants of each holder that are compared with the resource in question. */
const COMPARED_MAX = 1_000

/** The grants of the user that are examined in each of these organizations; those on all of it come first. */
const EXAMINED_MAX = 100

export interface GroupGrants
  extends Pick<ExplanationRow, 'standingRole' | 'temporaryRole' | 'grantExpiresAt' | 'live'> {
  groupId: string
  /** Whether the user is a member of the organization, and so in the group. */
  member: boolean
}

/** Returns one row for each resource of the chain, nearest first; a single row if the resource does not exist. */
export const EXPLAIN = setStatement<QuestionRow, ExplanationRow>(
  'permissions.explain',
  QUESTION_COLUMNS,
  /* sql */ `
  with ${CLOCK},${decidedAs('$input', STORED_WITH_ALL_GROUPS)},
  later as materialized (
    select organization_key, kind, resource_id, user_id, default_access_type, default_access_role, at_least, to_timestamp(expires_at) as at
      from decided where expires_at is not null
  ),
  afterwards as materialized (
    with clock as materialized (select at as now from later limit 1),${decidedAs('later item')}
    select to_jsonb(decision) as decision from (select ${DECISION_COLUMNS} from decided d) decision
  ),
  undeclared as materialized (
    select coalesce(jsonb_agg(jsonb_build_object(
             'type', r.kind, 'id', r.id, 'accessRole', ${liveRole('g', CLOCK_NOW)},
             'groupId', case when g.principal <> d.user_id then substr(g.principal, 2) end) order by r.kind, r.id), '[]') as grants
      from decided d
     cross join lateral unnest(array[d.user_id] || d.groups) as holder(principal)
     cross join lateral (
        select g.* from grants g
         where g.organization_key = d.organization_key and g.principal = holder.principal and g.kind <> 'organization'
         limit ${COMPARED_MAX}
     ) g
     cross join lateral (
        select r.kind, r.id from resources r
         where r.organization_key = d.organization_key and r.resource_key = g.resource_key and r.added_at is null limit 1
     ) r
     where ${liveRole('g', CLOCK_NOW)} is not null
  ),
  asked as materialized (
    select d.user_id, d.kind, d.resource_id, o.api_key_id, o.organization_id
      from decided d
     cross join lateral (
        select * from organizations o where o.organization_key = d.organization_key limit 1
     ) o
     where ${isFilled}
  ),
  elsewhere as materialized (
    select coalesce(jsonb_agg(jsonb_build_object(
             'organizationId', o.organization_id, 'type', r.kind, 'id', r.id, 'accessRole', ${liveRole('g', CLOCK_NOW)})
             order by o.organization_id, r.kind desc), '[]') as grants
      from asked a
     cross join lateral ${neighbours('a.api_key_id', 'a.organization_id')} o
     cross join lateral (
        select g.* from grants g
         where g.organization_key = o.organization_key and g.principal = a.user_id and g.kind in ('organization', a.kind)
         order by g.kind, g.resource_key limit ${EXAMINED_MAX}
     ) g
     cross join lateral (
        select r.kind, r.id from resources r
         where r.organization_key = o.organization_key and r.resource_key = g.resource_key limit 1
     ) r
     where (r.kind = 'organization' or r.id = a.resource_id) and ${liveRole('g', CLOCK_NOW)} is not null and not ${isFilled}
  )
  select ${DECISION_COLUMNS}, (select decision from afterwards) as afterwards, coalesce(d.is_user_disabled, false) as "userDisabled",
         entry.kind as type, entry.id, entry.name, entry.own_access_type as "ownAccessType", entry.added, entry.disabled,
         entry.position = d.boundary_at as boundary,
         held.standing_role as "standingRole", held.temporary_role as "temporaryRole",
         extract(epoch from held.expires_at)::bigint as "grantExpiresAt", ${isLiveUntil('held.expires_at', CLOCK_NOW)} as live,
         held.temporary_role is not null and held.provided_by is not null as "isProvided", of_groups.grants as "groupGrants",
         (select grants from undeclared) as undeclared, (select organization_id from asked) as "organizationId",
         (select grants from elsewhere) as elsewhere,
         entry.position >= d.boundary_at
           or coalesce(entry.position = 1 and d.access_type = 'organizationPrivate', false) as reaches
    from decided d
    left join lateral (
      select c.position, r.kind, r.resource_key, r.id, coalesce(o.name, r.name) as name, r.own_access_type, r.added_at is not null as added,
             coalesce(o.disabled, r.disabled) as disabled
        from unnest(d.chain) with ordinality as c(resource_key, position)
       cross join lateral (
          select r.* from resources r
           where r.organization_key = d.organization_key and r.resource_key = c.resource_key limit 1
       ) r
        left join lateral (
          select o.name, o.disabled from organizations o
           where r.kind = 'organization' and o.organization_key = d.organization_key limit 1
        ) o on true
    ) entry on true
    left join lateral (
      select g.standing_role, g.temporary_role, g.expires_at, g.provided_by from grants g
       where g.organization_key = d.organization_key and g.resource_key = entry.resource_key and g.principal = d.user_id
         and g.kind = entry.kind limit 1
    ) held on true
   cross join lateral (
      select coalesce(jsonb_agg(jsonb_build_object(
               'groupId', substr(g.principal, 2), 'member', d.member_until is not null, 'standingRole', g.standing_role,
               'temporaryRole', g.temporary_role, 'grantExpiresAt', extract(epoch from g.expires_at)::bigint,
               'live', ${isLiveUntil('g.expires_at', CLOCK_NOW)}) order by g.principal), '[]') as grants
        from grants g
       where g.organization_key = d.organization_key and g.resource_key = entry.resource_key and g.principal < ${BEFORE_USERS}
         and g.principal = any(d.groups)
    ) of_groups
   order by entry.position desc`,
)
