/** Finds the resources that the changes of a simulation name. */

import type { ResourceType } from '#contract/access/permissions.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { setStatement } from '#platform/db/statement.ts'
import { joinMigrated } from '#tenancy/existence.ts'
import { type AccessInForce, accessInForce } from '#tenancy/public-access.ts'

export interface NamedResourceRow {
  organizationKey: OrganizationKey
  kind: ResourceType
  resourceId: string
}

export interface FoundResource extends AccessInForce {
  /** Null: the resource does not exist and is not declared either. */
  resourceKey: string | null
  added: boolean
  /** The current id of a migrated document. */
  migratedTo: string | null
}

/** Looks up resources by kind and id; returns one row for each input row. */
export const FIND_RESOURCES = setStatement<NamedResourceRow, FoundResource>(
  'permissions.find-resources',
  { organizationKey: 'uuid', kind: 'resource_kind', resourceId: 'text' },
  /* sql */ `
  select r.resource_key as "resourceKey", r.added_at is not null as added, moved.id as "migratedTo",
         ${accessInForce('item.organization_key')}
    from $input
    left join lateral (
      select r.resource_key, r.added_at, r.folder_key, r.own_access_type, r.boundary_access_type, r.boundary_key from resources r
       where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
    ) r on true
    ${joinMigrated('item.organization_key', 'item.resource_id', "item.kind = 'document' and r.resource_key is null")}
   order by item.ord`,
)
