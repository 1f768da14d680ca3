/** The SQL statement of grants that are given again at every sign-in. */
import { setStatement } from '#platform/db/statement.ts'
import { RECORD_EVENTS } from '#tenancy/events/record.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import { declareMissing, findNamed, type GrantOutcome, type GrantRow, grantEvents, writeGrants } from './grant-ctes.ts'
import {
  ACCEPTED,
  APPLIED,
  GRANT_COLUMNS,
  IS_ACCEPTED,
  OPENING,
  ORGANIZATION_EVENTS,
  OUTCOMES,
} from './grants-in-order.ts'

export interface SignInGrantRow extends GrantRow {
  /** The call has no role: a live grant of the same kind keeps its role (rules/access.md#sign-in-grants). */
  keep: boolean
  /** Adds a missing folder or document instead of only declaring it. */
  createResource: boolean
}

/**
 * Grants roles on resources like `ADD_PERMISSIONS`, and can keep roles and add resources. With `keep`, each kind of grant of a
 * user and a resource may appear only once.
 */
export const GRANT_AT_SIGN_IN = setStatement<SignInGrantRow & RequestRow, GrantOutcome>(
  'permissions.add-at-sign-in',
  { ...GRANT_COLUMNS, keep: 'boolean', createResource: 'boolean' },
  /* sql */ `${findNamed('item.known_only', 'item.create_organization')},
  accepted as materialized (
    select ${ACCEPTED}, create_resource,
           case when given_standing > 0 then coalesce(kept_role, given_standing) else 0 end as given_standing,
           case when given_temporary > 0 then (given_temporary & ~3::bigint) | coalesce(kept_role, given_temporary & 3) else 0 end as given_temporary
      from (select named.*,
                   case when not keep then null
                        when given_standing > 0 then coalesce(nullif(old_standing, 0), case when replaces then live_temporary end)
                        else coalesce(live_temporary, case when replaces then nullif(old_standing, 0) end) end as kept_role
              from (select *, case when old_expires_at > (select now from clock) then old_temporary & 3 end as live_temporary from named) named) n
     where ${IS_ACCEPTED}
  ),
  ${APPLIED},
  ${OPENING},
  ${declareMissing('bool_or(create_resource)')},
  adopted as (
    update resources r set added_at = clock_timestamp()
      from (select distinct organization_key, resource_key from accepted
             where create_resource and resource_key is not null and not resource_added) d
     where r.organization_key = d.organization_key and r.resource_key = d.resource_key
    returning r.organization_key, r.kind, r.id
  ),
  ${writeGrants('a.is_last and a.pair_changes')},
  event as (${ORGANIZATION_EVENTS}
    union all
    select a.organization_key, 1, a.kind::text || '.added', a.kind, a.resource_id, null, a.actor, null, '{}'
      from (select distinct on (organization_key, kind, resource_id) organization_key, kind, resource_id, actor from accepted
             where create_resource and not coalesce(resource_added, false) and kind <> 'organization'
             order by organization_key, kind, resource_id, ord) a
    union all${grantEvents('actor')}
  ),
  ${RECORD_EVENTS}
  ${OUTCOMES}`,
)
