/** The SQL statement of `grants.add`: many grants, each for a different user or resource. Values common to all are sent once. */
import { setStatement } from '#platform/db/statement.ts'
import { RECORD_EVENTS } from '#tenancy/events/record.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import type { OrganizationRow } from '#tenancy/writes/organization.ts'
import {
  AFTER,
  declareMissing,
  findNamed,
  type GrantOutcome,
  type GrantRow,
  grantEvents,
  type WrittenGrants,
  writeGrants,
} from './granting.ts'

export type AddedGrantRow = OrganizationRow &
  RequestRow &
  WrittenGrants &
  Pick<GrantRow, 'kind' | 'resourceId' | 'principal' | 'expiringSoonSeconds' | 'knownOnly' | 'actor'>

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
    principal: 'text',
    standingRole: 'access_role',
    temporaryRole: 'access_role',
    expiresAt: 'timestamptz',
    replaces: 'boolean',
  },
  /* sql */ `${findNamed(KNOWN_ONLY, `not ${KNOWN_ONLY}`)},
  accepted as materialized (
    select *, old_standing as before_standing, old_temporary as before_temporary, (select expiring_soon_seconds from $requests) as expiring_soon_seconds
      from named where not exists (select from named where outcome <> 'ok')
  ),
  applied as materialized (
    select *, before_standing <> after_standing as changes_standing, before_temporary <> after_temporary as changes_temporary,
           before_temporary <> after_temporary as renews, before_temporary <> after_temporary and old_expires_at <= (select now from clock) and old_expiry_event_at is null as expired_unreported
      from (select *,${AFTER} from accepted) a
  ),
  opening as (select distinct organization_key from accepted where not organization_added),
  ${declareMissing('false')},
  ${writeGrants('(a.changes_standing or a.changes_temporary)')},
  event as (
    select organization_key, 0 as position, 'organization.added' as type, null::resource_kind as resource_kind,
           null as resource_id, null as user_id, ${ACTOR} as actor, null::jsonb as before, '{}'::jsonb as after
      from opening
    union all${grantEvents(ACTOR)}
  ),
  ${RECORD_EVENTS}
  select ord, outcome, migrated_to as "migratedTo" from named where outcome <> 'ok' order by ord`,
  { knownOnly: 'boolean', actor: 'jsonb', expiringSoonSeconds: 'int' },
)
