/** Every SQL text of organizations as records. */
import { setStatement, statement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/caller.ts'
import { OPEN_ORGANIZATIONS, STORE_EVENTS } from '#tenancy/events.ts'
import { FITS } from '#tenancy/metadata.ts'
import type { OrganizationRow } from '#tenancy/organization-writes.ts'

export interface OrganizationUpsert extends OrganizationRow {
  /** Null: stays as it is. */
  name: string | null
  /** Merged into what is there. */
  metadata: object
  actor: Actor
}

/**
 * Adds organizations or merges name and metadata into them; each at most once. What changes nothing writes nothing, and
 * so does what would exceed the bounds of metadata: those are answered. Runs under their lock.
 */
export const ADD_ORGANIZATIONS = setStatement<OrganizationUpsert, { organizationKey: string }>(
  'organizations.add',
  { organizationKey: 'uuid', name: 'text', metadata: 'jsonb', actor: 'jsonb' },
  /* sql */ `
  with merged as materialized (
    select item.organization_key, item.ord, item.actor, o.added_at is not null as added,
           o.name as old_name, o.metadata as old_metadata,
           coalesce(item.name, o.name) as new_name, o.metadata || item.metadata as new_metadata
      from $input join organizations o on o.organization_key = item.organization_key
  ),
  named as materialized (select * from merged where ${FITS('new_metadata')}),
  changed as (select * from named where not added or (old_name, old_metadata) is distinct from (new_name, new_metadata)),
  opening as (select organization_key from named where not added),
  ${OPEN_ORGANIZATIONS},
  event as (
    select organization_key, ord as position, case when added then 'organization.updated' else 'organization.added' end as type,
           null::resource_kind as resource_kind, null as resource_id, null as user_id, actor,
           case when added then jsonb_build_object('organizationName', old_name, 'metadata', old_metadata) end as before,
           jsonb_build_object('organizationName', new_name, 'metadata', new_metadata) as after
      from changed
  ),
  counted as (
    update organizations o
       set name = c.new_name, metadata = c.new_metadata,
           event_count = o.event_count + 1, added_at = coalesce(o.added_at, clock_timestamp())
      from changed c where o.organization_key = c.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - 1 as events_before
  ),
  ${STORE_EVENTS}
  select organization_key as "organizationKey" from merged where not ${FITS('new_metadata')}`,
)

export interface OrganizationRecordRow {
  id: string
  name: string | null
  metadata: Record<string, unknown>
  disabled: boolean
}

/** A page of a key's organizations in id order, after `$2`, at most `$3`. */
export const LIST_ORGANIZATIONS = statement<OrganizationRecordRow>(
  'organizations.list',
  /* sql */ `
  select organization_id as id, name, metadata, disabled from organizations
   where api_key_id = $1 and ($2::text is null or organization_id > $2) and added_at is not null
   order by organization_id limit $3::int`,
)

/** The named ones that are there, in any order. */
export const FIND_ORGANIZATIONS = setStatement<{ organizationKey: string }, OrganizationRecordRow>(
  'organizations.get',
  { organizationKey: 'uuid' },
  /* sql */ `
  select o.organization_id as id, o.name, o.metadata, o.disabled
    from $input join organizations o on o.organization_key = item.organization_key
   where o.added_at is not null`,
)
