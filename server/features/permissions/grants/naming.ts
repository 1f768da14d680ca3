/**
 * Finds the resources that the rows of a statement name, with the grants on them, and declares those that are missing.
 * `lateral (… limit 1)` forces a lookup by key whatever the planner estimates: with a plain join it read all grants of a user
 * instead of one for each resource. Lookups of grants also name the kind, so that either index of the table covers them.
 */
import { NEW_ROOTS, ROOT_COLUMNS } from '#tenancy/events/record.ts'
import { JOIN_NAMED } from '#tenancy/existence.ts'
import { accessInForce } from '#tenancy/public-access.ts'
import { codeOf } from './codes.ts'

/**
 * Returns the CTEs `clock` and `named`: the rows of `$input` with the resource they name and the grants on it. `outcome`
 * is `'ok'` or the refusal; the conditions `knownOnly` and `createOrganization` decide it.
 */
export const findNamed = (knownOnly: string, createOrganization: string): string => /* sql */ `
  with clock as materialized (select coalesce($now, clock_timestamp()) as now),
  named as materialized (
    select item.*, o.added_at is not null as organization_added,
           r.resource_key, r.added_at is not null as resource_added, moved.id as migrated_to,
           ${accessInForce('item.organization_key')},
           case when moved.id is not null then 'document_was_migrated'
                when ${knownOnly} and r.added_at is null then 'resource_does_not_exist'
                when o.added_at is null and not ${createOrganization} then 'resource_does_not_exist'
                else 'ok' end as outcome,
           ${codeOf('item.standing_role')} as given_standing, ${codeOf('item.temporary_role', 'item.expires_at')} as given_temporary,
           ${codeOf('g.standing_role')} as old_standing, ${codeOf('g.temporary_role', 'g.expires_at')} as old_temporary,
           g.expires_at as old_expires_at, g.expiry_event_at as old_expiry_event_at, g.expiring_at as old_expiring_at, g.provided_by as old_provided_by
      from $input
      ${JOIN_NAMED}
      left join lateral (
        select g.standing_role, g.temporary_role, g.expires_at, g.expiry_event_at, g.expiring_at, g.provided_by from grants g
         where g.organization_key = item.organization_key and g.resource_key = r.resource_key and g.principal = item.principal
           and g.kind = item.kind limit 1
      ) g on true
  )`

/**
 * Returns the CTEs `missing` and `created`: `missing` has the resources that `accepted` names and that do not exist; `created`
 * inserts them, and the resources of the organizations of the CTE `opening` (see `NEW_ROOTS`).
 */
export const declareMissing = (adds: string): string => /* sql */ `
  missing as materialized (
    select m.*, gen_random_uuid() as resource_key
      from (select organization_key, kind, resource_id, ${adds} as adds
              from accepted where resource_key is null and kind <> 'organization'
             group by organization_key, kind, resource_id) m
  ),
  created as (
    insert into resources ${ROOT_COLUMNS}${NEW_ROOTS}
    union all
    select organization_key, resource_key, kind, resource_id, case when adds then clock_timestamp() end,
           case when kind = 'folder' then array[organization_key, resource_key] end,
           case when kind = 'folder' then 1 end, case when kind = 'folder' then organization_key end
      from missing
     order by 1, 3, 4
  )`
