/** The SQL statements that set the access type of folders, under the lock of the organization (rules/access.md#stored-boundary). */
import type { AccessType } from '#contract/access/permissions.ts'
import { setStatement } from '#platform/db/statement.ts'
import { RECORD_EVENTS } from '#tenancy/events/record.ts'
import { IN_SUBTREE, type NamedFolderRow } from './change-statements.ts'

/** Sets the access type of folders, or clears it if null. Returns the folders that exist; `FOLLOW_ACCESS` must run next. */
export const SET_FOLDER_ACCESS = setStatement<
  NamedFolderRow & { accessType: AccessType | null },
  { folderId: string; resourceKey: string; changed: boolean }
>(
  'folder-access.set',
  { organizationKey: 'uuid', folderId: 'text', accessType: 'access_type', actor: 'jsonb' },
  /* sql */ `
  with named as materialized (
    select item.*, r.resource_key, r.own_access_type as old_access_type, r.own_access_type is distinct from item.access_type as changes
      from $input
      join resources r on r.organization_key = item.organization_key and r.kind = 'folder' and r.id = item.folder_id
     where r.added_at is not null
  ),
  changed as (
    update resources r set own_access_type = n.access_type, updated_at = clock_timestamp() from named n
     where n.changes and r.organization_key = n.organization_key and r.resource_key = n.resource_key
  ),
  event as (
    select organization_key, ord as position, 'folder.access_changed' as type, 'folder'::resource_kind as resource_kind,
           folder_id as resource_id, null::text as user_id, actor,
           jsonb_build_object('accessType', old_access_type) as before, jsonb_build_object('accessType', access_type) as after
      from named where changes
  ),
  ${RECORD_EVENTS}
  select folder_id as "folderId", resource_key as "resourceKey", changes as changed from named`,
)

/**
 * Updates the boundaries in the subtrees of folders whose access type has just changed. A row whose boundary is below the
 * nearest of these folders keeps it; other rows get the boundary of that folder.
 */
export const FOLLOW_ACCESS = setStatement<{ organizationKey: string; resourceKey: string }, never>(
  'folder-access.follow',
  { organizationKey: 'uuid', resourceKey: 'uuid' },
  /* sql */ `
  with top as materialized (
    select f.organization_key, f.path, cardinality(f.path) as depth,
           coalesce(boundary.depth, 1) as boundary_depth, coalesce(boundary.key, f.organization_key) as boundary_key,
           boundary.access_type as boundary_access_type
      from $input
      join resources f on f.organization_key = item.organization_key and f.resource_key = item.resource_key
      left join lateral (
        select p.depth, p.key, above.own_access_type as access_type
          from unnest(f.path) with ordinality as p(key, depth)
         cross join lateral (
           select a.own_access_type from resources a
            where a.organization_key = f.organization_key and a.resource_key = p.key limit 1
         ) above
         where above.own_access_type is not null
         order by p.depth desc limit 1
      ) boundary on true
  ),
  nearest as (
    select distinct on (r.organization_key, r.resource_key) r.organization_key, r.resource_key, r.boundary_depth as old_depth,
           top.depth, top.boundary_depth, top.boundary_key, top.boundary_access_type
      from top join resources r on ${IN_SUBTREE}
     order by r.organization_key, r.resource_key, top.depth desc
  )
  update resources r
     set boundary_depth = n.boundary_depth, boundary_key = n.boundary_key, boundary_access_type = n.boundary_access_type
    from nearest n
   where n.old_depth <= n.depth and r.organization_key = n.organization_key and r.resource_key = n.resource_key`,
)
