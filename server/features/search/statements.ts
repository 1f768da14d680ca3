/**
 * The SQL statements of the search (ADR 0045). Triggers keep `search_entries` (migration 0013); a page reads it in the order of its
 * keys, or by the index of grams where few entries match. Both return the same rows in the same order.
 */
import type { EntryKind } from '#contract/resources/search.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { userDisabled } from '#tenancy/disabled-users.ts'
import { isLive } from '#tenancy/grants.ts'

/** Returns a query as the words of entries are folded. */
export const FOLD = statement<{ folded: string }>('search.fold', 'select search_fold($1::text) as folded')

export interface EntryRow {
  place: string
  entryKey: string
  id: string
}

/** An entry of a scan. The last entry that it may examine is always included, and says whether it matches. */
type ScannedRow = EntryRow & { matches: boolean; isScanEnd: boolean }

/** How many entries the index finds, up to one more than the limit, and an entry of the page, if there is any. */
type FoundRow = { found: number } & (EntryRow | { entryKey: null })

const ENTRY = 'e.place, e.entry_key as "entryKey", e.id'

/**
 * $5: patterns, all of which the words must match; $6: a pattern that they must not match, or null; $9: a regular
 * expression that they must match, or null.
 */
const MATCHES =
  '(e.words like all ($5::text[]) and (e.words like $6::text) is not true and (e.words ~ $9::text) is not false)'

const OF_TENANT = 'e.api_key_id = $1 and e.kind = $2::search_kind'

/** After the entry that `$3` and `$4` name. */
const FOLLOWING = '(e.place, e.entry_key) > ($3::uuid, $4::uuid)'

/** The entries that a statement lists: all of the kind `$2` of API key `$1`, or a part of them. */
interface Scope {
  from: string
  /** The place of all of them, or null. */
  place: string
  /** A condition that no index knows. */
  member: string
}

/** Returns a scope, given the parameter that is the key of the organization. */
type ScopeOf = (organization: string) => Scope

const inDataSet: ScopeOf = () => ({ from: OF_TENANT, place: 'null', member: 'true' })

const inOrganization: ScopeOf = (organization) => ({
  from: `${OF_TENANT} and e.place = ${organization}::uuid`,
  place: `${organization}::uuid`,
  member: 'true',
})

/** Users, who have no place, but live grants in the organization. */
const ofMembers: ScopeOf = (organization) => ({
  from: OF_TENANT,
  place: 'null',
  member: /* sql */ `exists (
              select from grants g where g.organization_key = ${organization}::uuid and g.principal = e.id and ${isLive('g')})`,
})

/**
 * Returns a statement that scans at most `$8` entries in the order of their keys, and lists at most `$7` that match.
 */
function scan(name: string, scope: ScopeOf) {
  const { from, member } = scope('$10')
  return statement<ScannedRow>(
    name,
    /* sql */ `
  select ${ENTRY}, e.matches, e.nth = $8 as "isScanEnd"
    from (select e.*, ${MATCHES} and ${member} as matches, row_number() over (order by e.place, e.entry_key) as nth
            from (select * from search_entries e where ${from} and ${FOLLOWING} order by e.place, e.entry_key limit $8::int) e) e
   where e.matches or e.nth = $8
   order by e.place, e.entry_key limit $7::int`,
  )
}

/** Entries that say which grams are rare. */
const SAMPLED_ENTRIES = 200

/**
 * The number of grams that a statement uses. Each gram costs time for every entry that has the other grams, and this
 * number of rare grams leaves few entries.
 */
const GRAMS_MAX = 6

/** A gram that more of the sample have leaves too many entries to be worth that time. */
const FREQUENT_IN_SAMPLE = SAMPLED_ENTRIES / 4

/**
 * Returns a statement that lists the same entries as the scan, from the entries that have the rarest grams of the parts `$10`:
 * of all parts with the same number in `$11`. If there are more than `$8` of these, it lists none. The grams name the API key
 * and the kind; with a condition on these columns, the planner could read the other index.
 */
function lookUp(name: string, scope: ScopeOf) {
  const { from, place, member } = scope('$12')
  return statement<FoundRow>(
    name,
    /* sql */ `
  with sample as materialized (
    select e.words from search_entries e where ${from} order by e.place, e.entry_key limit ${SAMPLED_ENTRIES}
  ),
  gram as (
    select p.reading, g.gram, n.sampled, row_number() over (partition by p.ord order by n.sampled) as nth
      from unnest($10::text[], $11::int[]) with ordinality as p(part, reading, ord)
     cross join lateral (select distinct substr(p.part, i, 3) as gram from generate_series(1, length(p.part) - 2) i) g
     cross join lateral (select count(*) as sampled from sample s where position(g.gram in s.words) > 0) n
  ),
  reading as (
    select array_agg(key) as grams
      from gram cross join lateral unnest(search_grams($1, $2::search_kind, null, gram)) key
     where nth = 1 or (sampled < ${FREQUENT_IN_SAMPLE} and nth <= ${GRAMS_MAX} / cardinality(array_positions($11::int[], reading)))
     group by reading
  ),
  found as materialized (
    select distinct e.*
      from reading
     cross join lateral (
        select e.* from search_entries e
         where search_grams(e.api_key_id, e.kind, e.place, e.words) @> (search_grams($1, $2::search_kind, ${place}, '') || reading.grams)
         limit $8::int + 1
      ) e
  )
  select n.found, d.*
    from (select count(*)::int as found from found) n
    left join lateral (
      select ${ENTRY} from found e
       where n.found <= $8 and ${from} and ${FOLLOWING} and ${MATCHES} and ${member}
       order by e.place, e.entry_key limit $7::int
    ) d on true
   order by d.place, d."entryKey"`,
  )
}

export const SCAN_DATA_SET = scan('search.scan', inDataSet)
export const SCAN_ORGANIZATION = scan('search.scan-organization', inOrganization)
export const SCAN_MEMBERS = scan('search.scan-members', ofMembers)
export const LOOK_UP_DATA_SET = lookUp('search.look-up', inDataSet)
export const LOOK_UP_ORGANIZATION = lookUp('search.look-up-organization', inOrganization)
export const LOOK_UP_MEMBERS = lookUp('search.look-up-members', ofMembers)

export interface DescribedRow {
  kind: EntryKind
  id: string
  name: string | null
  email: string | null
  organizationId: string | null
  organizationName: string | null
  folderId: string | null
  folderName: string | null
  disabled: boolean
  declared: boolean
}

/** Describes entries, in their order, without those that were deleted since. */
export const DESCRIBE = setStatement<
  { apiKeyId: string; kind: EntryKind; organizationKey: string; entryKey: string; id: string },
  DescribedRow
>(
  'search.describe',
  { apiKeyId: 'text', kind: 'text', organizationKey: 'uuid', entryKey: 'uuid', id: 'text' },
  /* sql */ `
  select item.kind, coalesce(r.id, item.id) as id,
         case item.kind when 'organization' then o.name when 'user' then u.profile ->> 'name' when 'userGroup' then g.name else r.name end as name,
         u.profile ->> 'email' as email, o.organization_id as "organizationId", o.name as "organizationName",
         f.id as "folderId", f.name as "folderName",
         case item.kind when 'organization' then o.disabled when 'user' then ${userDisabled('item.api_key_id', 'item.id')}
              else coalesce(r.disabled, false) end as disabled,
         r.id is not null and r.added_at is null as declared
    from $input
    left join lateral (
      select o.organization_id, o.name, o.disabled from organizations o where o.organization_key = item.organization_key limit 1
    ) o on true
    left join lateral (
      select r.* from resources r
       where item.kind in ('folder', 'document') and r.organization_key = item.organization_key and r.resource_key = item.entry_key limit 1
    ) r on true
    left join lateral (
      select f.id, f.name from resources f
       where f.organization_key = item.organization_key and f.resource_key = r.folder_key limit 1
    ) f on true
    left join lateral (
      select u.profile from users u where item.kind = 'user' and u.api_key_id = item.api_key_id and u.user_id = item.id limit 1
    ) u on true
    left join lateral (
      select g.group_id, g.name from user_groups g
       where item.kind = 'userGroup' and g.organization_key = item.organization_key and g.group_id = item.id limit 1
    ) g on true
   where case item.kind when 'organization' then o.organization_id is not null when 'user' then u.profile is not null
                        when 'userGroup' then g.group_id is not null else r.id is not null end
   order by item.ord`,
)
