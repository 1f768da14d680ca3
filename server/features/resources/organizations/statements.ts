/** The SQL statements that add and read organizations. */
import { setStatement, statement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { COUNT, COUNTED, OPEN_ORGANIZATIONS, STORE_EVENTS } from '#tenancy/events/record.ts'
import { FITS } from '#tenancy/metadata.ts'
import { byName, type Positioned } from '#tenancy/name-order.ts'
import { withinPage, withinResponse } from '#tenancy/page-bytes.ts'
import type { OrganizationRow } from '#tenancy/writes/organization.ts'

export interface OrganizationUpsert extends OrganizationRow {
  /** Null keeps the current name. */
  name: string | null
  /** Null keeps the current state. */
  disabled: boolean | null
  /** Merged into the current metadata. */
  metadata: object
  actor: Actor
}

/**
 * Adds organizations, or merges the given fields into existing ones; each at most once. A row that changes nothing
 * writes nothing. Disabling or enabling an existing one has an event of its own. Rows that would exceed the limits of
 * metadata are not written but returned. Runs under their lock.
 */
export const ADD_ORGANIZATIONS = setStatement<OrganizationUpsert, { organizationKey: string }>(
  'organizations.add',
  { organizationKey: 'uuid', name: 'text', disabled: 'boolean', metadata: 'jsonb', actor: 'jsonb' },
  /* sql */ `
  with merged as materialized (
    select item.organization_key, item.ord, item.actor, o.added_at is not null as added,
           o.name as old_name, o.metadata as old_metadata, o.disabled as old_disabled,
           coalesce(item.name, o.name) as new_name, o.metadata || item.metadata as new_metadata,
           coalesce(item.disabled, o.disabled) as new_disabled
      from $input join organizations o on o.organization_key = item.organization_key
  ),
  named as materialized (select * from merged where ${FITS('new_metadata', 'old_metadata')}),
  compared as (
    select *, not added or (old_name, old_metadata) is distinct from (new_name, new_metadata) as described,
           added and old_disabled <> new_disabled as switched
      from named
  ),
  changed as materialized (select *, described::int + switched::int as events from compared where described or switched),
  opening as (select organization_key from named where not added),
  ${OPEN_ORGANIZATIONS},
  event as (
    select organization_key, 0 as position, case when added then 'organization.updated' else 'organization.added' end as type,
           null::resource_kind as resource_kind, null as resource_id, null as user_id, actor,
           case when added then jsonb_build_object('organizationName', old_name, 'metadata', old_metadata) end as before,
           jsonb_build_object('organizationName', new_name, 'metadata', new_metadata)
             || case when not added and new_disabled then '{"disabled": true}'::jsonb else '{}' end as after
      from changed where described
    union all
    select organization_key, 1, case when new_disabled then 'organization.disabled' else 'organization.enabled' end, null, null, null, actor,
           jsonb_build_object('disabled', old_disabled), jsonb_build_object('disabled', new_disabled)
      from changed where switched
  ),
  counted as (
    update organizations o
       set name = c.new_name, metadata = c.new_metadata, disabled = c.new_disabled,
           ${COUNT('c.events')}, added_at = coalesce(o.added_at, clock_timestamp())
      from changed c where o.organization_key = c.organization_key${COUNTED('c.events')}
  ),
  ${STORE_EVENTS}
  select organization_key as "organizationKey" from merged where not ${FITS('new_metadata', 'old_metadata')}`,
)

export interface OrganizationRecordRow {
  id: string
  name: string | null
  metadata: Record<string, unknown>
  disabled: boolean
}

/** Lists at most `$3` organizations of an API key in id order, after `$2`. */
export const LIST_ORGANIZATIONS = statement<OrganizationRecordRow>(
  'organizations.list',
  withinPage(
    /* sql */ `
  select organization_id as id, name, metadata, disabled from organizations
   where api_key_id = $1 and organization_id > coalesce($2::text, '') and added_at is not null
   order by organization_id limit $3::int`,
    'metadata',
  ),
)

/** Lists at most `$3` organizations of an API key by name, after the position `$2`. */
export const LIST_ORGANIZATIONS_BY_NAME = byName(
  { name: 'o.name', id: 'o.organization_id', after: '$2' },
  ({ orderBy, position, following, order }) =>
    statement<OrganizationRecordRow & Positioned>(
      `organizations.list by ${orderBy}`,
      withinPage(
        /* sql */ `
  select o.organization_id as id, o.name, o.metadata, o.disabled, ${position} from organizations o
   where o.api_key_id = $1 and ${following} and o.added_at is not null
   order by ${order} limit $3::int`,
        'metadata',
      ),
    ),
)

/** Returns the named organizations that exist, in any order. */
export const FIND_ORGANIZATIONS = setStatement<
  { organizationKey: string },
  OrganizationRecordRow & { hasNext: boolean }
>(
  'organizations.get',
  { organizationKey: 'uuid' },
  withinResponse(
    /* sql */ `
  select o.organization_id as id, o.name, o.metadata, o.disabled
    from $input join organizations o on o.organization_key = item.organization_key
   where o.added_at is not null`,
    'metadata',
  ),
)
