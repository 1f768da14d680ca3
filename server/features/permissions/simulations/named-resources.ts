/** Finds the resources that the changes of a simulation name. */

import type { ResourceType } from '#contract/access/permissions.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { setStatement } from '#platform/db/statement.ts'
import { JOIN_RESOURCE } from '#tenancy/existence.ts'
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
    ${JOIN_RESOURCE}
   order by item.ord`,
)
