/** The SQL statements that update, disable and delete organizations. */
import { setStatement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { COUNT, COUNTED, STORE_EVENTS } from '#tenancy/events/record.ts'
import { FITS, MERGED } from '#tenancy/metadata.ts'
import { type TableName, tablesWhere } from '#tenancy/tables.ts'
import type { OrganizationRow } from '#tenancy/writes/organization.ts'
import type { DeletedDocuments } from '#tenancy/writes/steps.ts'

/** An organization named in a call; each at most once. */
export interface NamedOrganizationRow extends OrganizationRow {
  actor: Actor
}

/** Merges name and metadata of existing organizations; null clears. Returns them, and whether the metadata fits the limits. */
export const UPDATE_ORGANIZATIONS = setStatement<
  NamedOrganizationRow & { renames: boolean; name: string | null; metadata: object },
  { organizationId: string; fits: boolean }
>(
  'organizations.update',
  { organizationKey: 'uuid', renames: 'boolean', name: 'text', metadata: 'jsonb', actor: 'jsonb' },
  /* sql */ `
  with named as materialized (
    select item.organization_key, item.ord, item.actor, o.organization_id, o.name as old_name, o.metadata as old_metadata,
           case when item.renames then item.name else o.name end as new_name,
           ${MERGED('o.metadata', 'item.metadata')} as new_metadata
      from $input
      join organizations o on o.organization_key = item.organization_key
     where o.added_at is not null
  ),
  checked as materialized (select *, ${FITS('new_metadata', 'old_metadata')} as fits from named),
  changed as (select * from checked where fits and (old_name, old_metadata) is distinct from (new_name, new_metadata)),
  event as (
    select organization_key, ord as position, 'organization.updated' as type, null::resource_kind as resource_kind,
           null::text as resource_id, null::text as user_id, actor,
           jsonb_build_object('organizationName', old_name, 'metadata', old_metadata) as before,
           jsonb_build_object('organizationName', new_name, 'metadata', new_metadata) as after
      from changed
  ),
  counted as (
    update organizations o set name = c.new_name, metadata = c.new_metadata, ${COUNT('1')}
      from changed c where o.organization_key = c.organization_key${COUNTED('1')}
  ),
  ${STORE_EVENTS}
  select organization_id as "organizationId", fits from checked`,
)

/** Disables or enables organizations for all users. Returns the existing ones. Runs under their lock. */
export const DISABLE_ORGANIZATIONS = setStatement<
  NamedOrganizationRow & { disabled: boolean },
  { organizationId: string }
>(
  'organizations.disable',
  { organizationKey: 'uuid', disabled: 'boolean', actor: 'jsonb' },
  /* sql */ `
  with named as materialized (
    select item.*, o.organization_id, o.disabled as old_disabled
      from $input
      join organizations o on o.organization_key = item.organization_key
     where o.added_at is not null
  ),
  changed as (select * from named where disabled <> old_disabled),
  event as (
    select organization_key, ord as position, case when disabled then 'organization.disabled' else 'organization.enabled' end as type,
           null::resource_kind as resource_kind, null::text as resource_id, null::text as user_id, actor,
           jsonb_build_object('disabled', old_disabled) as before, jsonb_build_object('disabled', disabled) as after
      from changed
  ),
  counted as (
    update organizations o set disabled = c.disabled, ${COUNT('1')}
      from changed c where o.organization_key = c.organization_key${COUNTED('1')}
  ),
  ${STORE_EVENTS}
  select organization_id as "organizationId" from named`,
)

/** The columns of deleted rows that are counted. */
const COUNTED_INSIDE: Partial<Record<TableName, string>> = {
  grants: ' returning t.organization_key',
  resources: ' returning t.organization_key, t.kind',
}

/** Deletes the contents of the organizations of `named`, in a CTE `deleted_…` for each table; foreign keys delete the rest. */
const DELETE_INSIDE = tablesWhere(({ organization }) => organization === 'deleted')
  .map(
    (table) => /* sql */ `deleted_${table} as (
    delete from ${table} t using named n where t.organization_key = n.organization_key${COUNTED_INSIDE[table] ?? ''}
  )`,
  )
  .join(',\n  ')

/**
 * Deletes organizations with all their contents; returns those that existed. Their own rows remain, as if never added: a
 * row keeps the number of the last event, so that an organization added again under the same id continues the sequence.
 * `documents` and `permissions`: how many were already deleted; the event includes them. Runs under their lock.
 */
export const DELETE_ORGANIZATIONS = setStatement<NamedOrganizationRow & DeletedDocuments, { organizationId: string }>(
  'organizations.delete',
  { organizationKey: 'uuid', documents: 'int', permissions: 'int', actor: 'jsonb' },
  /* sql */ `
  with named as materialized (
    select item.*, o.organization_id, o.name
      from $input
      join organizations o on o.organization_key = item.organization_key
     where o.added_at is not null
  ),
  ${DELETE_INSIDE},
  counts as (
    select organization_key, count(*) filter (where kind = 'folder') as folders,
           count(*) filter (where kind = 'document') as documents, count(*) filter (where kind is null) as permissions
      from (select organization_key, kind from deleted_resources
            union all select organization_key, null from deleted_grants) one
     group by organization_key
  ),
  event as (
    select n.organization_key, n.ord as position, 'organization.deleted' as type, null::resource_kind as resource_kind,
           null::text as resource_id, null::text as user_id, n.actor,
           jsonb_build_object('organizationName', n.name, 'folders', c.folders,
                              'documents', c.documents + n.documents, 'permissions', c.permissions + n.permissions) as before,
           null::jsonb as after
      from named n join counts c on c.organization_key = n.organization_key
  ),
  counted as (
    update organizations o
       set name = null, metadata = '{}', disabled = false, has_group_grants = false, added_at = null, ${COUNT('1')}
      from named n where o.organization_key = n.organization_key${COUNTED('1')}
  ),
  ${STORE_EVENTS}
  select organization_id as "organizationId" from named`,
)
