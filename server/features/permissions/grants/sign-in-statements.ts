/** The SQL statement of grants that are given again at every sign-in. */
import { setStatement } from '#platform/db/statement.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import type { GrantOutcome, GrantRow } from './granting.ts'
import { ACCEPTED, GRANT_COLUMNS, grantInOrder, IS_ACCEPTED } from './in-order.ts'

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
  grantInOrder(
    /* sql */ `
    select ${ACCEPTED}, create_resource,
           case when given_standing > 0 then coalesce(kept_role, given_standing) else 0 end as given_standing,
           case when given_temporary > 0 then (given_temporary & ~3::bigint) | coalesce(kept_role, given_temporary & 3) else 0 end as given_temporary
      from (select named.*,
                   case when not keep then null
                        when given_standing > 0 then coalesce(nullif(old_standing, 0), case when replaces then live_temporary end)
                        else coalesce(live_temporary, case when replaces then nullif(old_standing, 0) end) end as kept_role
              from (select *, case when old_expires_at > (select now from clock) then old_temporary & 3 end as live_temporary from named) named) n
     where ${IS_ACCEPTED}`,
    {
      adds: 'bool_or(create_resource)',
      adopted: /* sql */ `
  adopted as (
    update resources r set added_at = clock_timestamp()
      from (select distinct organization_key, resource_key from accepted
             where create_resource and resource_key is not null and not resource_added) d
     where r.organization_key = d.organization_key and r.resource_key = d.resource_key
    returning r.organization_key, r.kind, r.id
  ),`,
      events: /* sql */ `
    union all
    select a.organization_key, 1, a.kind::text || '.added', a.kind, a.resource_id, null, a.actor, null, '{}'
      from (select distinct on (organization_key, kind, resource_id) organization_key, kind, resource_id, actor from accepted
             where create_resource and not coalesce(resource_added, false) and kind <> 'organization'
             order by organization_key, kind, resource_id, ord) a`,
    },
  ),
)
