/** The SQL statement of `grants.add`: many grants, each for a different user or resource. Values common to all are sent once. */
import { setStatement } from '#platform/db/statement.ts'
import { expiryEvents, OPEN_ORGANIZATIONS, RECORD_EVENTS } from '#tenancy/events/record.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import type { OrganizationRow } from '#tenancy/writes/organization.ts'
import { declareMissing, findNamed, type GrantOutcome, type GrantRow, writeGrants } from './grant-ctes.ts'

export type AddedGrantRow = OrganizationRow &
  RequestRow &
  Pick<GrantRow, 'kind' | 'resourceId' | 'userId' | 'role' | 'expiresAt' | 'expiringAt' | 'knownOnly' | 'actor'>

// Values of the only request.
const KNOWN_ONLY = '(select known_only from $requests)'
const ACTOR = '(select actor from $requests)'

/**
 * Grants roles on resources like `ADD_PERMISSIONS`, but for a single request in which no two rows name the same user and
 * resource and `createOrganization` is the opposite of `knownOnly`. Rows need not be ordered or compared with each other.
 * All or nothing; returns only the refused rows. Runs under the lock of its organizations.
 */
export const ADD_GRANTS = setStatement<AddedGrantRow, Omit<GrantOutcome, 'req'>>(
  'grants.add',
  {
    organizationKey: 'uuid',
    kind: 'resource_kind',
    resourceId: 'text',
    userId: 'text',
    role: 'access_role',
    expiresAt: 'timestamptz',
    expiringAt: 'timestamptz',
  },
  /* sql */ `${findNamed(KNOWN_ONLY, `not ${KNOWN_ONLY}`)},
  accepted as materialized (
    select *, not granted or (old_role, old_expires_at) is distinct from (role, expires_at) as changes,
           role as new_role, expires_at as new_expires_at
      from named where not exists (select from named where outcome <> 'ok')
  ),
  opening as (select distinct organization_key from accepted where not organization_added),
  ${OPEN_ORGANIZATIONS},${declareMissing('false')},${writeGrants('accepted', 'a.changes')},
  event as (
    select organization_key, 0 as position, 'organization.added' as type, null::resource_kind as resource_kind,
           null as resource_id, null as user_id, ${ACTOR} as actor, null::jsonb as before, '{}'::jsonb as after
      from opening
    union all
    select organization_key, 1 + 2 * ord, 'permission.added', kind, resource_id, user_id, ${ACTOR},
           case when granted then jsonb_build_object('accessRole', old_role, 'expiresAt', extract(epoch from old_expires_at)::bigint) end,
           jsonb_build_object('accessRole', new_role, 'expiresAt', extract(epoch from new_expires_at)::bigint)
      from accepted where changes
    union all${expiryEvents('accepted', { position: '2 * ord', role: 'old_role', expiresAt: 'old_expires_at' })}
     where changes and granted and not live and not expiry_reported
  ),
  ${RECORD_EVENTS}
  select ord, outcome, migrated_to as "migratedTo" from named where outcome <> 'ok' order by ord`,
  { knownOnly: 'boolean', actor: 'jsonb' },
)
