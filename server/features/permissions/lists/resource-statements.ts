/**
 * The parts shared by the SQL statements that list what a user has access to. Each statement finds candidates in the order
 * of resource_key, and decides them with the SQL of all decisions: an unnecessary candidate costs only time. The result is
 * complete up to `examinedTo`, so the next statement can continue there with either strategy (ADR 0014).
 */

import type { AccessRole, AccessType, ResourceType } from '#contract/access/permissions.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { type SetStatement, setStatement } from '#platform/db/statement.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import { groupRanksAmong, ownRanks, ranked } from '../decision/ranks.ts'
import { DECISION_COLUMNS, type DecisionRow } from '../decision/rows.ts'
import { CLOCK, decidedAs, type Parts } from '../decision/statement.ts'
import { kindAt } from '../decision/stored-data.ts'
import { asked, decisivePath, grantsOf, LAST_KEY, ownGrants } from './resource-parts.ts'

export type ListedKind = Exclude<ResourceType, 'organization'>

/** The number of decisions of a list that take as long as a row of other reads. */
export const DECISIONS_PER_ROW = 128

/** Asks for the next resources of a kind, after a key. */
export interface ResourceListRow {
  organizationKey: OrganizationKey
  userId: string
  /** The folder to list; null: the organization. */
  folderId: string | null
  /** The default access type of the API key. */
  defaultAccessType: AccessType
  /** The default access role of the API key. */
  defaultAccessRole: AccessRole
  /** The requested role; null: any. */
  atLeast: AccessRole | null
  afterKey: string
  /** The maximum number of candidates. */
  decisions: number
  /** The maximum number of folders or resources to examine. */
  examinedMax: number
}

/**
 * One decision and the resources for which it was made, folder by folder. One row of each request has none, and says
 * how far the statement searched.
 */
export interface ListedResourcesRow extends DecisionRow, RequestRow {
  /** Null: a disabled document. */
  ids: (string | null)[][] | null
  keys: string[][] | null
  /** Documents with grants or an access type of their own: this decision, allowed or not, overrides that of their folder. */
  isItself: boolean
  /** False: the organization or the folder does not exist. */
  found: boolean
  /** Everything up to this key was examined; null: everything. */
  examinedTo: string | null
  /** More folders are accessible than `examinedMax`: nothing was examined. */
  tooMany: boolean
}

export type ListStatement = SetStatement<ResourceListRow & RequestRow, ListedResourcesRow>

/** Stands for any document in a chain; no resource has this key. */
const ANY_DOCUMENT = `'00000000-0000-0000-0000-000000000000'::uuid`

/** Decides a resource whose chain is in the question, by the grants that were read for the whole list and those on itself. */
const LISTED: Parts = {
  target: /* sql */ `select item.list_chain as chain, item.list_boundary_at as boundary_at, item.list_access_type as access_type,
               false as is_disabled, false as is_user_disabled, item.list_organization_id as organization_id, item.principals[2:] as groups`,
  held: /* sql */ `
        select ${ownRanks('nth = 1')},
               case when cardinality(target.groups) > 0 then ${groupRanksAmong('nth - 1', 'nth > 1')} end as of_groups
          from ${ranked(
            `(
            select array_position(target.chain, g.resource_key)::bigint as position, array_position(item.principals, g.principal)::bigint as nth,
                   g.standing_role, g.temporary_role, g.expires_at
              from ${grantsOf('item.held', 'g')} where item.compares
            union all
            select c.position, p.nth, g.standing_role, g.temporary_role, g.expires_at
              from unnest(target.chain) with ordinality as c(resource_key, position)
             cross join unnest(item.principals) with ordinality as p(principal, nth)
             cross join lateral (
                select g.standing_role, g.temporary_role, g.expires_at from grants g
                 where g.organization_key = item.organization_key and g.resource_key = c.resource_key and g.principal = p.principal
                   and g.kind = ${kindAt('c.position', 'target.chain', 'item.kind')} limit 1
              ) g
             where not item.compares
            union all
            select cardinality(target.chain), o.nth, o.standing_role, o.temporary_role, o.expires_at from ${ownGrants('item.own', 'o')}) facts`,
            ', nth',
          )}`,
  groups: true,
}

/**
 * The found documents, as questions. Documents share a question if their paths are the same down to the boundary and the
 * lowest grant, because folders below do not matter, and so are their own grants and access types (ADR 0037). Each folder
 * has its own question. One more row says how far the search went.
 */
const questions = (sources: string, tooMany: string): string => /* sql */ `
  by_itself as materialized (
    select s.resource_key, array_agg((s.nth, s.standing_role, s.temporary_role, s.expires_at) order by s.nth) filter (where s.nth is not null) as own
      from (${sources}
           ) s(resource_key, nth, standing_role, temporary_role, expires_at)
     where s.resource_key <= coalesce((select resource_key from bound), ${LAST_KEY}) and not ${tooMany} and a.is_open
     group by s.resource_key
     order by s.resource_key limit a.decisions
  ),
  examined as materialized (
    select least((select resource_key from bound),
                 (select b.resource_key from by_itself b order by b.resource_key offset a.decisions - 1 limit 1)) as up_to
  )
  select 'document'::resource_kind as kind, null as resource_id, json_agg(i.ids[1:kept.documents]) as ids, json_agg(i.keys[1:kept.documents]) as keys,
         false as is_itself, decisive.path || ${ANY_DOCUMENT} as list_chain, i.boundary_depth as list_boundary_at,
         coalesce(i.boundary_access_type, a.default_access_type) as list_access_type, null::record[] as own,
         null::uuid as examined_to, false as too_many
    from inside i
   cross join examined
   cross join lateral (select coalesce(width_bucket(examined.up_to, i.keys), cardinality(i.keys)) as documents) kept
   cross join lateral (select ${decisivePath('i')} as path) decisive
   where kept.documents > 0
   group by decisive.path, i.boundary_depth, i.boundary_access_type
   union all
  select i.kind, case when i.kind = 'folder' then min(i.id) end, json_build_array(array_agg(i.id)), json_build_array(array_agg(i.resource_key)),
         i.kind = 'document', i.chain, i.boundary_at, i.access_type, i.own, null, false
    from (select r.kind, r.id, b.resource_key,
                 case r.kind when 'folder' then r.path else decisive.path || ${ANY_DOCUMENT} end as chain,
                 case when r.kind = 'folder' then r.boundary_depth
                      when r.own_access_type is not null then cardinality(decisive.path) + 1
                      else f.boundary_depth end as boundary_at,
                 case when r.kind = 'folder' then coalesce(r.boundary_access_type, a.default_access_type)
                      else coalesce(r.own_access_type, f.boundary_access_type, a.default_access_type) end as access_type, b.own
            from by_itself b
           cross join examined
           cross join lateral (
              select r.kind, r.id, r.path, coalesce(r.folder_key, r.organization_key) as folder_key, r.own_access_type, r.boundary_depth,
                     r.boundary_access_type, r.disabled
                from resources r
               where r.organization_key = a.organization_key and r.resource_key = b.resource_key limit 1
            ) r
           cross join lateral (
              select f.path, f.boundary_depth, f.boundary_access_type from resources f
               where f.organization_key = a.organization_key and f.resource_key = r.folder_key limit 1
            ) f
           cross join lateral (select ${decisivePath('f')} as path) decisive
           where not (r.kind = 'document' and r.disabled) and b.resource_key <= coalesce(examined.up_to, ${LAST_KEY})
             and (coalesce(r.path, f.path))[cardinality(a.scope_path)] = a.scope_key) i
   group by i.kind, i.chain, i.boundary_at, i.access_type, i.own
   union all
  select null, null, null, null, false, null, null, null, null, (select up_to from examined), ${tooMany}`

/** The result of a statement: text about one row `a` of `asked`. */
interface Found {
  /** How many grants of each principal on the organization and its folders are read, but for one. */
  heldMax: string
  /**
   * CTEs: `inside` has a row for each open folder with documents that share one decision (`path`, `boundary_depth`,
   * `boundary_access_type`; `keys` of the documents in their order, and their `ids`, null if disabled), `bound` the key
   * up to which the search was complete, or with which `inside` has enough documents, null if it was complete
   * everywhere.
   */
  found: string
  /** The resources that have a decision of their own: the first `decisions` of each source, so the first of all have all their grants. */
  sources: string
  /** Whether there is more than the statement examines. */
  tooMany: string
}

/** Returns a statement that finds and decides the first resources after a key. */
export const list = (name: string, { heldMax, found, sources, tooMany }: Found): ListStatement =>
  setStatement(
    name,
    {
      req: 'int',
      organizationKey: 'uuid',
      userId: 'text',
      folderId: 'text',
      defaultAccessType: 'access_type',
      defaultAccessRole: 'access_role',
      atLeast: 'access_role',
      afterKey: 'uuid',
      decisions: 'int',
      examinedMax: 'int',
    },
    /* sql */ `
  with ${CLOCK},${asked(heldMax)},
  question as (
    select a.req, a.organization_key, a.user_id, a.default_access_type, a.default_access_role, a.at_least, a.organization_id as list_organization_id, a.principals, a.held,
           a.compares, a.found, q.*
      from asked a
     cross join lateral (
        with ${found},${questions(sources, tooMany)}
      ) q
  ),${decidedAs('(select * from question where kind is not null) item', LISTED)}
  select d.req, d.found, ${DECISION_COLUMNS}, d.ids, d.keys, d.is_itself as "isItself", d.examined_to as "examinedTo", d.too_many as "tooMany"
    from decided d
   where d.allowed or d.is_itself
   union all
  select q.req, q.found, false, null, null, null, null, null, null, null, null, null, null, null, false, q.examined_to, q.too_many
    from question q where q.kind is null`,
  )
