/** SQL that finds folders and documents for findings in a bounded number of rows of one API key. `resources.ts` judges them. */
import type { ResourceType } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { statement } from '#platform/db/statement.ts'
import { isLive, liveRole } from '#tenancy/grants.ts'

/** One more than is judged, so that it is known whether there are more. */
export const SCANNED = LIMITS.findingsExaminedMax + 1

export interface ResourceCandidate {
  scanned: number
  organizationId: string
  type: Exclude<ResourceType, 'organization'>
  id: string
  name: string | null
  changedAt: Date | null
  isPublic: boolean
  isPublicInRestricted: boolean
  isClosedInside: boolean
  isDisabledWithGrants: boolean
}

/** Some live grants above the resource `s`, if anything about it depends on them: reading them for each resource costs a multiple of the rest. */
const GRANTS_ABOVE = /* sql */ `unnest(case when s.own_access_type = 'restricted' or s.disabled then f.path end) as a (resource_key)
                        cross join lateral (
                           select * from grants g where g.organization_key = s.organization_key
                              and g.resource_key = a.resource_key and ${isLive('g')} limit 100
                        ) g`

/**
 * Finds folders and documents of key `$1`, in organization `$2` unless that is null: public ones whose id or name
 * matches `$3`, public ones in restricted folders, restricted ones that people with grants above cannot open
 * (everybody, or in a folder that is not restricted an editor of it) unless the way to open them would open them to
 * everybody, and disabled ones that have grants on themselves or above. Each row also has the number of scanned
 * resources; a row without an id has only that number.
 */
export const FIND_RESOURCES = statement<ResourceCandidate | (Pick<ResourceCandidate, 'scanned'> & { id: null })>(
  'findings.resources',
  /* sql */ `
  with scanned as materialized (
    select r.*, o.organization_id, k.default_access_type
      from (select * from api_keys where api_key_id = $1) k
     cross join lateral (
       select * from organizations o
        where o.api_key_id = $1 and ($2::uuid is null or o.organization_key = $2) and not o.disabled offset 0
     ) o
     cross join lateral (
       select * from resources r
        where r.organization_key = o.organization_key and r.kind <> 'organization' order by r.resource_key limit ${SCANNED}
     ) r
     limit ${SCANNED}
  ),
  judged as (
    select s.*,
           coalesce(s.own_access_type, f.boundary_access_type, s.default_access_type) = 'public' as is_public,
           s.own_access_type = 'public' and f.boundary_access_type = 'restricted' as is_public_in_restricted,
           coalesce(f.boundary_access_type, s.default_access_type) = 'public' as is_in_public,
           s.own_access_type = 'restricted' as is_restricted, own.has as has_own, above.has as has_above,
           coalesce(f.boundary_access_type, s.default_access_type) <> 'restricted' and above.has_other_editor as shuts_out_editor
      from scanned s
      left join lateral (
        select * from resources f where f.organization_key = s.organization_key and f.resource_key = s.folder_key limit 1
      ) f on true
     cross join lateral (
        select exists (select from grants g where g.organization_key = s.organization_key
                          and g.resource_key = s.resource_key and ${isLive('g')}) as has
     ) own
     cross join lateral (
        select exists (select from ${GRANTS_ABOVE}) as has,
               exists (select from ${GRANTS_ABOVE}
                        where ${liveRole('g')} = 'editor'
                          and not exists (select from grants mine where mine.organization_key = s.organization_key
                                             and mine.resource_key = s.resource_key and mine.principal = g.principal
                                             and mine.kind = s.kind))
                 as has_other_editor
     ) above
  ),
  found as (
    select j.*, coalesce(j.is_public and (j.id ~* $3::text or j.name ~* $3::text), false) as sounds_private,
           coalesce(j.is_restricted and (not j.has_own and j.has_above or j.shuts_out_editor)
                    and not j.is_in_public and j.added_at is not null and not j.disabled, false)
             as is_closed_inside,
           j.disabled and (j.has_own or j.has_above) as is_disabled_with_grants
      from judged j
  )
  select (select count(*) from scanned)::int as scanned, found.*
    from (select) one
    left join lateral (
      select organization_id as "organizationId", kind as type, id, name, updated_at as "changedAt", sounds_private as "isPublic",
             coalesce(is_public_in_restricted, false) as "isPublicInRestricted", is_closed_inside as "isClosedInside",
             is_disabled_with_grants as "isDisabledWithGrants"
        from found
       where sounds_private or is_public_in_restricted or is_closed_inside or is_disabled_with_grants
       order by organization_id, kind, id limit ${LIMITS.findingsExaminedMax}
    ) found on true`,
)
