/** The SQL statements that grant and revoke roles. */
import { setStatement } from '#platform/db/statement.ts'
import { expiryEvents, OPEN_ORGANIZATIONS, RECORD_EVENTS, REMOVAL_EVENTS } from '#tenancy/events/record.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import {
  declareMissing,
  findNamed,
  type GrantName,
  type GrantOutcome,
  type GrantRow,
  writeGrants,
} from './grant-ctes.ts'

/**
 * Grants roles on resources. A request is all or nothing: if one row of a `req` is refused, none is written. Rows apply as
 * if sequentially, in their order: the last row for the same user and resource wins. Each row writes its event with the
 * previous value, preceded by the expiry event if the previous grant expired without one. A row that changes nothing
 * writes nothing. Runs under the lock of its organizations, so the values it reads are the values it changes. With `keep`,
 * each pair of user and resource may appear only once.
 */
export const ADD_PERMISSIONS = setStatement<GrantRow & RequestRow, GrantOutcome>(
  'permissions.add',
  {
    req: 'int',
    organizationKey: 'uuid',
    createOrganization: 'boolean',
    kind: 'resource_kind',
    resourceId: 'text',
    userId: 'text',
    role: 'access_role',
    expiresAt: 'timestamptz',
    expiringAt: 'timestamptz',
    keep: 'boolean',
    knownOnly: 'boolean',
    createResource: 'boolean',
    actor: 'jsonb',
  },
  /* sql */ `${findNamed('item.known_only', 'item.create_organization')},
  accepted as materialized (
    select n.*,
           case when keeps_permanent then old_role
                when keep and live then coalesce(role, old_role)
                else coalesce(role, 'editor') end as new_role,
           case when keeps_permanent then null else expires_at end as new_expires_at
      from (select named.*,
                   keep and live and old_expires_at is null and expires_at is not null as keeps_permanent,
                   bool_and(outcome = 'ok') over (partition by req) as all_ok
              from named) n
     where all_ok
  ),
  applied as materialized (
    select *, coalesce(bool_or(changes) over (pair rows between unbounded preceding and 1 preceding), false) as previously_changed
      from (select *, not existed or (before_role, before_expires_at) is distinct from (new_role, new_expires_at) as changes
              from (select *, nth > 1 or granted as existed,
                           case when nth = 1 then old_role else earlier_role end as before_role,
                           case when nth = 1 then old_expires_at else earlier_expires_at end as before_expires_at
                      from (select accepted.*, row_number() over pair as nth,
                                   count(*) over (partition by organization_key, kind, resource_id, user_id) as total,
                                   lag(new_role) over pair as earlier_role, lag(new_expires_at) over pair as earlier_expires_at
                              from accepted
                            window pair as (partition by organization_key, kind, resource_id, user_id order by ord)) a) b) c
    window pair as (partition by organization_key, kind, resource_id, user_id order by ord)
  ),
  opening as (select distinct organization_key from accepted where not organization_added),
  ${OPEN_ORGANIZATIONS},
${declareMissing('bool_or(create_resource)')},
  adopted as (
    update resources r set added_at = clock_timestamp()
      from (select distinct organization_key, resource_key from accepted
             where create_resource and resource_key is not null and not resource_added) d
     where r.organization_key = d.organization_key and r.resource_key = d.resource_key
    returning r.organization_key, r.kind, r.id
  ),
${writeGrants('applied', 'a.nth = a.total and (a.changes or a.previously_changed)')},
  event as (
    select organization_key, 0 as position, 'organization.added' as type,
           null::resource_kind as resource_kind, null as resource_id, null as user_id, actor, null::jsonb as before, '{}'::jsonb as after
      from (select distinct on (organization_key) * from accepted where not organization_added order by organization_key, ord) first
    union all
    select a.organization_key, 1, a.kind::text || '.added', a.kind, a.resource_id, null, a.actor, null, '{}'
      from (select distinct on (organization_key, kind, resource_id) * from accepted
             where create_resource and not coalesce(resource_added, false) and kind <> 'organization'
             order by organization_key, kind, resource_id, ord) a
    union all
    select organization_key, 1 + 2 * ord, 'permission.added', kind, resource_id, user_id, actor,
           case when existed then jsonb_build_object('accessRole', before_role, 'expiresAt', extract(epoch from before_expires_at)::bigint) end,
           jsonb_build_object('accessRole', new_role, 'expiresAt', extract(epoch from new_expires_at)::bigint)
      from applied where changes
    union all${expiryEvents('applied', { position: '2 * ord', role: 'before_role', expiresAt: 'before_expires_at' })}
     where changes and before_expires_at <= (select now from clock) and (previously_changed or not expiry_reported)
  ),
  ${RECORD_EVENTS}
  select req, ord, outcome, migrated_to as "migratedTo" from named order by ord`,
)

/** Revokes grants; a missing grant is not an error. Runs under the lock of its organizations. */
export const REMOVE_PERMISSIONS = setStatement<GrantName & RequestRow, RequestRow>(
  'permissions.remove',
  { req: 'int', organizationKey: 'uuid', kind: 'resource_kind', resourceId: 'text', userId: 'text', actor: 'jsonb' },
  /* sql */ `
  with clock as materialized (select coalesce($now, clock_timestamp()) as now),
  removed as (
    delete from grants g
     using (select distinct on (organization_key, kind, resource_id, user_id) * from $input
             order by organization_key, kind, resource_id, user_id, ord) item
     cross join lateral (
        select r.resource_key from resources r
         where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
      ) r
     where g.organization_key = item.organization_key and g.resource_key = r.resource_key and g.user_id = item.user_id
       and g.kind = item.kind
    returning g.organization_key, item.ord, item.kind, item.resource_id, g.user_id, item.actor, g.role, g.expires_at,
              g.expires_at <= (select now from clock) and g.expiry_event_at is null as expiry_unreported
  ),
  ${REMOVAL_EVENTS},
  ${RECORD_EVENTS}
  select null::int as req where false`,
)
